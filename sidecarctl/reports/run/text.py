"""The report of a transforming command: a line for each object, then the counts."""

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import IntEnum

from sidecarctl.operations.transforming.object_changes import ObjectReport, Outcome
from sidecarctl.reports.layout.lines import finding_line, shown


class Verbosity(IntEnum):
    """How much a report says."""

    QUIET = 0
    NORMAL = 1
    VERBOSE = 2


def object_lines(report: ObjectReport, verb: str, verbosity: Verbosity) -> Iterator[str]:
    """The lines of one object: what became of it, its findings, and each decision when asked for.

    `verb` is the word for a changed object, such as `injected`.
    """
    change = report.change
    if verbosity > Verbosity.QUIET and (change.outcome is not Outcome.OTHER or verbosity is Verbosity.VERBOSE):
        outcome = verb if change.outcome is Outcome.CHANGED else _WORDS[change.outcome]
        said = f"{change.reason}: {change.summary}" if change.reason else change.summary
        yield shown(f"{outcome:<{max(len(verb), 9)}}  {report.reference}{'  ' if said else ''}{said}")
    if verbosity is Verbosity.VERBOSE:
        yield from (shown(f"           {decision}") for decision in change.decisions)
    for finding in change.findings:
        if verbosity > Verbosity.QUIET or finding.severity == "error":
            yield finding_line(finding)


_WORDS = {
    Outcome.UNCHANGED: "unchanged",
    Outcome.SKIPPED: "skipped",
    Outcome.FAILED: "failed",
    Outcome.OTHER: "other",
}


def summary_line(outcomes: Mapping[Outcome, int], verb: str, warnings: int) -> str:
    """`3 injected, 1 unchanged, 2 skipped; 7 other objects; 1 warning`."""
    counts = Counter(outcomes)
    said = [f"{counts[Outcome.CHANGED]} {verb}"]
    said += [f"{counts[outcome]} {word}" for outcome, word in _WORDS.items() if counts[outcome] and word != "other"]
    parts = [", ".join(said)]
    if others := counts[Outcome.OTHER]:
        parts.append(f"{others} other object{'s' * (others > 1)}")
    if warnings:
        parts.append(f"{warnings} warning{'s' * (warnings > 1)}")
    return "; ".join(parts)


def verbosity(*, verbose: bool, quiet: bool) -> Verbosity:
    """What the two options ask for; errors are always said."""
    return Verbosity.QUIET if quiet else Verbosity.VERBOSE if verbose else Verbosity.NORMAL
