"""Findings as rows of a page."""

from collections.abc import Iterable
from dataclasses import dataclass

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import path_text


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding in its parts; what is not known is empty. `code` is the rule's id, else the reason."""

    severity: str
    code: str
    place: str
    subject: str
    path: str
    message: str
    hint: str


def finding_rows(findings: Iterable[Finding]) -> tuple[FindingRow, ...]:
    """A row for each finding, in their order."""
    return tuple(map(finding_row, findings))


def finding_row(finding: Finding) -> FindingRow:
    """The row of a finding."""
    return FindingRow(
        str(finding.severity),
        finding.rule or str(finding.reason),
        str(finding.place or ""),
        str(finding.subject or ""),
        path_text(finding.path),
        finding.message,
        finding.hint,
    )
