"""A live cluster as a run reads it: objects, and lists; each kind at one resourceVersion."""

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType
from typing import NamedTuple, TypeAlias, TypeVar

from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.findings import Finding, note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.api_requests import (
    MANAGER,
    PAGE,
    SIDECARSET_VERSIONS,
    SYSTEM,
    VERSION,
    WEBHOOKS,
    WHOLE,
    Answer,
    ForgottenError,
    Moment,
    NoAnswerError,
    NoListError,
    RequestRefusedError,
    backoff,
    page_version,
    pages,
    sidecarsets_path,
)
from sidecarctl.engine.kubectl.client import Reads
from sidecarctl.engine.kubectl.running_proxy import command_text, failure, kubectl_error, refusal
from sidecarctl.engine.releases.feature_gates import GATES, STAGES
from sidecarctl.engine.releases.profiles import UnknownReleaseError, release_named, running_release_named
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.sidecarset.webhook_scope import CONFIGURATION_NAME

NOTHING: Mapping[str, str] = MappingProxyType({})
_TRIES = 4
"""How often to retry a read that the server cannot answer at the moment: for about 3 seconds."""

Kept = TypeVar("Kept")
Keep: TypeAlias = Callable[[str, Answer], Kept]
"""Reduces a page of the list at a path to the part that is kept."""


class LiveCluster:
    """What a cluster holds; `versions` has the resourceVersion of each kind that was listed, by its plural.

    Every method raises InputError if there is no whole answer; its place is the kubectl command for the same.
    """

    def __init__(self, client: Reads) -> None:
        self._client = client
        self.versions: dict[str, str] = {}

    def object(self, path: str) -> Object:
        """The object at a path of the API."""
        answer = self._asked(path, NOTHING)
        if not answer.is_good:
            raise refusal(_command_of(path), answer)
        return answer.body

    def pages(
        self,
        path: str,
        keep: Keep[Kept],
        query: Mapping[str, str] = NOTHING,
        moment: Moment | None = None,
    ) -> list[Kept]:
        """What is kept of each page of a list; a single page if the list expires before its last page."""
        try:
            return self._kept(path, keep, query, moment, PAGE)
        except ForgottenError:
            return self._kept(path, keep, query, None, WHOLE)

    def sidecarsets(self, keep: Keep[Kept], name: str = "", moment: Moment | None = None) -> list[Kept]:
        """All SidecarSets, or the one of a name, in the newest version that the cluster serves."""
        query = {"fieldSelector": f"metadata.name={name}"} if name else NOTHING
        return self.first_served(map(sidecarsets_path, SIDECARSET_VERSIONS), keep, query, moment)

    def webhook(self, keep: Keep[Kept]) -> list[Kept]:
        """Kruise's MutatingWebhookConfiguration, in a list."""
        return self.pages(WEBHOOKS, keep, {"fieldSelector": f"metadata.name={CONFIGURATION_NAME}"})

    def first_served(
        self,
        paths: Iterable[str],
        keep: Keep[Kept],
        query: Mapping[str, str] = NOTHING,
        moment: Moment | None = None,
    ) -> list[Kept]:
        """What is kept of a list, by the first path that the cluster serves."""
        *first, last = paths
        for path in first:
            try:
                return self.pages(path, keep, query, moment)
            except InputError as fault:
                if fault.findings[0].reason is not Reason.RESOURCE_NOT_FOUND:
                    raise
        return self.pages(last, keep, query, moment)

    def _kept(
        self,
        path: str,
        keep: Keep[Kept],
        query: Mapping[str, str],
        moment: Moment | None,
        size: int,
    ) -> list[Kept]:
        found = []
        version = ""
        try:
            for page in pages(self._asked, path, query, size=size, moment=moment):
                found.append(keep(path, page))
                version = page_version(page)
        except RequestRefusedError as refused:
            raise refusal(_command_of(path), refused.answer) from None
        except NoListError:
            raise kubectl_error(_command_of(path), Reason.NOT_JSON, "the answer is not a list of objects") from None
        take_version(self.versions, path, version)
        return found

    def _asked(self, path: str, query: Mapping[str, str]) -> Answer:
        """The answer, even if it is a refusal."""
        try:
            answer = asked_patiently(lambda: self._client.get(path, query))
        except NoAnswerError as fault:
            raise failure(_command_of(path), str(fault), 1) from None
        if answer.status == 401:
            raise refusal(_command_of(path), answer)
        return answer


def asked_patiently(ask: Callable[[], Answer]) -> Answer:
    """The answer to a question that changes nothing, which is asked again while a retry may succeed."""
    for tries in range(1, _TRIES):
        answer = ask()
        if not answer.is_passing:
            return answer
        time.sleep(backoff(tries, random.random))
    return ask()


def _command_of(path: str) -> str:
    """The command that messages name, without the parameters of the page."""
    return command_text("get", "--raw", path)


def take_version(versions: dict[str, str], path: str, version: str) -> None:
    """Record the resourceVersion of a collection; all of them if those of a kind differ."""
    kind = path.rpartition("/")[2]
    known = versions[kind].split(", ") if kind in versions else []
    versions[kind] = ", ".join(dict.fromkeys([*known, version]))


_VERSION = lazy_pattern(r"v?([0-9]+\.[0-9]+\.[0-9]+.*)")

_MINOR = lazy_pattern(r"v(1\.[0-9]{1,3})(?![0-9])")

_TRUE = ("1", "t", "T", "true", "TRUE", "True")  # as Go reads it


class Known(NamedTuple):
    """What was read; empty if it could not be, with the reason and the request that failed."""

    text: str = ""
    why_not: Finding | None = None
    gates: tuple[str, ...] = ()
    """The feature gates that Kruise runs with, as `NAME=true`, of those that sidecarctl knows."""

    def notes(self, reason: Reason, consequence: str) -> Iterator[Finding]:
        """A note about what is not known, if anything."""
        if self.why_not:
            message = f"{consequence}: {self.why_not.message}"
            yield note(reason, message)._replace(place=self.why_not.place)


def uid_of(cluster: LiveCluster) -> Known:
    """The uid of the Namespace kube-system, which identifies the cluster.

    InputError, as of `kruise_of`, where the cluster does not answer.
    """
    try:
        return Known(str(cluster.object(SYSTEM)["metadata"]["uid"]))
    except InputError as fault:
        return Known(why_not=_missing(fault))


def kruise_of(cluster: LiveCluster) -> Known:
    """The version of Kruise that runs there."""
    try:
        manager = _manager(cluster.object(MANAGER))
    except InputError as fault:
        return Known(why_not=_missing(fault))
    image = str(manager.get("image") or "")
    version = version_in(image)
    why_not = None if version else note(Reason.KRUISE_UNKNOWN, f"its image is {image or 'not named'}")
    return Known(version, why_not, tuple(gates_in([*(manager.get("command") or ()), *(manager.get("args") or ())])))


def kubernetes_of(cluster: LiveCluster) -> Known:
    """The minor release of the Kubernetes server, such as `1.27`."""
    try:
        said = cluster.object(VERSION)
    except InputError as fault:
        return Known(why_not=_missing(fault))
    found = _MINOR.match(str(said.get("gitVersion") or ""))
    why_not = None if found else note(Reason.KUBERNETES_UNKNOWN, "the server reports no version 1.x")
    return Known(found[1] if found else "", why_not)


def _manager(deployment: Object) -> Object:
    """The container of Kruise's controller: `manager`, else the first."""
    containers: list[Object] = deployment["spec"]["template"]["spec"]["containers"]
    return next((container for container in containers if container["name"] == "manager"), containers[0])


def gates_in(words: Sequence[str]) -> Iterator[str]:
    """The known gates that a command line sets, in its order, as `NAME=true` or `NAME=false`."""
    for word, following in zip_longest(words, words[1:], fillvalue=""):
        option, joint, value = word.partition("=")
        if option.lstrip("-") != "feature-gates":
            continue
        for item in (value if joint else following).split(","):
            name, _, on = item.strip().partition("=")
            if name in GATES or name in STAGES:
                yield f"{name}={'true' if on in _TRUE else 'false'}"


def version_in(image: str) -> str:
    """The version that an image's tag names, without its v; empty for a digest, and for a tag that is no version."""
    if "@" in image:
        return ""
    tag = image.rpartition("/")[2].partition(":")[2]
    found = _VERSION.fullmatch(tag)
    return found[1] if found else ""


def _missing(fault: InputError) -> Finding:
    """The message of kubectl about a missing right or object; any other error is raised again."""
    [found] = fault.findings
    if found.reason not in (Reason.FORBIDDEN, Reason.RESOURCE_NOT_FOUND):
        raise fault
    return found


_HINT = "name it with --kruise"


def running_release(version: str, notes: Sequence[Finding]) -> tuple[Release | None, list[Finding]]:
    """The release of a version that a cluster runs, None if it is unknown; and the notes, with one about it.

    `version` is empty if it is not known, and one of the notes says why.
    """
    if not version:
        return None, [
            _with_default(finding) if finding.reason is Reason.KRUISE_UNKNOWN else finding for finding in notes
        ]
    try:
        release = running_release_named(version)
    except UnknownReleaseError as unknown:
        message = f"the cluster runs Kruise {version}, and {unknown}"
        return None, [*notes, _with_default(note(Reason.KRUISE_UNKNOWN, message))]
    is_newer = release.stands_for and not release.stands_for.removeprefix("v").startswith(f"{release.name}.")
    newer = ", which is newer than what sidecarctl knows" if is_newer else ""
    message = f"the cluster runs Kruise {version}{newer}: the behavior of {release.behavior} is computed"
    return release_named(release.name), [*notes, note(Reason.RUNNING_RELEASE, message)]


def _with_default(finding: Finding) -> Finding:
    """The note, saying what is computed instead."""
    message = f"{finding.message}; the behavior of {DEFAULT.behavior} is computed"
    return finding._replace(message=message, hint=_HINT)
