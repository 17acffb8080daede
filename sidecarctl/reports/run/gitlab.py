"""What was found as GitLab's code quality report."""

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
from sidecarctl.reports.run.run_end import RunEnd

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}
_LEVELS = 5
"""Of JSON that are indented."""


def report_gitlab(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """The list of findings, most severe first, in parts."""
    findings = with_fingerprints(most_severe_first(every_finding(report)), end.folder)
    return laid_out([_entry(finding, fingerprint, end.folder) for finding, fingerprint in findings], _LEVELS)


def _entry(finding: Finding, fingerprint: str, folder: str) -> Object:
    """GitLab needs a path and a line of each: what belongs to no file is at the project's own folder."""
    place = finding.place
    subject = f"{finding.subject}: " if finding.subject else ""
    return {
        "description": shown(subject + said(finding)),
        "check_name": str(finding.reason),
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": relative_file(place.file, folder) if place else ".",
            "lines": {"begin": (place and place.line) or 1},
        },
    }
