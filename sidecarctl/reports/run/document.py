"""The report of a run as a document: kind RunReport (schemas/run-report.json)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sidecarctl.facts.document_head import API_VERSION
from sidecarctl.facts.finding_json import findings_json, reference_json
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.values import Object
from sidecarctl.operations.report import Report
from sidecarctl.operations.transforming.object_changes import ObjectResult, Outcome
from sidecarctl.operations.transforming.run_facts import RunFacts
from sidecarctl.reports.layout.documents import json_parts
from sidecarctl.reports.run.every_finding import every_finding
from sidecarctl.reports.run.run_end import RunEnd
from sidecarctl.reports.run.summary import summary_of


def report_json(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """The report as JSON, in parts."""
    findings = list(every_finding(report))
    return json_parts(
        {
            "apiVersion": API_VERSION,
            "kind": "RunReport",
            **_behaviour(report),
            "command": end.command,
            "exitCode": end.exit_code,
            "failed": bool(report.failure),
            "summary": summary_of(report, end),
            "wrote": list(report.wrote),
            "counts": _counts(report.facts, findings),
            "objects": _objects(report.objects),
            "findings": findings_json(findings),
        }
    )


def _behaviour(report: Report[Any]) -> Object:
    """The computed Kruise behaviour; empty if the run failed before it computed anything."""
    return {} if report.facts is None else {"behaviour": report.release.behaviour}


def _counts(facts: object, findings: Sequence[Finding]) -> Object:
    severities = Counter(finding.severity for finding in findings)
    counts: Object = {f"{severity}s": severities[severity] for severity in Severity}
    if isinstance(facts, RunFacts):
        counts["objects"] = {str(outcome): facts.outcomes.get(outcome, 0) for outcome in Outcome}
    return counts


def _objects(objects: Iterable[ObjectResult]) -> Iterator[Object]:
    """Each object that the command applies to."""
    for result in objects:
        if result.change.outcome is not Outcome.OTHER:
            place, change = result.place, result.change
            members = {
                "object": reference_json(result.reference),
                "file": place and place.file,
                "line": place and place.line,
                "column": place and place.column,
                "outcome": str(change.outcome),
                "reason": change.reason and str(change.reason),
                "summary": change.summary,
                "decisions": list(change.decisions),
            }
            yield {key: value for key, value in members.items() if value}
