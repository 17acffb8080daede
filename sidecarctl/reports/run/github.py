"""Findings as annotations of a GitHub workflow.

GitHub shows ten errors, ten warnings and ten notices for a step, so the most severe come first.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.operations.report import Report
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.run.every_finding import every_finding, most_severe_first, relative_file, said
from sidecarctl.reports.run.rule_texts import rule_id
from sidecarctl.reports.run.run_end import RunEnd
from sidecarctl.reports.run.summary import summary_of

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_SHOWN = 10


def report_github(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """A line for each finding, then the summary of the run."""
    findings = most_severe_first(every_finding(report))
    for finding in findings:
        yield f"{_annotation(finding, end.folder)}\n"
    if max(Counter(finding.severity for finding in findings).values(), default=0) > _SHOWN:
        yield f"GitHub shows the first {_SHOWN} annotations of each severity; the others are in the lines above.\n"
    yield f"{shown(summary_of(report, end))}\n"


def _annotation(finding: Finding, folder: str) -> str:
    place = finding.place
    properties = {
        "file": relative_file(place.file, folder) if place else None,
        "line": place and place.line,
        "col": place and place.column,
        "title": rule_id(finding),
    }
    fields = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items() if value)
    subject = f"{finding.subject}: " if finding.subject else ""
    return f"::{_COMMANDS[finding.severity]} {fields}::{_data(shown(subject + said(finding)))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
