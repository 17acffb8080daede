"""Findings as SARIF 2.1.0, within the limits of GitHub code scanning.

Findings with a file are results; those without are notifications, since GitHub refuses results without a location.
GitHub refuses more than 25,000 results, and shows the first 5,000: the most severe come first.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from sidecarctl import __version__
from sidecarctl.facts.findings import Finding, Place, Severity
from sidecarctl.facts.values import Object
from sidecarctl.operations.report import Report
from sidecarctl.reports.layout.documents import LARGE, laid_out
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.output import RunEnd
from sidecarctl.reports.run.findings import (
    every_finding,
    most_severe_first,
    rule_id,
    rule_text,
    said,
    said_of_all,
    with_fingerprints,
)
from sidecarctl.reports.run.summary import other_behaviour

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_MOST_RESULTS = 25_000
_LEVELS: Mapping[Severity, str] = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def report_sarif(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """The log of one run, in parts."""
    findings = most_severe_first(every_finding(report))
    suppressed = [finding for finding in report.suppressed if end.file_of(finding.place)]
    every = dict.fromkeys(map(rule_id, (*findings, *suppressed)))
    rules = {rule: index for index, rule in enumerate(every)}
    results = [*(finding for finding in findings if end.file_of(finding.place)), *suppressed]
    notifications = [_notification(finding, rules) for finding in findings if not end.file_of(finding.place)]
    if len(results) > _MOST_RESULTS:
        notifications.append(_left_out(len(results) - _MOST_RESULTS))
    properties: Object = {
        "behaviour": other_behaviour(report),
        "config": end.config_from_the_top,
        "suppressed": len(report.suppressed),
    }
    properties = {name: value for name, value in properties.items() if value}
    run = {
        "tool": {"driver": {"name": "sidecarctl", "version": __version__, "rules": [*map(_rule, rules)]}},
        "automationDetails": {"id": f"sidecarctl/{end.command}/"},
        **({"properties": properties} if properties else {}),
        "invocations": [
            {
                "executionSuccessful": not report.failure,
                "exitCode": end.exit_code,
                "toolExecutionNotifications": notifications,
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": _results(results[:_MOST_RESULTS], rules, end),
    }
    return laid_out({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, LARGE)


def _rule(identifier: str) -> Object:
    text = rule_text(identifier)
    return {
        "id": identifier,
        "name": text.defect,
        "shortDescription": {"text": text.defect},
        "fullDescription": {"text": f"{text.sentence} {text.remedy}"},
        "help": {"text": text.remedy},
        "helpUri": text.page,
    }


def _results(findings: Iterable[Finding], rules: Mapping[str, int], end: RunEnd) -> Iterator[Object]:
    for finding, fingerprint in with_fingerprints(findings, end):
        yield {
            "ruleId": rule_id(finding),
            "ruleIndex": rules[rule_id(finding)],
            "level": _LEVELS[finding.severity],
            "message": {"text": shown(said(finding))},
            "locations": [_location(finding, finding.place, end)] if finding.place else [],
            # The first is the one that GitHub matches alerts by.
            "partialFingerprints": {"primaryLocationLineHash": fingerprint, "sidecarctl/v1": fingerprint},
            **({"suppressions": [_suppression(finding.suppressed_by)]} if finding.suppressed_by else {}),
        }


def _suppression(by: str) -> Object:
    """The suppression of a result: in the source by an annotation, else from outside."""
    kind = "inSource" if by == "annotation" else "external"
    return {"kind": kind, "status": "accepted", "justification": _JUSTIFICATIONS[by]}


_JUSTIFICATIONS = {
    "annotation": "the annotation sidecarctl.dev/ignore of the SidecarSet",
    "option": "an option of the command",
    "settings": "the settings of the repository, .sidecarctl.yaml",
    "baseline": "the baseline of known findings",
}


def _location(finding: Finding, place: Place, end: RunEnd) -> Object:
    region = {"startLine": place.line or 1} | ({"startColumn": place.column} if place.column else {})
    location: Object = {"physicalLocation": {"artifactLocation": {"uri": _uri(end.file_of(place))}, "region": region}}
    if finding.subject:
        location["logicalLocations"] = [{"fullyQualifiedName": shown(str(finding.subject)), "kind": "object"}]
    return location


def _uri(path: str) -> str:
    """The relative URI of a file; absolute if the file is elsewhere."""
    quoted = quote(path, errors="surrogateescape")  # a colon too: it would end the scheme of a URI
    return f"file://{quoted}" if path.startswith("/") else quoted


def _notification(finding: Finding, rules: Mapping[str, int]) -> Object:
    return {
        "level": _LEVELS[finding.severity],
        "message": {"text": shown(said_of_all(finding, ""))},
        "associatedRule": {"id": rule_id(finding), "index": rules[rule_id(finding)]},
    }


def _left_out(number: int) -> Object:
    text = f"{number} less severe findings are left out: GitHub accepts at most {_MOST_RESULTS:,} in a run"
    return {"level": "warning", "message": {"text": text}}
