"""Finds documents that cannot matter to a command without parsing them: 80 to 99% of the bytes of a repository.

A document that is not parsed counts as an object of its apiVersion and kind, and is copied unchanged. A command would
do the same with it after parsing it:

- Its header is certain (`header_of`), and its kind is not in any table: it has no pod templates (`taught` included),
  does not affect pods, is not a List, and is not a kind that the command uses.
- No finding is about it: it is not a misspelled SidecarSet, and does not contain pods of an unknown kind, which have
  `containers`. A ConfigMap is not Kruise's whitelist, because that name does not occur in it. A document that may
  spell these words differently is parsed.

See docs/internals/proof.md, "Documents that are not parsed".
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from sidecarctl.engine.api.workload_kinds import BY_OPERATOR
from sidecarctl.engine.api.workloads import BY_KIND
from sidecarctl.engine.documents.reading.document import Document
from sidecarctl.engine.documents.reading.streams import header_of, hides_words
from sidecarctl.engine.facts.errors import in_file
from sidecarctl.engine.facts.findings import API_VERSION, Finding, ObjectReference, error, note, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.inputs.unknown_templates import never_holds_pods, pod_specs
from sidecarctl.engine.sidecarset.sets import GROUP, WHITELIST, WHITELIST_KEY

_LIKE_A_SIDECARSET = "sidecars"
_VERSIONS = tuple(f"{GROUP}/{version}" for version in ("v1beta1", "v1alpha1"))
_KINDS = ("SidecarSet", "SidecarSetList")
_NEAR = 0.8


def near_headers(document: Document, file: str) -> list[Finding]:
    """Warnings about a document that looks like a SidecarSet at its top, but is not one."""
    if not _is_suspicious(document.value):
        return []
    findings = [finding._replace(place=document.place(finding.path)) for finding in header_findings(document.value)]
    return in_file(findings, file)


def _is_suspicious(value: Value) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("kind") == "SidecarSet" and str(value.get("apiVersion")).startswith(f"{GROUP}/"):
        return False
    return any(isinstance(word, str) and _LIKE_A_SIDECARSET in word.lower() for word in value.values())


def may_be_near(kind: str) -> bool:
    """Whether a kind is spelled almost like SidecarSet, judged by the letters that they share."""
    own = Counter(kind.lower())
    common = ((own & Counter(known.lower()), known) for known in _KINDS)
    return any(2 * shared.total() >= _NEAR * (len(kind) + len(known)) for shared, known in common)


def header_findings(document: Value) -> Iterator[Finding]:
    """Warnings about apiVersion and kind of a document that is almost a SidecarSet; none for any other document."""
    if not isinstance(document, dict) or not _is_meant(document):
        return
    for key, known in (("kind", _KINDS), ("apiVersion", _VERSIONS)):
        written = _nearest(key, document)
        if written is None:
            yield _near((), f"{key} is missing", f"write {key}: {known[0]}")
        elif written != key:
            hint = "put a line break after ---" if written.startswith("---") else f"write {key}: {known[0]}"
            yield _near((written,), f"{written} is not a field of an object", hint)
        elif document[key] not in known:
            yield _near((key,), f'unknown {key} "{document[key]}"', f"write {key}: {_closest(document[key], known)}")


def _is_meant(document: Object) -> bool:
    """Whether the kind is almost SidecarSet, and the group is Kruise's, almost Kruise's, or missing."""
    kind, version = _nearest("kind", document), _nearest("apiVersion", document)
    if kind is None or not _is_near(document[kind], _KINDS):
        return False
    return version is None or _is_near(document[version], _VERSIONS) or GROUP in str(document[version])


def _nearest(key: str, document: Object) -> str | None:
    """The key as written, possibly misspelled."""
    if key in document:
        return key
    return next((item for item in document if _is_near(item, (key,))), None)


def _is_near(text: Value, known: Iterable[str]) -> bool:
    return isinstance(text, str) and any(_ratio(text, item) >= _NEAR for item in known)


def _closest(text: Value, known: Iterable[str]) -> str:
    return max(known, key=lambda item: _ratio(str(text), item))


def _ratio(text: str, known: str) -> float:
    from difflib import SequenceMatcher  # few documents get here

    item, other = text.strip().lower(), known.lower()
    return SequenceMatcher(None, item, other, autojunk=False).ratio()


def _near(path: Path, message: str, hint: str) -> Finding:
    return warning(Reason.DOUBTFUL, message, path, hint=hint)._replace(rule="near-header")


def strangers(document: Document, file: str) -> list[Finding]:
    """The finding about a document that is no object of Kubernetes, which kubectl refuses.

    An error for a list of objects, a note for any other document with containers.
    """
    value = document.value
    if not isinstance(value, dict | list) or (isinstance(value, dict) and value.get("kind")):
        return []
    findings = [finding._replace(place=document.place(finding.path)) for finding in _strange(value)]
    return in_file(findings, file)


def _strange(value: Object | list[Value]) -> Iterator[Finding]:
    if isinstance(value, list):
        if value and all(map(_is_object, value)):
            message = "a list of objects is not a manifest, and kubectl rejects it"
            hint = "write apiVersion: v1, kind: List and items, or a document for each object"
            yield error(Reason.WRONG_TYPE, message, hint=hint)
        elif any(_has_containers(item) for item in value):
            yield _ignored((0,), "is a list", "a manifest has apiVersion and kind at its top")
    elif _has_containers(value):
        yield _ignored(*_looks(value))


def _ignored(path: Path, looks: str, hint: str) -> Finding:
    message = f"the document has containers, but {looks}: it is not a Kubernetes object, and is left out"
    return note(Reason.DOUBTFUL, message, path)._replace(hint=hint)


def _looks(value: Object) -> tuple[Path, str, str]:
    """What the document looks like: where, in words, and how to fix it."""
    misspelled = next((key for key in value if str(key).lower() == "kind"), None)
    if misspelled is not None:
        looks = "its kind is empty" if misspelled == "kind" else f"{misspelled} is not kind"
        return (misspelled,), looks, "write kind: with the kind of the object"
    items = value.get("items")
    if isinstance(items, list) and any(map(_is_object, items)):
        return ("items",), "it has items and no kind: List", "write kind: List"
    if (named := next((key for key, member in value.items() if _is_object(member)), None)) is not None:
        return (named,), "it is a map of names to objects", "write a document for each object"
    if "---apiVersion" in value or "---kind" in value:
        return (), "--- is taken for a part of a key", "put a line break after ---"
    if isinstance(value.get("apiVersion"), str):
        return ("apiVersion",), "it has no kind", "write kind: with the kind of the object"
    return (), "it has no apiVersion and kind", "a file of values or a patch is not a manifest"


def _is_object(value: Value) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(key), str) for key in ("apiVersion", "kind"))


def _has_containers(value: Value) -> bool:
    return isinstance(value, dict | list) and next(pod_specs(value), None) is not None


DECIDING_KINDS = {
    "SidecarSet": GROUP,
    "Namespace": "",
    "ControllerRevision": "apps",
    "MutatingWebhookConfiguration": "admissionregistration.k8s.io",
    "WorkloadSpread": GROUP,
    "PersistentPodState": GROUP,
    "PodProbeMarker": GROUP,
    "PodUnavailableBudget": "policy.kruise.io",
}
"""The kinds whose objects affect pods, with their API groups."""

_PODS = b"containers"
_SERVICE, _TEMPLATE = ("v1", "Service"), b"template"
"""A Service with a template is meant for Knative; no other Service is a workload."""
_KNOWN_KINDS = frozenset(kind for kind, _ in BY_KIND)
_WHITELIST = (WHITELIST.name.encode(), WHITELIST_KEY.encode())
_OURS = API_VERSION.partition("/")[0]

# A document whose bytes name none of these cannot contain such a kind, unless it hides words.
_NAMES = (*(kind.encode() for kind in DECIDING_KINDS), *_WHITELIST)


def may_decide(data: bytes) -> bool:
    """Whether the bytes of a document could contain an object that affects pods."""
    return any(name in data for name in _NAMES) or hides_words(data)


def names_a_sidecarset(data: bytes) -> bool:
    """Whether the bytes of a document mention SidecarSets."""
    return b"SidecarSet" in data


class FirstLook(NamedTuple):
    """Which documents a command parses; all of them unless `is_on`.

    `taught` are the kinds with pod templates from the user, `used` the kinds that the command itself uses.
    """

    is_on: bool = False
    taught: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()

    def using(self, kinds: frozenset[str]) -> "FirstLook":
        """The first look of a command that uses objects of these kinds."""
        return self._replace(used=kinds)

    def passed(self, data: bytes) -> ObjectReference | None:
        """The kind of the object in a document that does not have to be parsed, without its name; else None."""
        found = self._deciding_nothing(data)
        if found is None or found.kind in self.taught or found.kind in self.used:
            return None
        if _is_known(found) and (found[:2] != _SERVICE or _TEMPLATE in data):
            return None
        return None if not never_holds_pods(found) and (_PODS in data or hides_words(data)) else found

    def decides_nothing(self, data: bytes) -> bool:
        """Whether a document certainly has an object that does not affect pods, nor is a misspelled SidecarSet."""
        return self._deciding_nothing(data) is not None

    def _deciding_nothing(self, data: bytes) -> ObjectReference | None:
        found = header_of(data) if self.is_on else None
        if found is None or _may_decide(found):
            return None
        is_whitelist = found.kind == "ConfigMap" and (any(name in data for name in _WHITELIST) or hides_words(data))
        return None if is_whitelist else found


EVERYTHING = FirstLook()
"""Everything is parsed."""


@lru_cache(maxsize=1024)
def _may_decide(found: ObjectReference) -> bool:
    """Whether an object of that kind may affect pods, contain one that does, or be a misspelled SidecarSet."""
    return found.kind in DECIDING_KINDS or found.kind.endswith("List") or may_be_near(found.kind)


@lru_cache(maxsize=1024)
def _is_known(found: ObjectReference) -> bool:
    """Whether the table has the pod templates of such an object, or the object is one of ours.

    A kind of the table in another group without a dot (a group of Kubernetes) is a mistake; in a group with a dot it
    is another kind.
    """
    group = found.api_version.rpartition("/")[0]
    if group == _OURS or (found.kind, group) in BY_KIND or (found.kind, group) in BY_OPERATOR:
        return True
    return "." not in group and found.kind in _KNOWN_KINDS
