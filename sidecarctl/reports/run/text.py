"""What a run found and did, as lines on stderr: one for each object, the findings, then the counts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.operations.report import Report
from sidecarctl.operations.transforming.object_changes import ObjectResult, Outcome
from sidecarctl.operations.transforming.run_facts import RunFacts
from sidecarctl.reports.layout.lines import finding_line, shown
from sidecarctl.reports.run.folding import folded_lines
from sidecarctl.reports.verbosity import Verbosity

_WORDS = {
    Outcome.UNCHANGED: "unchanged",
    Outcome.SKIPPED: "skipped",
    Outcome.FAILED: "failed",
    Outcome.OTHER: "other",
}


def report_text(report: Report[Any], verbosity: Verbosity) -> Iterator[str]:
    """The lines, each with its line break; of a quiet report the errors alone."""
    if report.kind == "validation" and report.facts is not None:
        from sidecarctl.reports.validation.text import validation_summary

        yield from validation_summary(report, verbosity)
        return
    facts = report.facts if isinstance(report.facts, RunFacts) else None
    if facts is None:
        yield from (f"{line}\n" for line in _finding_lines(report, verbosity))
        return
    warnings = 0
    errors: list[Finding] = []
    early = [one for one in report.findings if one.severity is not Severity.ERROR]
    yield from (f"{finding_line(one)}\n" for one in _audible(early, verbosity))
    for one in report.objects:
        yield from (f"{line}\n" for line in _object_lines(one, facts.word, verbosity))
        errors += (finding for finding in one.change.findings if finding.severity is Severity.ERROR)
        warnings += sum(finding.severity is Severity.WARNING for finding in one.change.findings)
    errors += (one for one in report.findings if one.severity is Severity.ERROR)
    yield from (f"{finding_line(one)}\n" for one in errors)
    if verbosity > Verbosity.QUIET:
        warnings += sum(finding.severity is Severity.WARNING for finding in report.findings)
        yield f"{summary_line(facts.outcomes, facts.word, warnings)}\n"
    if facts.writes and not facts.written:
        yield f"{_count(errors)}; nothing was written\n"


def _count(errors: Sequence[Finding]) -> str:
    """`4 errors in 3 files`."""
    files = len({finding.place.file for finding in errors if finding.place})
    said = f"{len(errors)} error{'s' * (len(errors) != 1)}"
    return f"{said} in {files} file{'s' * (files != 1)}" if files else said


def _finding_lines(report: Report[Any], verbosity: Verbosity) -> Iterator[str]:
    return folded_lines(_audible(report.findings, verbosity))


def _audible(findings: Iterable[Finding], verbosity: Verbosity) -> Iterator[Finding]:
    for finding in findings:
        if verbosity > Verbosity.QUIET or finding.severity is Severity.ERROR:
            yield finding


def _object_lines(one: ObjectResult, word: str, verbosity: Verbosity) -> Iterator[str]:
    """The lines of one object: what became of it, its warnings and notes, and each decision when asked for."""
    if verbosity is Verbosity.QUIET:
        return
    change = one.change
    if change.outcome is not Outcome.OTHER or verbosity is Verbosity.VERBOSE:
        outcome = word if change.outcome is Outcome.CHANGED else _WORDS[change.outcome]
        said = f"{change.reason}: {change.summary}" if change.reason else change.summary
        yield shown(f"{outcome:<{max(len(word), 9)}}  {one.reference}{'  ' if said else ''}{said}")
    if verbosity is Verbosity.VERBOSE:
        yield from (shown(f"           {decision}") for decision in change.decisions)
    yield from (finding_line(finding) for finding in change.findings if finding.severity is not Severity.ERROR)


def summary_line(outcomes: Mapping[Outcome, int], word: str, warnings: int) -> str:
    """`3 injected, 1 unchanged, 2 skipped; 7 other objects; 1 warning`."""
    counts = Counter(outcomes)
    said = [f"{counts[Outcome.CHANGED]} {word}"]
    said += [f"{counts[outcome]} {name}" for outcome, name in _WORDS.items() if counts[outcome] and name != "other"]
    parts = [", ".join(said)]
    if others := counts[Outcome.OTHER]:
        parts.append(f"{others} other object{'s' * (others > 1)}")
    if warnings:
        parts.append(f"{warnings} warning{'s' * (warnings > 1)}")
    return "; ".join(parts)
