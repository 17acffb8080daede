"""All findings of a run, and its summary, for every format of a report."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sidecarctl.engine.facts.findings import Finding, Severity, error
from sidecarctl.engine.releases.release import DEFAULT
from sidecarctl.engine.report import ObjectResult, Outcome, Report, RunFacts
from sidecarctl.render.lines import count
from sidecarctl.render.output import RunEnd

_ORDER = list(Severity)


def every_finding(report: Report[Any]) -> Iterator[Finding]:
    """The findings of the run, of its objects, and its objections."""
    yield from report.findings
    for result in report.objects:
        yield from findings_of(result, report.facts)
    yield from report.objections


def findings_of(result: ObjectResult, facts: object) -> Iterator[Finding]:
    """The findings of an object; with `--check` also that it would change.

    One about a SidecarSet names the object, since it may be the same for many.
    """
    for finding in result.change.findings:
        where = f" (in {result.reference})"
        is_about_another = finding.subject not in (None, result.reference) and not finding.message.endswith(where)
        yield finding._replace(message=f"{finding.message}{where}") if is_about_another else finding
    if not isinstance(facts, RunFacts) or facts.writes:
        return
    change, reason = result.change, result.change.reason or facts.differs
    if change.outcome in (Outcome.CHANGED, Outcome.DRIFTED):
        message = " ".join(filter(None, [outcome_word(change.outcome, facts), change.summary]))
        yield error(reason, message)._replace(subject=result.reference, place=result.place)


def most_severe_first(findings: Iterable[Finding]) -> list[Finding]:
    """Errors, warnings, notes, each in their original order."""
    return sorted(findings, key=lambda finding: _ORDER.index(finding.severity))


def summary_of(report: Report[Any], end: RunEnd) -> str:
    """`3 injected, 1 unchanged`; the errors of a failed run; the number of findings of other runs."""
    severities = Counter(finding.severity for finding in every_finding(report))
    facts = report.facts
    if isinstance(facts, RunFacts):
        unread = unread_files(report.findings) if facts.written else 0
        summary = summary_line(facts.outcomes, facts.word, severities[Severity.WARNING], unread, facts.files)
        return f"{summary}; {failure_line(every_finding(report))}" if failed_unwritten(report, facts) else summary
    if report.kind == "push" and facts is not None:
        return str(facts)
    if report.failure:
        return failure_line(every_finding(report))
    counts = [
        f"{severities[severity]} {severity}{'s' * (severities[severity] != 1)}"
        for severity in Severity
        if severities[severity]
    ]
    ended = "with findings or differences" if end.exit_code else "completed"
    of_base = base_words(report.suppressed)
    suppressed = sum(item.suppressed_by != BASE for item in report.suppressed)
    parts = [", ".join(counts) or ended, f"{suppressed} suppressed" if suppressed else "", of_base]
    return "; ".join(filter(None, parts))


BASE = "base"


def base_words(suppressed: Iterable[Finding]) -> str:
    """`3 findings of the base: 2 warnings, 1 note`, which were there before the change; empty for none."""
    counts = Counter(item.severity for item in suppressed if item.suppressed_by == BASE)
    listed = ", ".join(count(counts[severity], str(severity)) for severity in Severity if counts[severity])
    return f"{count(counts.total(), 'finding')} of the base: {listed}" if listed else ""


def other_behavior(report: Report[Any]) -> str:
    """The computed Kruise release; empty for the default, and for a run that failed before it computed anything."""
    return "" if report.facts is None or report.release is DEFAULT else report.release.behavior


def failure_line(findings: Iterable[Finding]) -> str:
    """`4 errors in 3 files; nothing was written`."""
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    files = len({finding.place.file for finding in errors if finding.place})
    summary = f"{len(errors)} error{'s' * (len(errors) != 1)}"
    where = f" in {files} file{'s' * (files != 1)}" if files else ""
    return f"{summary}{where}; nothing was written"


def failed_unwritten(report: Report[Any], facts: RunFacts) -> bool:
    """Whether the run failed and wrote nothing; with `--check`, which never writes, just whether it failed."""
    return not facts.written if facts.writes else bool(report.failure)


def unread_files(findings: Iterable[Finding]) -> int:
    """The number of files that could not be read, from the findings of a run, not of its objects."""
    return len({finding.place.file for finding in findings if finding.place and finding.severity is Severity.ERROR})


def summary_line(outcomes: Mapping[Outcome, int], word: str, warnings: int, unread: int = 0, files: int = 0) -> str:
    """`3 injected, 1 unchanged, 2 skipped; 7 other objects; 5 files read; 1 warning; 1 unreadable file`."""
    counts = Counter(outcomes)
    others = (Outcome.DRIFTED, Outcome.UNCHANGED, Outcome.SKIPPED, Outcome.FAILED)
    summary = [f"{counts[outcome]} {outcome}" for outcome in others if counts[outcome]]
    parts = [", ".join([f"{counts[Outcome.CHANGED]} {word}", *summary])]
    if rest := counts[Outcome.OTHER]:
        parts.append(f"{rest} other object{'s' * (rest > 1)}")
    if files:
        parts.append(f"{files} file{'s' * (files > 1)} read")
    if warnings:
        parts.append(f"{warnings} warning{'s' * (warnings > 1)}")
    if unread:
        parts.append(f"{unread} unreadable file{'s' * (unread > 1)}")
    return "; ".join(parts)


def outcome_word(outcome: Outcome, facts: RunFacts) -> str:
    """The outcome of an object, in the word of the command."""
    return facts.word if outcome is Outcome.CHANGED else str(outcome)


def result_summary(result: ObjectResult) -> str:
    """The reason and the summary of the change of an object."""
    change = result.change
    return f"{change.reason}: {change.summary}" if change.reason else change.summary
