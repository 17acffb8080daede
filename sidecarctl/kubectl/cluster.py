"""What a live cluster holds, read through `kubectl get --raw`, page by page, into files that are read as any dump."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from sidecarctl.facts.errors import InputError
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.files.inputs import Input
from sidecarctl.kubectl.calls import call
from sidecarctl.kubectl.connection import TIMEOUT, Connection, command_text
from sidecarctl.kubectl.pages import next_token, path_of_page
from sidecarctl.kubectl.problems import problem

KRUISE_NAMESPACE = "kruise-system"
_SET_VERSIONS = ("v1beta1", "v1alpha1")  # Kruise up to 1.8 has the second alone
_SHOWN = 60
_EDGE = 4096


class Cluster:
    """A cluster; each answer, a page of a list, is a file in `folder`, which belongs to the caller.

    Every method raises InputError, with the command as its place, where kubectl does not give a whole answer.
    """

    def __init__(
        self,
        connection: Connection,
        folder: Path,
        *,
        timeout: float = TIMEOUT,
    ) -> None:
        self._connection = connection
        self._folder = folder
        self._timeout = timeout
        self._answers = 0

    def sidecarsets(self) -> list[Input]:
        """All SidecarSets, in the newest version that the cluster serves."""
        newest, *older = (f"/apis/apps.kruise.io/{version}/sidecarsets" for version in _SET_VERSIONS)
        try:
            return self._list(newest)
        except InputError as fault:
            if not _has_reason(fault, Reason.RESOURCE_NOT_FOUND):
                raise
        return self._list(*older)

    def namespaces(self) -> list[Input]:
        """All Namespaces."""
        return self._list("/api/v1/namespaces")

    def revisions(self) -> list[Input]:
        """The ControllerRevisions that Kruise keeps."""
        return self._list(f"/apis/apps/v1/namespaces/{KRUISE_NAMESPACE}/controllerrevisions")

    def pods(self, namespace: str = "") -> list[Input]:
        """The pods of a namespace, else those of all."""
        return self._list(f"/api/v1/namespaces/{quote(namespace, safe='')}/pods" if namespace else "/api/v1/pods")

    def object(self, path: str) -> Object:
        """The object at a path of the API."""
        answer = self._answer(path, path)
        value: Object = json.loads(answer.read_bytes())
        return value

    def _list(self, path: str) -> list[Input]:
        """The pages of a list; all in one where the server forgets the list before its last page was asked for."""
        try:
            return list(self._pages(path))
        except InputError as fault:
            if not _has_reason(fault, Reason.LIST_EXPIRED):
                raise
        return [self._input(path, self._answer(path, path))]

    def _pages(self, path: str) -> Iterator[Input]:
        token = ""
        while True:
            page = self._answer(path, path_of_page(path, token))
            yield self._input(path, page)
            try:
                token = next_token(page)
            except ValueError as fault:
                raise problem(_command(path), Reason.NOT_JSON, f"the answer is not a list: {fault}") from None
            if not token:
                return

    def _input(self, path: str, page: Path) -> Input:
        return Input(_command(path), page, Path(page.name))

    def _answer(self, path: str, asked: str) -> Path:
        words = ("get", "--raw", asked)
        self._answers += 1
        answer = self._folder / f"{self._answers}.json"
        command = _command(path)
        call(self._connection.command(*words), command, answer, timeout=self._timeout)
        _refuse_other_than_json(answer, command)
        return answer


def _command(path: str) -> str:
    """The command that messages name, without what asks for a page."""
    return command_text("get", "--raw", path)


def _has_reason(fault: InputError, reason: Reason) -> bool:
    return any(finding.reason is reason for finding in fault.findings)


def _refuse_other_than_json(answer: Path, command: str) -> None:
    """Refuse what is not, from its two ends, one JSON object: a wrapper's banner, half an answer."""
    with answer.open("rb") as file:
        head = file.read(_EDGE)
        file.seek(max(0, answer.stat().st_size - _EDGE))
        tail = file.read()
    if head.lstrip().startswith(b"{") and tail.rstrip().endswith(b"}"):
        return
    said = head[:_SHOWN].decode(errors="replace").strip()
    message = f'the answer is not a JSON object; it begins with "{said}"' if said else "the answer is empty"
    raise problem(command, Reason.NOT_JSON, message, "is another program named kubectl on PATH?")
