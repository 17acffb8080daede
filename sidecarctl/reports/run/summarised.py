"""What a run did, in few lines: objects with the same result share a line, with their number."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.operations.report import Report
from sidecarctl.operations.transforming.object_changes import ObjectResult, Outcome
from sidecarctl.operations.transforming.run_facts import RunFacts
from sidecarctl.reports.layout.lines import finding_line, shown
from sidecarctl.reports.run.rule_texts import rule_id
from sidecarctl.reports.run.summary import outcome_word, said_of


def summarised(report: Report[Any], facts: RunFacts) -> Iterator[str]:
    """A line for each different result of the objects, then a line for each different warning or note.

    The caller lists errors one by one.
    """
    yield from _object_lines(report, facts)
    found = (finding for result in report.objects for finding in result.change.findings)
    yield from summarised_findings(chain(report.findings, found))


def _object_lines(report: Report[Any], facts: RunFacts) -> Iterator[str]:
    groups: dict[tuple[Outcome, str], tuple[ObjectResult, int]] = {}
    for result in report.objects:
        kind = result.change.outcome, said_of(result)
        first, number = groups.get(kind, (result, 0))
        groups[kind] = first, number + 1
    for (outcome, said), (first, number) in groups.items():
        if outcome is not Outcome.OTHER:
            place = f"{first.place} " if first.place else ""
            which = f"{place}{first.reference}" if number == 1 else f"{number:,} objects"
            word = f"{outcome_word(outcome, facts):<{max(len(facts.word), 9)}}"
            yield shown(f"{word}  {which}{'  ' if said else ''}{said}")


def summarised_findings(findings: Iterable[Finding]) -> Iterator[str]:
    """The first of those with the same severity, reason and message, and how many more there are; without errors."""
    groups: dict[tuple[str, str, str], tuple[Finding, int]] = {}
    for finding in findings:
        if finding.severity is not Severity.ERROR:
            kind = finding.severity, rule_id(finding), finding.message
            first, number = groups.get(kind, (finding, 0))
            groups[kind] = first, number + 1
    for (severity, code, message), (first, number) in groups.items():
        yield finding_line(first) if number == 1 else shown(f"{severity}: {number:,} times: {message} [{code}]")
