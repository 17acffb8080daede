"""What the reports for machines share: version, behaviour, findings, the two forms of text."""

import json
from collections.abc import Collection, Sequence

from sidecarctl import BEHAVIOUR
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import path_text
from sidecarctl.facts.values import Object, Value
from sidecarctl.operations.transforming.forms import block_text

API_VERSION = "sidecarctl.dev/v1alpha1"


def document(kind: str, feature_gates: Collection[str] = ()) -> Object:
    """The members that a report of a kind begins with."""
    return {
        "apiVersion": API_VERSION,
        "kind": kind,
        "behaviour": BEHAVIOUR,
        "featureGates": sorted(feature_gates),
    }


def finding_documents(findings: Sequence[Finding]) -> list[Object]:
    """Findings as objects; what is empty or not known is left out."""
    return [_finding(finding) for finding in findings]


def _finding(finding: Finding) -> Object:
    subject, place = finding.subject, finding.place
    members: Object = {
        "severity": str(finding.severity),
        "reason": str(finding.reason),
        "message": finding.message,
        "path": path_text(finding.path),
        "object": subject and {key: value for key, value in zip(_REFERENCE, subject, strict=True) if value},
        "file": place and place.file,
        "line": place and place.line,
        "column": place and place.column,
        "hint": finding.hint,
    }
    return {key: value for key, value in members.items() if value}


_REFERENCE = ("apiVersion", "kind", "namespace", "name")


def json_text(report: Value) -> str:
    """A report as JSON."""
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"


def yaml_text(report: Object) -> str:
    """A report as YAML."""
    return block_text(report)
