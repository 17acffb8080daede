"""The report of a run as a document: kind RunReport (schemas/run-report.json)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sidecarctl.engine.facts.findings import API_VERSION, Finding, Severity, findings_json, reference_json
from sidecarctl.engine.facts.values import Object, path_text
from sidecarctl.engine.report import InjectedSet, ObjectResult, Outcome, PodDecision, Report, RunFacts
from sidecarctl.render.documents import LARGE, laid_out
from sidecarctl.render.output import RunEnd
from sidecarctl.render.run.findings import every_finding, summary_of


def report_json(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """The report as JSON, in parts."""
    findings = list(every_finding(report))
    return laid_out(
        {
            "apiVersion": API_VERSION,
            "kind": "RunReport",
            **_behavior(report),
            **report.cluster(),
            "command": end.command,
            **({"config": end.config_from_the_top} if end.config else {}),
            "exitCode": end.exit_code,
            "failed": bool(report.failure),
            "summary": summary_of(report, end),
            "wrote": list(report.wrote),
            "counts": _counts(report, findings),
            "objects": _objects(report.objects, end),
            "findings": findings_json(map(end.placed, findings)),
        },
        LARGE,
    )


def _behavior(report: Report[Any]) -> Object:
    """The computed Kruise behavior; empty if the run failed before it computed anything."""
    return {} if report.facts is None else {"behavior": report.release.behavior}


def _counts(report: Report[Any], findings: Sequence[Finding]) -> Object:
    severities = Counter(finding.severity for finding in findings)
    counts: Object = {f"{severity}s": severities[severity] for severity in Severity}
    facts = report.facts
    if report.suppressed:
        counts["suppressed"] = len(report.suppressed)
    if isinstance(facts, RunFacts):
        found = {str(outcome): facts.outcomes.get(outcome, 0) for outcome in Outcome}
        counts["objects"] = {name: count for name, count in found.items() if count or name != Outcome.DRIFTED}
    return counts


def _objects(objects: Iterable[ObjectResult], end: RunEnd) -> Iterator[Object]:
    """Each object that the command applies to."""
    for result in objects:
        if result.change.outcome is not Outcome.OTHER:
            place, change = result.place, result.change
            members = {
                "object": reference_json(result.reference),
                "file": end.file_of(place) or (place and place.file),
                "line": place and place.line,
                "column": place and place.column,
                "outcome": str(change.outcome),
                "reason": change.reason and str(change.reason),
                "injected": injected_json(change.injected),
                "summary": change.summary,
                "decisions": [_decision(decision, end) for decision in change.decisions],
            }
            yield {key: value for key, value in members.items() if value}


def _decision(decision: PodDecision, end: RunEnd) -> Object:
    place = decision.place
    members = {
        "sidecarSet": decision.sidecarset,
        "reason": str(decision.reason),
        "message": decision.message,
        "template": path_text(decision.path),
        "file": end.file_of(place) or (place and place.file),
        "line": place and place.line,
        "column": place and place.column,
    }
    return {key: value for key, value in members.items() if value}


def injected_json(sets: Iterable[InjectedSet]) -> list[Object]:
    """The SidecarSets that pods get, each with its containers."""
    return [{"sidecarSet": item.name, "containers": list(item.containers)} for item in sets]
