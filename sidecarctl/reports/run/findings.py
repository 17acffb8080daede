"""All findings of a run, for report formats that list only findings: their rules, relative paths and fingerprints."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sidecarctl.facts.findings import Finding, Severity, error
from sidecarctl.facts.reason_remedies import REMEDIES
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.start_up import sha256
from sidecarctl.facts.values import path_text
from sidecarctl.operations.report import ObjectResult, Outcome, Report, RunFacts
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
    """The findings of an object; with `--check` also that it would change."""
    yield from result.change.findings
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
    """What a rule finds, in a few words; what it is about, and what to do about a finding, in sentences; its page."""

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
    if identifier in set(Reason):
        reason = Reason(identifier)
        return RuleText(reason.sentence.removesuffix("."), reason.sentence, REMEDIES[reason], f"{_PAGES}/reasons.md")
    from sidecarctl.validation.catalogue import rules  # loads every rule

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
