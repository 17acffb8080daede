"""Documents that nearly name a SidecarSet: no command may skip them silently."""

from collections import Counter
from collections.abc import Iterable, Iterator

from sidecarctl.documents.reading.document import Document
from sidecarctl.facts.errors import in_file
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Path, Value
from sidecarctl.sidecarset.sets import GROUP

_LIKE_A_SIDECARSET = "sidecars"
_VERSIONS = tuple(f"{GROUP}/{version}" for version in ("v1beta1", "v1alpha1"))
_KINDS = ("SidecarSet", "SidecarSetList")
_NEAR = 0.8


def near_headers(document: Document, file: str) -> list[Finding]:
    """Warnings about a document that some word at its top says is a SidecarSet, and that is none."""
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
    """Whether a kind is almost that of SidecarSets, as far as the letters tell that they have in common."""
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
            yield _near((written,), f"{written} is not a field of an object", f"write {key}: {known[0]}")
        elif document[key] not in known:
            yield _near((key,), f'unknown {key} "{document[key]}"', f"write {key}: {_closest(document[key], known)}")


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
    from difflib import SequenceMatcher  # few documents come here

    item, other = text.strip().lower(), known.lower()
    return SequenceMatcher(None, item, other, autojunk=False).ratio()


def _near(path: Path, message: str, hint: str) -> Finding:
    return warning(Reason.DOUBTFUL, message, path, hint=hint)._replace(rule="near-header")
