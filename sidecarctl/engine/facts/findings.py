"""Findings about an input: what was found, about which object, where in which file; and how documents show them."""

import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from typing import NamedTuple, TypeVar

from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path, path_text


class Place(NamedTuple):
    """A position in an input file; lines and columns count from 1, None if unknown."""

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return ":".join(str(part) for part in self if part is not None)


class ObjectReference(NamedTuple):
    """The identity of an object."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        name = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind} {name}".strip()


def reference_of(manifest: Object) -> ObjectReference:
    """The reference of a manifest, a SidecarSet's without a namespace; parts that are absent or no text are empty."""
    metadata = manifest.get("metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    name = metadata.get("name") or metadata.get("generateName")
    namespace = metadata.get("namespace") if manifest.get("kind") != "SidecarSet" else ""  # the API server clears it
    parts = (manifest.get("apiVersion"), manifest.get("kind"), namespace, name)
    return ObjectReference(*[part if isinstance(part, str) else "" for part in parts])


def has_name(manifest: Object) -> bool:
    """Whether a manifest has a name; that of its reference may be a generateName."""
    metadata = manifest.get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("name"))


class Severity(StrEnum):
    """How much a finding matters: an error makes the command fail, a warning does so under `--strict`."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Finding(NamedTuple):
    """A finding: the message, the field, the object, the position, and a hint how to fix it.

    `rule` is the id of the validation rule that a finding comes from; empty for all others. `suppressed_by` is what
    suppresses it: `annotation`, `option`, `settings`, `baseline`, or `base` if it was there before the change; empty
    for a finding that is reported.
    """

    severity: Severity
    reason: Reason
    message: str
    path: Path = ()
    subject: ObjectReference | None = None
    place: Place | None = None
    hint: str = ""
    rule: str = ""
    suppressed_by: str = ""

    def __str__(self) -> str:
        where = [str(part) for part in (self.place, self.subject, path_text(self.path)) if part]
        text = ": ".join([*where, self.message])
        return f"{text} ({self.hint})" if self.hint else text


class PathRules(NamedTuple):
    """Rules that are ignored, severities and parameters, for findings in some files and folders, by their names."""

    paths: tuple[str, ...]
    ignored: frozenset[str] = frozenset()
    severities: Mapping[str, Severity] = {}
    parameters: Mapping[str, Object] = {}

    def hold_for(self, file: str) -> bool:
        """Whether they hold for a file; both its name and the paths are absolute, or from the same folder."""
        return any(_is_within(file, path) for path in self.paths)


def _is_within(file: str, path: str) -> bool:
    inner, outer = posixpath.normpath(file), posixpath.normpath(path)
    return inner == outer or inner.startswith(f"{outer.rstrip('/')}/")


class RuleSettings(NamedTuple):
    """How the rules of `validate` apply: which are ignored, and changed severities, by id.

    - `parameters`: values of parameters that some rules have, by id.
    - `by_path`: the same for some files and folders; the last that fits wins. `here`: the absolute folder from which
      files are named; empty without rules for some files only.
    - `allow_unknown`: what the release of Kruise does not know is a warning, else an error.
    - `strict`: a missing whitelist is an error, as it is for Kruise.
    - `obeys_annotations`: whether annotations of SidecarSets suppress findings.
    - `kubernetes`: the minor release of Kubernetes 1 that the pods are for; None if not given.
    """

    ignored: frozenset[str] = frozenset()
    severities: Mapping[str, Severity] = {}
    allow_unknown: bool = False
    strict: bool = False
    obeys_annotations: bool = True
    kubernetes: int | None = None
    by_path: tuple[PathRules, ...] = ()
    parameters: Mapping[str, Object] = {}
    here: str = ""

    def parameters_of(self, rule: str, file: str) -> Object:
        """The parameters that are given to a rule for what is in a file."""
        found: Object = {**self.parameters.get(rule, {})}
        for item in self.by_path if self.here and file else ():
            if rule in item.parameters and item.hold_for(posixpath.join(self.here, file)):
                found |= item.parameters[rule]
        return found


def warning(reason: Reason, message: str, path: Path = (), *, hint: str = "") -> Finding:
    """A warning about a field; the caller that knows the object and the file adds them."""
    return Finding(Severity.WARNING, reason, message, path, hint=hint)


def error(reason: Reason, message: str, path: Path = (), *, hint: str = "") -> Finding:
    """An error about a field; the caller that knows the object and the file adds them."""
    return Finding(Severity.ERROR, reason, message, path, hint=hint)


def as_warning(finding: Finding) -> Finding:
    """The finding as a warning, which does not make the command fail."""
    return finding._replace(severity=Severity.WARNING)


def note(reason: Reason, message: str, path: Path = ()) -> Finding:
    """A finding that needs no action."""
    return Finding(Severity.NOTE, reason, message, path)


_MOST = 1000
_Found = TypeVar("_Found")


def first_of(found: Iterator[_Found], finding_of: Callable[[_Found], Finding], others: str) -> list[Finding]:
    """The first thousand findings of one object, and one that says how many others there are.

    A list of ten megabytes can hold millions of wrong items.
    """
    listed = [finding_of(each) for each in islice(found, _MOST)]
    more = sum(1 for _ in found)
    return [*listed, listed[0]._replace(message=f"{others}: {more:,}", path=(), hint="")] if more else listed


API_VERSION = "sidecarctl.dev/v1alpha1"


def document_head(kind: str, behavior: str, feature_gates: Collection[str] = ()) -> Object:
    """The members that a document of a kind begins with; `behavior` names the Kruise that was computed."""
    return {
        "apiVersion": API_VERSION,
        "kind": kind,
        "behavior": behavior,
        "featureGates": sorted(feature_gates),
    }


_FORMERLY = "behaviour"
"""How documents spelled `behavior` before 0.1.0; the digest of such a plan covers what it has."""


def spelled_now(document: Object) -> Object:
    """A document with the member `behavior` spelled as in documents of today."""
    if _FORMERLY not in document or "behavior" in document:
        return document
    return {"behavior" if key == _FORMERLY else key: value for key, value in document.items()}


def behavior_of(document: Object) -> str:
    """The Kruise whose behavior a document that has passed its schema was computed with."""
    return str(document[_FORMERLY] if _FORMERLY in document else document["behavior"])


_REFERENCE = ("apiVersion", "kind", "namespace", "name")


def findings_json(findings: Iterable[Finding]) -> list[Object]:
    """Findings as objects; what is empty or not known is left out."""
    return [finding_json(finding) for finding in findings]


def finding_json(finding: Finding) -> Object:
    """One finding as an object."""
    subject = finding.subject
    members: Object = {
        "severity": str(finding.severity),
        "reason": str(finding.reason),
        "message": finding.message,
        "path": path_text(finding.path),
        "object": subject and reference_json(subject),
        **place_json(finding.place),
        "hint": finding.hint,
        "rule": finding.rule,
        "suppressedBy": finding.suppressed_by,
    }
    return {key: value for key, value in members.items() if value}


def reference_json(reference: ObjectReference) -> Object:
    """An object's identity; what is empty is left out."""
    return {key: value for key, value in zip(_REFERENCE, reference, strict=True) if value}


def place_json(place: Place | None) -> Object:
    """A place as members of what is there; what is not known is left out."""
    if place is None or not place.file:
        return {}
    return {key: value for key, value in place._asdict().items() if value is not None}


# Control characters, and those that change the direction of the text.
_UNSEEN = lazy_pattern("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def shown(text: str) -> str:
    """The text on one line, with unprintable characters replaced."""
    return text if text.isprintable() else _UNSEEN.sub("\ufffd", text)


def named(names: Sequence[object], most: int | None = 3, joint: str = " and") -> str:
    """`shop/web-0, shop/web-1, shop/web-2 and 997 more`; all of them without a limit."""
    said = ", ".join(map(str, names[:most]))
    return said if most is None or len(names) <= most else f"{said}{joint} {len(names) - most:,} more"
