"""Findings for code hosts: annotations of a GitHub workflow, a GitLab code quality report."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from sidecarctl.facts.findings import Finding, Severity, note
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.operations.report import Report
from sidecarctl.reports.layout.documents import laid_out
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.output import RunEnd
from sidecarctl.reports.run.findings import (
    every_finding,
    most_severe_first,
    rule_id,
    said_of_all,
    with_fingerprints,
)
from sidecarctl.reports.run.summary import summary_of

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_SHOWN = 10


def report_github(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """A line for each finding, then the summary of the run."""
    findings = most_severe_first(every_finding(report))
    for finding in findings:
        yield f"{_annotation(finding, end)}\n"
    if max(Counter(finding.severity for finding in findings).values(), default=0) > _SHOWN:
        yield f"GitHub shows the first {_SHOWN} annotations of each severity; the others are in the lines above.\n"
    yield f"{shown(summary_of(report, end))}{f'; settings: {shown(end.config_from_the_top)}' if end.config else ''}\n"


def _annotation(finding: Finding, end: RunEnd) -> str:
    place, file = finding.place, end.file_of(finding.place)
    properties = {
        "file": file,
        "line": place and file and place.line,
        "col": place and file and place.column,
        "title": rule_id(finding),
    }
    fields = ",".join(f"{key}={_property(shown(str(value)))}" for key, value in properties.items() if value)
    return f"::{_COMMANDS[finding.severity]} {fields}::{_data(shown(said_of_all(finding, file)))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}
_LEVELS = 5
"""Indented levels of the JSON."""


def report_gitlab(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """The list of findings, most severe first, in parts."""
    findings = with_fingerprints([*most_severe_first(every_finding(report)), *_suppressed(report)], end)
    return laid_out([_entry(finding, fingerprint, end) for finding, fingerprint in findings], _LEVELS)


def _suppressed(report: Report[Any]) -> Iterator[Finding]:
    """The number of suppressed findings, as a finding: GitLab has no other place for it."""
    if report.suppressed:
        yield note(Reason.DOUBTFUL, f"{len(report.suppressed)} suppressed: list them with --show-suppressed")


def _entry(finding: Finding, fingerprint: str, end: RunEnd) -> Object:
    """The entry of a finding. GitLab needs a path and a line: findings without a file are at the project folder."""
    place, file = finding.place, end.file_of(finding.place)
    return {
        "description": shown(said_of_all(finding, file)),
        "check_name": rule_id(finding),
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": file or ".",
            "lines": {"begin": (place and file and place.line) or 1},
        },
    }
