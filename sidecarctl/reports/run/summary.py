"""The summary of a run in a line."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.operations.report import ObjectResult, Outcome, PushFacts, Report, RunFacts
from sidecarctl.releases.release import DEFAULT

if TYPE_CHECKING:  # the KRM function has none
    from sidecarctl.reports.output import RunEnd

OUTCOME_WORDS = {
    Outcome.UNCHANGED: "unchanged",
    Outcome.SKIPPED: "skipped",
    Outcome.FAILED: "failed",
    Outcome.OTHER: "other",
}


def summary_of(report: Report[Any], end: "RunEnd") -> str:
    """`3 injected, 1 unchanged`; the errors of a failed run; the number of findings of other runs."""
    from sidecarctl.reports.run.findings import every_finding

    severities = Counter(finding.severity for finding in every_finding(report))
    facts = report.facts
    if isinstance(facts, RunFacts):
        unread = unread_files(report.findings) if facts.written else 0
        summary = summary_line(facts.outcomes, facts.word, severities[Severity.WARNING], unread, facts.files)
        return f"{summary}; {failure_line(every_finding(report))}" if failed_unwritten(report, facts) else summary
    if isinstance(facts, PushFacts):
        return facts.summary
    if report.failure:
        return failure_line(every_finding(report))
    counts = [
        f"{severities[severity]} {severity}{'s' * (severities[severity] != 1)}"
        for severity in Severity
        if severities[severity]
    ]
    ended = "with findings or differences" if end.exit_code else "completed"
    suppressed = f"; {len(report.suppressed)} suppressed" if report.suppressed else ""
    return (", ".join(counts) or ended) + suppressed


def other_behaviour(report: Report[Any]) -> str:
    """The Kruise that was computed; empty for the default, and for a run that failed before it computed anything."""
    return "" if report.facts is None or report.release is DEFAULT else report.release.behaviour


def failure_line(findings: Iterable[Finding]) -> str:
    """`4 errors in 3 files; nothing was written`."""
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    files = len({finding.place.file for finding in errors if finding.place})
    summary = f"{len(errors)} error{'s' * (len(errors) != 1)}"
    where = f" in {files} file{'s' * (files != 1)}" if files else ""
    return f"{summary}{where}; nothing was written"


def failed_unwritten(report: Report[Any], facts: RunFacts) -> bool:
    """Whether the run failed and wrote nothing; with `--check`, which never writes, whether it failed."""
    return not facts.written if facts.writes else bool(report.failure)


def unread_files(findings: Iterable[Finding]) -> int:
    """The number of files that could not be read, from the findings of a run, not of its objects."""
    return len({finding.place.file for finding in findings if finding.place and finding.severity is Severity.ERROR})


def summary_line(outcomes: Mapping[Outcome, int], word: str, warnings: int, unread: int = 0, files: int = 0) -> str:
    """`3 injected, 1 unchanged, 2 skipped; 7 other objects; 5 files read; 1 warning; 1 unreadable file`."""
    counts = Counter(outcomes)
    summary = [f"{counts[Outcome.CHANGED]} {word}"]
    summary += [
        f"{counts[outcome]} {name}"
        for outcome, name in OUTCOME_WORDS.items()
        if counts[outcome] and outcome is not Outcome.OTHER
    ]
    parts = [", ".join(summary)]
    if others := counts[Outcome.OTHER]:
        parts.append(f"{others} other object{'s' * (others > 1)}")
    if files:
        parts.append(f"{files} file{'s' * (files > 1)} read")
    if warnings:
        parts.append(f"{warnings} warning{'s' * (warnings > 1)}")
    if unread:
        parts.append(f"{unread} unreadable file{'s' * (unread > 1)}")
    return "; ".join(parts)


def outcome_word(outcome: Outcome, facts: RunFacts) -> str:
    """The outcome of an object, in the word of the command."""
    return facts.word if outcome is Outcome.CHANGED else OUTCOME_WORDS[outcome]


def said_of(result: ObjectResult) -> str:
    """The reason and the summary of the change of an object."""
    change = result.change
    return f"{change.reason}: {change.summary}" if change.reason else change.summary
