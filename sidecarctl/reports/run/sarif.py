"""What was found as SARIF 2.1.0, within the limits of GitHub's code scanning.

Findings with a file are results; those without are notifications, since GitHub refuses results without a location.
GitHub refuses more than 25,000 results, and shows the first 5,000: the most severe come first.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from sidecarctl import __version__
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.reason_remedies import REMEDIES
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place
from sidecarctl.facts.values import Object
from sidecarctl.operations.report import Report
from sidecarctl.reports.layout.documents import json_parts
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.run.every_finding import (
    every_finding,
    most_severe_first,
    relative_file,
    said,
    with_fingerprints,
)
from sidecarctl.reports.run.run_end import RunEnd

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_MOST_RESULTS = 25_000
_LEVELS: Mapping[Severity, str] = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def report_sarif(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """The log of one run, in parts."""
    findings = most_severe_first(every_finding(report))
    rules = {reason: index for index, reason in enumerate(dict.fromkeys(finding.reason for finding in findings))}
    results = [finding for finding in findings if finding.place]
    notifications = [_notification(finding, rules) for finding in findings if not finding.place]
    if len(results) > _MOST_RESULTS:
        notifications.append(_left_out(len(results) - _MOST_RESULTS))
    run = {
        "tool": {"driver": {"name": "sidecarctl", "version": __version__, "rules": [*map(_rule, rules)]}},
        "automationDetails": {"id": f"sidecarctl/{end.command}/"},
        "invocations": [
            {
                "executionSuccessful": not report.failure,
                "exitCode": end.exit_code,
                "toolExecutionNotifications": notifications,
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": _results(results[:_MOST_RESULTS], rules, end.folder),
    }
    return json_parts({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(reason: Reason) -> Object:
    return {
        "id": str(reason),
        "name": str(reason),
        "shortDescription": {"text": reason.sentence},
        "fullDescription": {"text": f"{reason.sentence} {REMEDIES[reason]}"},
        "help": {"text": REMEDIES[reason]},
    }


def _results(findings: Iterable[Finding], rules: Mapping[Reason, int], folder: str) -> Iterator[Object]:
    for finding, fingerprint in with_fingerprints(findings, folder):
        yield {
            "ruleId": str(finding.reason),
            "ruleIndex": rules[finding.reason],
            "level": _LEVELS[finding.severity],
            "message": {"text": shown(said(finding))},
            "locations": [_location(finding, finding.place, folder)] if finding.place else [],
            # The first is the one that GitHub matches alerts by.
            "partialFingerprints": {"primaryLocationLineHash": fingerprint, "sidecarctl/v1": fingerprint},
        }


def _location(finding: Finding, place: Place, folder: str) -> Object:
    region = {"startLine": place.line or 1} | ({"startColumn": place.column} if place.column else {})
    location: Object = {"physicalLocation": {"artifactLocation": {"uri": _uri(place.file, folder)}, "region": region}}
    if finding.subject:
        location["logicalLocations"] = [{"fullyQualifiedName": shown(str(finding.subject)), "kind": "object"}]
    return location


def _uri(file: str, folder: str) -> str:
    """A relative reference; a file elsewhere has an absolute URI."""
    path = relative_file(file, folder)
    quoted = quote(path, errors="surrogateescape")  # a colon too: it would end the scheme of a URI
    return f"file://{quoted}" if path.startswith("/") else quoted


def _notification(finding: Finding, rules: Mapping[Reason, int]) -> Object:
    subject = f"{finding.subject}: " if finding.subject else ""
    return {
        "level": _LEVELS[finding.severity],
        "message": {"text": shown(subject + said(finding))},
        "associatedRule": {"id": str(finding.reason), "index": rules[finding.reason]},
    }


def _left_out(number: int) -> Object:
    text = f"{number} less severe findings are left out: GitHub refuses more than {_MOST_RESULTS:,} in one run"
    return {"level": "warning", "message": {"text": text}}
