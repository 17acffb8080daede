"""All findings of a run, and its summary, for every format of a report."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from sidecarctl.facts.findings import Finding, Severity, error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.start_up import sha256
from sidecarctl.facts.values import path_text
from sidecarctl.operations.report import ObjectResult, Outcome, Report, RunFacts
from sidecarctl.releases.release import DEFAULT
from sidecarctl.reports.layout.lines import finding_line, shown
from sidecarctl.reports.output import RunEnd

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
        is_about_another = finding.subject not in (None, result.reference)
        yield finding._replace(message=f"{finding.message} (in {result.reference})") if is_about_another else finding
    if isinstance(facts, RunFacts) and not facts.writes and result.change.outcome is Outcome.CHANGED:
        message = " ".join(filter(None, [facts.word, result.change.summary]))
        yield error(facts.differs, message)._replace(subject=result.reference, place=result.place)


def most_severe_first(findings: Iterable[Finding]) -> list[Finding]:
    """Errors, warnings, notes, each in their original order."""
    return sorted(findings, key=lambda finding: _ORDER.index(finding.severity))


def said(finding: Finding) -> str:
    """The message with its hint, without object, file and position."""
    where = path_text(finding.path)
    text = f"{where}: {finding.message}" if where else finding.message
    return f"{text} ({finding.hint})" if finding.hint else text


def said_of_all(finding: Finding, file: str) -> str:
    """The same with the object; with the place too, if the report has no file for it."""
    where = [str(part) for part in (None if file else finding.place, finding.subject) if part]
    return ": ".join([*where, said(finding)])


def with_fingerprints(findings: Iterable[Finding], end: RunEnd) -> Iterator[tuple[Finding, str]]:
    """The findings with fingerprints that are unique in the run and do not change when lines above them do."""
    seen: Counter[str] = Counter()
    for finding in findings:
        identity = _identity(finding, end)
        seen[identity] += 1
        yield finding, sha256(f"{identity}\0{seen[identity]}".encode(errors="replace")).hexdigest()


def _identity(finding: Finding, end: RunEnd) -> str:
    file = end.file_of(finding.place)
    message = re.sub(r"[0-9]+", "", finding.message)  # lines and counts in the message
    return "\0".join([rule_id(finding), file, str(finding.subject or ""), path_text(finding.path), message])


class RuleText(NamedTuple):
    """What a rule finds, in a few words; its explanation and what to do about a finding, in sentences; its page."""

    defect: str
    sentence: str
    remedy: str
    page: str


_PAGES = "https://github.com/sidecarctl/sidecarctl/blob/main/docs"


def rule_id(finding: Finding) -> str:
    """The stable id, such as `no-resources` (docs/rules.md) or `UnknownField` (docs/reasons.md)."""
    return finding.rule or str(finding.reason)


def rule_text(identifier: str) -> RuleText:
    """The texts of a rule of `validate`, or of a reason code."""
    from sidecarctl.facts.reason_remedies import REMEDIES  # few reports say what to do about findings

    if identifier in set(Reason):
        reason = Reason(identifier)
        return RuleText(reason.sentence.removesuffix("."), reason.sentence, REMEDIES[reason], f"{_PAGES}/reasons.md")
    from sidecarctl.validation.catalog import rules  # loads every rule

    rule = rules()[identifier]
    remedy = f"{rule.why} To fix it: {rule.mend}."
    return RuleText(rule.defect, rule.sentence, remedy, f"{_PAGES}/rules.md#{rule.id}")


_SHOWN = 3


class Folding:
    """Counts findings with the same message; the first `most` of them have their own lines."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def shows(self, finding: Finding) -> bool:
        """Count a finding; whether it has its own line."""
        kind = finding.severity, rule_id(finding), finding.message
        self._counts[kind] += 1
        return self._counts[kind] <= self._most

    def rest(self) -> Iterator[str]:
        """A line for all others of a kind."""
        for (severity, code, message), number in self._counts.items():
            if number > self._most:
                yield shown(f"{severity}: {number - self._most:,} more: {message} [{code}]")


def folded_lines(findings: Iterable[Finding]) -> Iterator[str]:
    """A line for each finding, each note once, then a line for the rest of those with the same message."""
    notes, others = Folding(1), Folding(_SHOWN)
    for finding in findings:
        folding = notes if finding.severity is Severity.NOTE else others
        if folding.shows(finding):
            yield finding_line(finding)
    yield from others.rest()
    yield from notes.rest()


OUTCOME_WORDS = {
    Outcome.UNCHANGED: "unchanged",
    Outcome.SKIPPED: "skipped",
    Outcome.FAILED: "failed",
    Outcome.OTHER: "other",
}


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
    suppressed = f"; {len(report.suppressed)} suppressed" if report.suppressed else ""
    return (", ".join(counts) or ended) + suppressed


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
