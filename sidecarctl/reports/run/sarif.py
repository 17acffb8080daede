"""Findings as SARIF 2.1.0, within the limits of GitHub code scanning.

Findings with a file are results; those without are notifications, since GitHub refuses results without a location.
GitHub refuses more than 25,000 results, and shows the first 5,000: the most severe come first.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from sidecarctl import __version__
from sidecarctl.facts.findings import Finding, Severity
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
from sidecarctl.reports.run.rule_texts import rule_id, rule_text
from sidecarctl.reports.run.run_end import RunEnd
from sidecarctl.reports.run.summary import other_behaviour

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_MOST_RESULTS = 25_000
_LEVELS: Mapping[Severity, str] = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def report_sarif(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """The log of one run, in parts."""
    findings = most_severe_first(every_finding(report))
    rules = {rule: index for index, rule in enumerate(dict.fromkeys(map(rule_id, findings)))}
    results = [finding for finding in findings if finding.place]
    notifications = [_notification(finding, rules) for finding in findings if not finding.place]
    if len(results) > _MOST_RESULTS:
        notifications.append(_left_out(len(results) - _MOST_RESULTS))
    run = {
        "tool": {"driver": {"name": "sidecarctl", "version": __version__, "rules": [*map(_rule, rules)]}},
        "automationDetails": {"id": f"sidecarctl/{end.command}/"},
        **({"properties": {"behaviour": behaviour}} if (behaviour := other_behaviour(report)) else {}),
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


def _rule(identifier: str) -> Object:
    text = rule_text(identifier)
    return {
        "id": identifier,
        "name": identifier,
        "shortDescription": {"text": text.sentence},
        "fullDescription": {"text": f"{text.sentence} {text.remedy}"},
        "help": {"text": text.remedy},
    }


def _results(findings: Iterable[Finding], rules: Mapping[str, int], folder: str) -> Iterator[Object]:
    for finding, fingerprint in with_fingerprints(findings, folder):
        yield {
            "ruleId": rule_id(finding),
            "ruleIndex": rules[rule_id(finding)],
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
    """The relative URI of a file; absolute if the file is elsewhere."""
    path = relative_file(file, folder)
    quoted = quote(path, errors="surrogateescape")  # a colon too: it would end the scheme of a URI
    return f"file://{quoted}" if path.startswith("/") else quoted


def _notification(finding: Finding, rules: Mapping[str, int]) -> Object:
    subject = f"{finding.subject}: " if finding.subject else ""
    return {
        "level": _LEVELS[finding.severity],
        "message": {"text": shown(subject + said(finding))},
        "associatedRule": {"id": rule_id(finding), "index": rules[rule_id(finding)]},
    }


def _left_out(number: int) -> Object:
    text = f"{number} less severe findings are left out: GitHub accepts at most {_MOST_RESULTS:,} in a run"
    return {"level": "warning", "message": {"text": text}}
