"""The report of a run as lines on stderr: one for each object, the findings, then the counts."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.operations.report import Report
from sidecarctl.operations.transforming.object_changes import ObjectResult, Outcome
from sidecarctl.operations.transforming.run_facts import RunFacts
from sidecarctl.releases.release import MASTER
from sidecarctl.reports.layout.lines import finding_line, shown
from sidecarctl.reports.run.run_end import RunEnd
from sidecarctl.reports.run.summary import (
    failed_unwritten,
    failure_line,
    outcome_word,
    said_of,
    summary_line,
    unread_files,
)
from sidecarctl.reports.verbosity import Verbosity

_WITHOUT_DOCUMENT = ("run", "hash")
"""Kinds of reports whose documents do not name the behaviour."""


def report_text(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """The lines, each with a line break; only errors if quiet."""
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
        if report.kind == "run" and verbosity > Verbosity.QUIET and any(finding.place for finding in report.findings):
            yield f"{failure_line(report.findings)}\n"
        return
    yield from (f"{line}\n" for line in _transformed(report, facts, verbosity))


def _transformed(report: Report[Any], facts: RunFacts, verbosity: Verbosity) -> Iterator[str]:
    """The results of the objects, the errors of all of them, then the counts."""
    found = Found()
    if verbosity is Verbosity.SUMMARY:
        from sidecarctl.reports.run.summarised import summarised

        yield from summarised(report, facts)
        found.count(finding for result in report.objects for finding in result.change.findings)
    else:
        yield from map(
            finding_line, _audible((finding for finding in report.findings if not _is_error(finding)), verbosity)
        )
        notes: Counter[str] = Counter()
        for result in report.objects:
            yield from _object_lines(result, facts, verbosity, notes)
            found.count(result.change.findings)
        yield from (f"note: {number - 1:,} more: {said}" for said, number in notes.items() if number > 1)
    found.count(report.findings)
    yield from map(finding_line, found.errors)
    if verbosity > Verbosity.QUIET:
        unread = unread_files(report.findings) if facts.written else 0
        yield summary_line(facts.outcomes, facts.word, found.warnings, unread)
    if failed_unwritten(report, facts):
        yield failure_line(found.errors)


class Found:
    """The errors of a run, and how many warnings it has."""

    def __init__(self) -> None:
        self.errors: list[Finding] = []
        self.warnings = 0

    def count(self, findings: Iterable[Finding]) -> None:
        """Add further findings."""
        for finding in findings:
            if _is_error(finding):
                self.errors.append(finding)
            self.warnings += finding.severity is Severity.WARNING


def _is_error(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR


def _finding_lines(report: Report[Any], verbosity: Verbosity) -> Iterator[str]:
    if verbosity is Verbosity.SUMMARY:
        from sidecarctl.reports.run.summarised import summarised_findings

        return chain(summarised_findings(report.findings), map(finding_line, filter(_is_error, report.findings)))
    from sidecarctl.reports.run.folding import folded_lines

    return folded_lines(_audible(report.findings, verbosity))


def _audible(findings: Iterable[Finding], verbosity: Verbosity) -> Iterator[Finding]:
    for finding in findings:
        if verbosity > Verbosity.QUIET or _is_error(finding):
            yield finding


def _object_lines(result: ObjectResult, facts: RunFacts, verbosity: Verbosity, notes: Counter[str]) -> Iterator[str]:
    """The lines of an object: its outcome, its warnings and notes, and each decision if verbose.

    A note that several objects share is shown only for the first of them.
    """
    if verbosity is Verbosity.QUIET:
        return
    change = result.change
    if change.outcome is not Outcome.OTHER or verbosity is Verbosity.VERBOSE:
        outcome = outcome_word(change.outcome, facts)
        said = said_of(result)
        place = f"{result.place} " if result.place else ""
        yield shown(f"{outcome:<{max(len(facts.word), 9)}}  {place}{result.reference}{'  ' if said else ''}{said}")
    if verbosity is Verbosity.VERBOSE:
        yield from (shown(f"           {decision}") for decision in change.decisions)
    for finding in change.findings:
        if finding.severity is Severity.NOTE:
            said = shown(f"{finding.message} [{finding.rule or finding.reason}]")
            notes[said] += 1
            if notes[said] > 1:
                continue
        if not _is_error(finding):
            yield finding_line(finding)
