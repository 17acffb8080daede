"""Documents that are almost SidecarSets, which every other command would silently skip."""

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object, Value
from sidecarctl.sidecarset.sets import GROUP
from sidecarctl.validation.rules import warned

_VERSIONS = tuple(f"{GROUP}/{version}" for version in ("v1beta1", "v1alpha1"))
_KINDS = ("SidecarSet", "SidecarSetList")
_NEAR = 0.8

HEADER = warned(
    "near-header",
    "A document that is meant to be a SidecarSet has its apiVersion and kind.",
    why="With another spelling it is another kind of object, and injects nothing.",
    mend="write apiVersion: apps.kruise.io/v1beta1 and kind: SidecarSet",
    within="stream",
    fails="""\
apiVersion: apps:kruise.io/v1alpha1
kind: SidecarSet
metadata: {name: agent}
""",
    passes="""\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: agent}
spec: {selector: {matchLabels: {app: web}}, containers: [{name: agent, image: 'agent:1.2'}]}
""",
)


def header_findings(document: Value) -> Iterator[Finding]:
    """Errors in apiVersion and kind of a document that is almost a SidecarSet; none for any other document."""
    if not isinstance(document, dict) or not _is_meant(document):
        return
    for key, known in (("kind", _KINDS), ("apiVersion", _VERSIONS)):
        written = _nearest(key, document)
        if written is None:
            yield HEADER.at((), f"{key} is missing", f"write {key}: {known[0]}")
        elif written != key:
            yield HEADER.at((written,), f"{written} is not a field of an object", f"write {key}: {known[0]}")
        elif document[key] not in known:
            yield HEADER.at(
                (key,), f'unknown {key} "{document[key]}"', f"write {key}: {_closest(document[key], known)}"
            )


def _is_meant(document: Object) -> bool:
    """Whether the kind is almost SidecarSet, and the group that of Kruise, almost that, or missing."""
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
    item, other = text.strip().lower(), known.lower()
    return SequenceMatcher(None, item, other, autojunk=False).ratio()
