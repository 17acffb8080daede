"""What a run came to, in a line."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.operations.report import Report
from sidecarctl.operations.transforming.object_changes import Outcome
from sidecarctl.operations.transforming.run_facts import RunFacts
from sidecarctl.reports.run.every_finding import every_finding
from sidecarctl.reports.run.run_end import RunEnd

OUTCOME_WORDS = {
    Outcome.UNCHANGED: "unchanged",
    Outcome.SKIPPED: "skipped",
    Outcome.FAILED: "failed",
    Outcome.OTHER: "other",
}


def summary_of(report: Report[Any], end: RunEnd) -> str:
    """`3 injected, 1 unchanged`; of a run that failed its errors; of others how many findings there are."""
    severities = Counter(finding.severity for finding in every_finding(report))
    facts = report.facts
    if isinstance(facts, RunFacts):
        said = summary_line(facts.outcomes, facts.word, severities[Severity.WARNING])
        return said if facts.written or not facts.writes else f"{said}; {failure_line(every_finding(report))}"
    if report.failure:
        return failure_line(every_finding(report))
    told = [
        f"{severities[severity]} {severity}{'s' * (severities[severity] != 1)}"
        for severity in Severity
        if severities[severity]
    ]
    ended = "with findings or differences" if end.exit_code else "completed"
    return ", ".join(told) or ended


def failure_line(findings: Iterable[Finding]) -> str:
    """`4 errors in 3 files; nothing was written`."""
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    files = len({finding.place.file for finding in errors if finding.place})
    said = f"{len(errors)} error{'s' * (len(errors) != 1)}"
    where = f" in {files} file{'s' * (files != 1)}" if files else ""
    return f"{said}{where}; nothing was written"


def summary_line(outcomes: Mapping[Outcome, int], word: str, warnings: int) -> str:
    """`3 injected, 1 unchanged, 2 skipped; 7 other objects; 1 warning`."""
    counts = Counter(outcomes)
    said = [f"{counts[Outcome.CHANGED]} {word}"]
    said += [
        f"{counts[outcome]} {name}"
        for outcome, name in OUTCOME_WORDS.items()
        if counts[outcome] and outcome is not Outcome.OTHER
    ]
    parts = [", ".join(said)]
    if others := counts[Outcome.OTHER]:
        parts.append(f"{others} other object{'s' * (others > 1)}")
    if warnings:
        parts.append(f"{warnings} warning{'s' * (warnings > 1)}")
    return "; ".join(parts)


def outcome_word(outcome: Outcome, facts: RunFacts) -> str:
    """What became of an object, in the word of the command."""
    return facts.word if outcome is Outcome.CHANGED else OUTCOME_WORDS[outcome]
