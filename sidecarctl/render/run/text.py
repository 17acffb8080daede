"""The report of a run as lines on stderr: one for each object, the findings, then the counts."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.values import path_text
from sidecarctl.engine.releases.release import DEFAULT
from sidecarctl.engine.report import ObjectResult, Outcome, Report, RunFacts
from sidecarctl.render.findings import MOST_ALIKE, folded_lines, summarized_findings
from sidecarctl.render.lines import finding_line, rule_id, shown
from sidecarctl.render.output import RunEnd, Verbosity
from sidecarctl.render.run.findings import (
    BASE,
    base_words,
    failed_unwritten,
    failure_line,
    outcome_word,
    result_summary,
    summary_line,
    unread_files,
)

_WITHOUT_DOCUMENT = ("run", "hash")
"""Kinds of reports whose documents do not name the behavior."""


def report_text(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """The lines, each with a line break; only errors if quiet."""
    if end.config and end.verbosity > Verbosity.QUIET:
        yield f"settings: {end.config}\n"
    if report.kind == "validation" and report.facts is not None:
        yield from (f"{finding_line(failure)}\n" for failure in report.facts.failures)  # the rest is in the document
        yield f"{report.facts.summary}\n" if end.verbosity > Verbosity.QUIET else ""
        return
    verbosity = end.verbosity
    facts = report.facts if isinstance(report.facts, RunFacts) else None
    if report.release is not DEFAULT and report.kind in _WITHOUT_DOCUMENT and verbosity > Verbosity.QUIET:
        yield f"behavior: {report.release.behavior}\n"
    if facts is None:
        yield from (f"{line}\n" for line in _finding_lines(report, verbosity))
        yield from (f"{line}\n" for line in _base_lines(report, verbosity))
        if report.kind == "run" and verbosity > Verbosity.QUIET and any(finding.place for finding in report.findings):
            yield f"{failure_line(report.findings)}\n"
        return
    yield from (f"{line}\n" for line in _transformed(report, facts, verbosity))


def _transformed(report: Report[Any], facts: RunFacts, verbosity: Verbosity) -> Iterator[str]:
    """The results of the objects, the errors of all of them, then the counts."""
    found = Found()
    if verbosity is Verbosity.SUMMARY:
        yield from summarized(report, facts)
        found.count(finding for result in report.objects for finding in result.change.findings)
    else:
        yield from map(
            finding_line, _audible((finding for finding in report.findings if not _is_error(finding)), verbosity)
        )
        alike: Counter[tuple[Severity, str]] = Counter()
        for result in report.objects:
            yield from _object_lines(result, facts, verbosity, alike)
            found.count(result.change.findings)
        yield from (
            f"{kind[0]}: {number - MOST_ALIKE[kind[0]]:,} more: {kind[1]}"
            for kind, number in sorted(alike.items(), key=lambda each: each[0][0] is Severity.NOTE)
            if number > MOST_ALIKE[kind[0]]
        )
    found.count(report.findings)
    yield from map(finding_line, found.errors)
    if verbosity > Verbosity.QUIET:
        unread = unread_files(report.findings) if facts.written else 0
        yield summary_line(facts.outcomes, facts.word, found.warnings, unread, facts.files)
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
    findings = (*report.findings, *report.objections)
    if verbosity is Verbosity.SUMMARY:
        return chain(summarized_findings(findings), map(finding_line, filter(_is_error, findings)))

    return folded_lines(_audible(findings, verbosity))


def _base_lines(report: Report[Any], verbosity: Verbosity) -> Iterator[str]:
    """How much was found before the change too; each of it if verbose."""
    if verbosity is Verbosity.VERBOSE:
        yield from (f"base: {finding_line(item)}" for item in report.suppressed if item.suppressed_by == BASE)
    if verbosity > Verbosity.QUIET and (said := base_words(report.suppressed)):
        yield f"not new: {said}"


def _audible(findings: Iterable[Finding], verbosity: Verbosity) -> Iterator[Finding]:
    for finding in findings:
        if verbosity > Verbosity.QUIET or _is_error(finding):
            yield finding


def _object_lines(
    result: ObjectResult, facts: RunFacts, verbosity: Verbosity, alike: Counter[tuple[Severity, str]]
) -> Iterator[str]:
    """The lines of an object: its outcome, its warnings and notes, and each decision if verbose.

    A warning or note that several objects share is shown only for the first of them.
    """
    if verbosity is Verbosity.QUIET:
        return
    change = result.change
    if change.outcome is not Outcome.OTHER or verbosity is Verbosity.VERBOSE:
        outcome = outcome_word(change.outcome, facts)
        said = result_summary(result)
        place = f"{result.place} " if result.place else ""
        yield shown(f"{outcome:<{max(len(facts.word), 9)}}  {place}{result.reference}{'  ' if said else ''}{said}")
    if verbosity is Verbosity.VERBOSE:
        several = len({decision.path for decision in change.decisions}) > 1
        for decision in change.decisions:
            where = f"{path_text(decision.path)}: " if several else ""
            yield shown(f"           {where}{decision}")
    for finding in change.findings:
        kind = finding.severity, shown(f"{finding.message} [{rule_id(finding)}]")
        alike[kind] += not _is_error(finding)
        if 0 < alike[kind] <= MOST_ALIKE[finding.severity]:
            yield finding_line(finding)


def summarized(report: Report[Any], facts: RunFacts) -> Iterator[str]:
    """A line for each different result of the objects, then a line for each different warning or note.

    The caller lists errors one by one.
    """
    yield from _alike_lines(report, facts)
    found = (finding for result in report.objects for finding in result.change.findings)
    yield from summarized_findings(chain(report.findings, found))


def _alike_lines(report: Report[Any], facts: RunFacts) -> Iterator[str]:
    groups: dict[tuple[Outcome, str], tuple[ObjectResult, int]] = {}
    for result in report.objects:
        kind = result.change.outcome, result_summary(result)
        first, number = groups.get(kind, (result, 0))
        groups[kind] = first, number + 1
    for (outcome, said), (first, number) in groups.items():
        if outcome is not Outcome.OTHER:
            place = f"{first.place} " if first.place else ""
            which = f"{place}{first.reference}" if number == 1 else f"{number:,} objects"
            word = f"{outcome_word(outcome, facts):<{max(len(facts.word), 9)}}"
            yield shown(f"{word}  {which}{'  ' if said else ''}{said}")
