"""What a live cluster holds, read through `kubectl get` into files that are read as any dump."""

from collections.abc import Sequence
from pathlib import Path

from sidecarctl.facts.reasons import Reason
from sidecarctl.files.inputs import Input
from sidecarctl.kubectl.calls import Progress, call, no_progress
from sidecarctl.kubectl.connection import Connection, command_text
from sidecarctl.kubectl.problems import problem

TIMEOUT = 300.0
"""Seconds that one command may take: a large cluster is asked page by page."""

KRUISE_NAMESPACE = "kruise-system"
_SHOWN = 60
_EDGE = 4096


class Cluster:
    """A cluster; each answer is a file in `folder`, which belongs to the caller.

    Every method raises InputError, with the command as its place, where kubectl does not give a whole answer.
    """

    def __init__(
        self,
        connection: Connection,
        folder: Path,
        *,
        timeout: float = TIMEOUT,
        progress: Progress = no_progress,
    ) -> None:
        self._connection = connection
        self._folder = folder
        self._timeout = timeout
        self._progress = progress
        self._answers = 0

    def sidecarsets(self) -> Input:
        """All SidecarSets."""
        return self._get("sidecarsets.apps.kruise.io")

    def namespaces(self) -> Input:
        """All Namespaces."""
        return self._get("namespaces")

    def revisions(self) -> Input:
        """The ControllerRevisions that Kruise keeps."""
        return self._get("controllerrevisions.apps", f"--namespace={KRUISE_NAMESPACE}")

    def pods(self, namespaces: Sequence[str] | None = None) -> list[Input]:
        """The pods of some namespaces, else those of all."""
        if namespaces is None:
            return [self._get("pods", "--all-namespaces")]
        return [self._get("pods", f"--namespace={name}") for name in namespaces]

    def _get(self, *what: str) -> Input:
        words = ("get", *what, "-o", "json")
        command = command_text(*words)
        self._answers += 1
        answer = self._folder / f"{self._answers}.json"
        call(self._connection.command(*words), command, answer, timeout=self._timeout, progress=self._progress)
        _refuse_other_than_json(answer, command)
        return Input(command, answer, Path(answer.name))


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
