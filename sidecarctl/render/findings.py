"""Findings as a report of their own: lines of text, tables of Markdown, sections of a page."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.values import path_text
from sidecarctl.render.lines import finding_line, rule_id, shown
from sidecarctl.render.output import Page, Verbosity

if TYPE_CHECKING:  # `inject` has no documents
    from sidecarctl.render.blocks import FindingList

MOST_ALIKE = {Severity.ERROR: 3, Severity.WARNING: 3, Severity.NOTE: 1}
"""How many findings with the same message have lines of their own."""


def folded_lines(findings: Iterable[Finding]) -> Iterator[str]:
    """A line for each finding, each note once, then a line for the rest of those with the same message."""
    counts: Counter[tuple[Severity, str, str]] = Counter()
    for finding in findings:
        kind = finding.severity, rule_id(finding), finding.message
        counts[kind] += 1
        if counts[kind] <= MOST_ALIKE[finding.severity]:
            yield finding_line(finding)
    for (severity, code, message), number in sorted(counts.items(), key=lambda each: each[0][0] is Severity.NOTE):
        if number > MOST_ALIKE[severity]:
            yield shown(f"{severity}: {number - MOST_ALIKE[severity]:,} more: {message} [{code}]")


def summarized_findings(findings: Iterable[Finding]) -> Iterator[str]:
    """The first finding of each severity, reason and message, and how many more there are; without errors."""
    groups: dict[tuple[str, str, str], tuple[Finding, int]] = {}
    for finding in findings:
        if finding.severity is not Severity.ERROR:
            kind = finding.severity, rule_id(finding), finding.message
            first, number = groups.get(kind, (finding, 0))
            groups[kind] = first, number + 1
    for (severity, code, message), (first, number) in groups.items():
        yield finding_line(first) if number == 1 else shown(f"{severity}: {number:,} times: {message} [{code}]")


def findings_text(block: "FindingList", page: Page) -> Iterator[str]:
    """A line for each finding, notes last; repeated notes are folded. If quiet, only what counts as an error."""
    findings = block.findings
    if page.verbosity is Verbosity.QUIET:
        graves = {Severity.ERROR, Severity.WARNING} if page.strict else {Severity.ERROR}
        findings = [finding for finding in findings if finding.severity in graves]
    if page.verbosity is Verbosity.SUMMARY:
        yield from (finding_line(finding) for finding in findings if finding.severity is Severity.ERROR)
        yield from summarized_findings(findings)
    else:
        yield from (finding_line(finding) for finding in findings if finding.severity is not Severity.NOTE)
        yield from folded_lines(finding for finding in findings if finding.severity is Severity.NOTE)
    yield from (f"suppressed by {by}: {finding_line(finding)}" for finding, by in block.suppressed)


_AROUND = 2
_MOST_FINDINGS = 500


class PlacedFinding(NamedTuple):
    """A finding in its parts, its file, and the lines around it: number, text, whether the finding is about it."""

    severity: str
    code: str
    where: tuple[str, str, str]
    message: str
    hint: str
    file: str
    lines: tuple[tuple[int, str, bool], ...]


class FindingsView(NamedTuple):
    """The findings by severity, with their numbers, and grouped by message.

    `rules` that are broken: id, how often, texts. `more`: findings that are counted, but not shown.
    """

    sections: tuple[tuple[str, int, tuple[tuple[PlacedFinding, ...], ...]], ...]
    rules: tuple[tuple[str, int, tuple[str, ...]], ...]
    more: int
    suppressed: tuple[PlacedFinding, ...]


def findings_view(block: "FindingList", page: Page) -> FindingsView:
    """The findings as a page shows them."""
    every = by_severity([*block.failures, *block.findings])
    drawn = every if page.all_pods else every[:_MOST_FINDINGS]
    found = (finding._replace(message=f"{finding.message}: suppressed by {by}") for finding, by in block.suppressed)
    return FindingsView(
        tuple(_sections(drawn, block.excerpts)),
        tuple((code, number, block.about(code)) for code, number in sorted(Counter(map(rule_id, drawn)).items())),
        len(every) - len(drawn),
        tuple(_placed(finding, {})._replace(file="") for finding in found)[:_MOST_FINDINGS],
    )


def by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """Errors, warnings, notes, each in their original order."""
    return sorted(findings, key=lambda finding: [*Severity].index(finding.severity))


def _sections(
    findings: Sequence[Finding], excerpts: Mapping[str, Mapping[int, str]]
) -> Iterator[tuple[str, int, tuple[tuple[PlacedFinding, ...], ...]]]:
    for severity in dict.fromkeys(finding.severity for finding in findings):
        groups: dict[tuple[str, str], list[PlacedFinding]] = {}
        for finding in findings:
            if finding.severity is severity:
                groups.setdefault((rule_id(finding), finding.message), []).append(_placed(finding, excerpts))
        yield str(severity), sum(map(len, groups.values())), tuple(map(tuple, groups.values()))


def _placed(finding: Finding, excerpts: Mapping[str, Mapping[int, str]]) -> PlacedFinding:
    file = finding.place.file if finding.place else ""
    return PlacedFinding(
        str(finding.severity),
        rule_id(finding),
        (str(finding.place or ""), str(finding.subject or ""), path_text(finding.path)),
        finding.message,
        finding.hint,
        file,
        tuple(_lines(finding, excerpts.get(file, {}))),
    )


def _lines(finding: Finding, lines: Mapping[int, str]) -> Iterator[tuple[int, str, bool]]:
    marked = finding.place.line if finding.place else None
    if marked:
        for number in range(marked - _AROUND, marked + _AROUND + 1):
            if number in lines:
                yield number, lines[number], number == marked
