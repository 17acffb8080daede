"""The JSON of a finding: the same shape in every document that has findings (schemas/)."""

from collections.abc import Iterable

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import path_text
from sidecarctl.facts.references import ObjectReference
from sidecarctl.facts.values import Object

_REFERENCE = ("apiVersion", "kind", "namespace", "name")


def findings_json(findings: Iterable[Finding]) -> list[Object]:
    """Findings as objects; what is empty or not known is left out."""
    return [finding_json(finding) for finding in findings]


def finding_json(finding: Finding) -> Object:
    """One finding as an object."""
    subject, place = finding.subject, finding.place
    members: Object = {
        "severity": str(finding.severity),
        "reason": str(finding.reason),
        "message": finding.message,
        "path": path_text(finding.path),
        "object": subject and reference_json(subject),
        "file": place and place.file,
        "line": place and place.line,
        "column": place and place.column,
        "hint": finding.hint,
        "rule": finding.rule,
    }
    return {key: value for key, value in members.items() if value}


def reference_json(reference: ObjectReference) -> Object:
    """An object's identity; what is empty is left out."""
    return {key: value for key, value in zip(_REFERENCE, reference, strict=True) if value}
