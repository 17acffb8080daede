"""Requests to the API: their paths, which ones a proxy allows, the answers, and when to retry.

Every part of a path that comes from outside is quoted. The patterns of `kubectl proxy` are found anywhere in a text
unless they are anchored, an option's value is split at commas, the path is matched without its query, and every
accepted path is accepted with every method that is not rejected.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias
from urllib.parse import quote

from sidecarctl.engine.facts.values import Object


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the API server: the status code of HTTP, the object, and how many seconds it asks to wait.

    `text` is the object as it came.
    """

    status: int
    body: Object
    retry_after: float | None = None
    text: bytes = field(default=b"", compare=False, repr=False)

    @property
    def is_good(self) -> bool:
        """Whether the request succeeded."""
        return 200 <= self.status < 300

    @property
    def is_passing(self) -> bool:
        """Whether a retry may succeed."""
        return self.status >= 500 or self.status == 429

    @property
    def reason(self) -> str:
        """The API's reason for a refusal, such as `Conflict`; empty if it names none."""
        return "" if self.is_good else str(self.body.get("reason") or "")

    @property
    def message(self) -> str:
        """The message of a refusal."""
        return "" if self.is_good else str(self.body.get("message") or f"HTTP status {self.status}")


_SHOWN = 300
"""Characters of a message that are shown: some hold a whole object, or a long difference."""


def shortened(message: str) -> str:
    """A message, cut if it is very long."""
    return message if len(message) <= _SHOWN else message[:_SHOWN] + " ..."


class NoAnswerError(Exception):
    """The API server did not answer; the text says why.

    `may_be_done`: the request may have reached the server anyway, and may have been carried out.
    """

    def __init__(self, message: str, *, may_be_done: bool = True) -> None:
        super().__init__(message)
        self.may_be_done = may_be_done


class RequestRefusedError(Exception):
    """The API server refused a request for a streamed answer."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.message)
        self.answer = answer


class ProxyGoneError(NoAnswerError):
    """The proxy has ended, so there will be no more answers; nothing was sent."""

    def __init__(self) -> None:
        super().__init__("kubectl proxy has ended", may_be_done=False)


SIDECARSET_VERSIONS = ("v1beta1", "v1alpha1")
"""The API versions of SidecarSet, newest first; Kruise up to 1.8 serves only the second."""
KRUISE_NAMESPACE = "kruise-system"
SYSTEM = "/api/v1/namespaces/kube-system"
VERSION = "/version"
MANAGER = f"/apis/apps/v1/namespaces/{KRUISE_NAMESPACE}/deployments/kruise-controller-manager"
REVISIONS = f"/apis/apps/v1/namespaces/{KRUISE_NAMESPACE}/controllerrevisions"
ALL_PODS = "/api/v1/pods"
WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
BUDGET_VERSIONS = ("v1beta1", "v1alpha1")
"""The API versions of PodUnavailableBudget, newest first."""
WORKLOADS = (
    "/apis/apps/v1/deployments",
    "/apis/apps/v1/replicasets",
    "/apis/apps/v1/statefulsets",
    "/apis/apps.kruise.io/v1alpha1/clonesets",
    "/apis/apps.kruise.io/v1beta1/statefulsets",
)
"""The workloads whose replicas PodUnavailableBudgets count."""
DISRUPTION_BUDGETS = "/apis/policy/v1/poddisruptionbudgets"
RECREATING = (
    *WORKLOADS,
    "/apis/apps/v1/daemonsets",
    "/apis/apps.kruise.io/v1alpha1/daemonsets",
    DISRUPTION_BUDGETS,
)
"""The workloads that create pods again, and the budgets of evictions."""
NAMESPACES = "/api/v1/namespaces"
ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


def pods_path(namespace: str) -> str:
    """The pods of a namespace, or of all namespaces if it is empty."""
    return f"/api/v1/namespaces/{_segment(namespace)}/pods" if namespace else ALL_PODS


def pod_path(namespace: str, name: str) -> str:
    """A pod."""
    return f"{pods_path(namespace)}/{_segment(name)}"


def namespace_path(name: str) -> str:
    """A namespace."""
    return f"/api/v1/namespaces/{_segment(name)}"


def unavailable_budgets_path(version: str) -> str:
    """The PodUnavailableBudgets of all namespaces in an API version."""
    return f"/apis/policy.kruise.io/{version}/podunavailablebudgets"


def disruption_budgets_path(namespace: str) -> str:
    """The PodDisruptionBudgets of a namespace."""
    return f"/apis/policy/v1/namespaces/{_segment(namespace)}/poddisruptionbudgets"


def sidecarsets_path(version: str) -> str:
    """The SidecarSets in an API version."""
    return f"/apis/apps.kruise.io/{version}/sidecarsets"


def _segment(text: str) -> str:
    """A name as one segment of a path: never `..`, never empty."""
    if text in ("", ".", ".."):
        raise ValueError(f"not the name of an object: {text!r}")
    return quote(text, safe="")


METHODS = ("GET", "PATCH")
"""The methods that a proxy allows by default."""


def accepted_paths(paths: Iterable[str]) -> str:
    """The value of --accept-paths for paths of the API, in which `*` is any one segment."""
    return ",".join(f"^{'/'.join(map(_segment_pattern, path.split('/')))}$" for path in paths)


def rejected_methods(methods: Sequence[str] = METHODS) -> str:
    """The value of --reject-methods for all but some: a proxy can only accept paths, and Go has no "other than"."""
    return ",".join(_others("", methods))


def _segment_pattern(text: str) -> str:
    return "[^/]+" if text == "*" else "".join(map(_literal, text))


def _literal(character: str) -> str:
    """A character that means itself and is not a comma."""
    is_plain = character.isascii() and (character.isalnum() or character in "-_")
    code = ord(character)
    return character if is_plain else f"\\x{code:02x}" if code < 256 else f"\\x{{{code:x}}}"


def _others(begin: str, methods: Sequence[str]) -> Iterator[str]:
    """Patterns for every text that begins like this and is not one of some methods."""
    following = sorted({method[len(begin)] for method in methods if method.startswith(begin) and method != begin})
    if begin in methods:
        yield f"^{begin}."
    else:
        yield f"^{begin}$"
        yield f"^{begin}[^{''.join(following)}]"
    for character in following:
        yield from _others(begin + character, methods)


_FIRST, _LONGEST = 0.5, 15.0  # seconds


def backoff(tries: int, chance: Callable[[], float]) -> float:
    """Seconds to wait after this many failures in a row: doubled each time, minus a random part of up to a half.

    `chance` gives numbers from 0 to 1.
    """
    return float(min(_FIRST * 2 ** min(tries - 1, 16), _LONGEST) * (1 - chance() / 2))


PAGE = 500
"""Objects per page: as many as kubectl itself requests."""

WHOLE = 0
"""The size of a page that holds the whole list."""

Get: TypeAlias = Callable[[str, Mapping[str, str]], Answer]
"""Reads a path with a query."""

_GONE = 410
_NOTHING: Mapping[str, str] = MappingProxyType({})


class ForgottenError(NoAnswerError):
    """The server no longer has the list as of its first page; it can still be read in one piece."""

    def __init__(self) -> None:
        super().__init__("the server forgot the list before its last page was read", may_be_done=False)


class NoListError(Exception):
    """The server's answer is not a list of objects."""


class Moment:
    """The resourceVersion at which all collections of a kind are read: that of the first one. Thread-safe."""

    def __init__(self) -> None:
        self.version = ""
        self.held = threading.Lock()


def pages(
    get: Get, path: str, query: Mapping[str, str] = _NOTHING, *, size: int = PAGE, moment: Moment | None = None
) -> Iterator[Answer]:
    """The pages of a collection, all of one resourceVersion; with a `moment` that of other collections, too.

    RequestRefusedError if the server does not give it, ForgottenError if the rest of that version is gone,
    NoListError for another answer.
    """
    token, version = "", ""
    while True:
        if token:
            answer = get(path, {**query, "limit": str(size), "continue": token})
        else:
            answer = _first(get, path, {**query, "limit": str(size)}, moment)
        token, found = _checked(answer)
        if version and found != version:
            raise ForgottenError
        version = found
        yield answer
        if not token:
            return


def page_version(page: Answer) -> str:
    """The resourceVersion of a page."""
    return str(page.body["metadata"]["resourceVersion"])


def _first(get: Get, path: str, query: Mapping[str, str], moment: Moment | None) -> Answer:
    with moment.held if moment else nullcontext():
        if moment and moment.version:
            query = {**query, "resourceVersion": moment.version, "resourceVersionMatch": "Exact"}
        answer = get(path, query)
        if moment and answer.is_good and not moment.version:
            _checked(answer)
            moment.version = page_version(answer)
        return answer


def _checked(answer: Answer) -> tuple[str, str]:
    """The token of the next page, and the resourceVersion of the list."""
    if answer.status == _GONE:
        raise ForgottenError
    if not answer.is_good:
        raise RequestRefusedError(answer)
    metadata = answer.body.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(answer.body.get("items") or [], list):
        raise NoListError
    return str(metadata.get("continue") or ""), str(metadata.get("resourceVersion") or "")
