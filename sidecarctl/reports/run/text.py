"""What a run found and did, as lines on stderr: one for each object, the findings, then the counts."""

from collections.abc import Iterable, Iterator
from typing import Any

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.operations.report import Report
from sidecarctl.operations.transforming.object_changes import ObjectResult, Outcome
from sidecarctl.operations.transforming.run_facts import RunFacts
from sidecarctl.releases.release import MASTER
from sidecarctl.reports.layout.lines import finding_line, shown
from sidecarctl.reports.run.folding import folded_lines
from sidecarctl.reports.run.run_end import RunEnd
from sidecarctl.reports.run.summary import failure_line, outcome_word, summary_line
from sidecarctl.reports.verbosity import Verbosity

_WITHOUT_DOCUMENT = ("run", "hash")
"""Kinds of reports whose behaviour no document names."""


def report_text(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """The lines, each with its line break; of a quiet report the errors alone."""
    if report.kind == "validation" and report.facts is not None:
        from sidecarctl.reports.validation.text import validation_summary

        yield from validation_summary(report, end.verbosity)
        return
    verbosity = end.verbosity
    facts = report.facts if isinstance(report.facts, RunFacts) else None
    if report.release is not MASTER and report.kind in _WITHOUT_DOCUMENT and verbosity > Verbosity.QUIET:
        yield f"behaviour: {report.release.behaviour}\n"
    if facts is None:
        yield from (f"{line}\n" for line in _finding_lines(report, verbosity))
        if report.kind == "run" and verbosity > Verbosity.QUIET and any(one.place for one in report.findings):
            yield f"{failure_line(report.findings)}\n"
        return
    warnings = 0
    errors: list[Finding] = []
    early = [one for one in report.findings if one.severity is not Severity.ERROR]
    yield from (f"{finding_line(one)}\n" for one in _audible(early, verbosity))
    for one in report.objects:
        yield from (f"{line}\n" for line in _object_lines(one, facts, verbosity))
        errors += (finding for finding in one.change.findings if finding.severity is Severity.ERROR)
        warnings += sum(finding.severity is Severity.WARNING for finding in one.change.findings)
    errors += (one for one in report.findings if one.severity is Severity.ERROR)
    yield from (f"{finding_line(one)}\n" for one in errors)
    if verbosity > Verbosity.QUIET:
        warnings += sum(finding.severity is Severity.WARNING for finding in report.findings)
        yield f"{summary_line(facts.outcomes, facts.word, warnings)}\n"
    if facts.writes and not facts.written:
        yield f"{failure_line(errors)}\n"


def _finding_lines(report: Report[Any], verbosity: Verbosity) -> Iterator[str]:
    return folded_lines(_audible(report.findings, verbosity))


def _audible(findings: Iterable[Finding], verbosity: Verbosity) -> Iterator[Finding]:
    for finding in findings:
        if verbosity > Verbosity.QUIET or finding.severity is Severity.ERROR:
            yield finding


def _object_lines(one: ObjectResult, facts: RunFacts, verbosity: Verbosity) -> Iterator[str]:
    """The lines of one object: what became of it, its warnings and notes, and each decision when asked for."""
    if verbosity is Verbosity.QUIET:
        return
    change = one.change
    if change.outcome is not Outcome.OTHER or verbosity is Verbosity.VERBOSE:
        outcome = outcome_word(change.outcome, facts)
        said = f"{change.reason}: {change.summary}" if change.reason else change.summary
        place = f"{one.place} " if one.place else ""
        yield shown(f"{outcome:<{max(len(facts.word), 9)}}  {place}{one.reference}{'  ' if said else ''}{said}")
    if verbosity is Verbosity.VERBOSE:
        yield from (shown(f"           {decision}") for decision in change.decisions)
    yield from (finding_line(finding) for finding in change.findings if finding.severity is not Severity.ERROR)
