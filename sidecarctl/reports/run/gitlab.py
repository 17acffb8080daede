"""Findings as a GitLab code quality report."""

from collections.abc import Iterator
from typing import Any

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.values import Object
from sidecarctl.operations.report import Report
from sidecarctl.reports.layout.json_lines import laid_out
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.run.every_finding import (
    every_finding,
    most_severe_first,
    relative_file,
    said,
    with_fingerprints,
)
from sidecarctl.reports.run.rule_texts import rule_id
from sidecarctl.reports.run.run_end import RunEnd

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}
_LEVELS = 5
"""Indented levels of the JSON."""


def report_gitlab(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """The list of findings, most severe first, in parts."""
    findings = with_fingerprints(most_severe_first(every_finding(report)), end.folder)
    return laid_out([_entry(finding, fingerprint, end.folder) for finding, fingerprint in findings], _LEVELS)


def _entry(finding: Finding, fingerprint: str, folder: str) -> Object:
    """The entry of a finding. GitLab needs a path and a line: findings without a file are at the project folder."""
    place = finding.place
    subject = f"{finding.subject}: " if finding.subject else ""
    return {
        "description": shown(subject + said(finding)),
        "check_name": rule_id(finding),
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": relative_file(place.file, folder) if place else ".",
            "lines": {"begin": (place and place.line) or 1},
        },
    }
