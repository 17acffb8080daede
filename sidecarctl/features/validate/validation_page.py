"""A validation as a page: findings by severity, grouped by message, each with its lines of the file."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.features.validate.report import SUPPRESSED_BY, summary
from sidecarctl.features.validate.validate import ValidationFacts
from sidecarctl.render.lines import rule_id
from sidecarctl.render.output import Page
from sidecarctl.render.page import FindingRow, HtmlPage, finding_row
from sidecarctl.render.run.code_hosts import RuleText, rule_text
from sidecarctl.render.run.findings import most_severe_first

_AROUND = 2
_MOST_FINDINGS = 500


class PlacedFinding(NamedTuple):
    """A finding, its file, and the lines around it: number, text, and whether the finding is about it."""

    row: FindingRow
    file: str
    lines: tuple[tuple[int, str, bool], ...]


class ValidationPage(NamedTuple):
    """A whole validation.

    `sections`: each severity with the number of its findings, and these, grouped by message. `rules` that are broken:
    id, how often, text. `more`: findings that are counted, but not shown; `suppressed`: those to be listed.
    """

    title: str
    mood: str
    summary: str
    sections: tuple[tuple[str, int, tuple[tuple[PlacedFinding, ...], ...]], ...]
    rules: tuple[tuple[str, int, RuleText], ...]
    more: int
    suppressed: tuple[PlacedFinding, ...]
    data: Object
    findings: tuple[FindingRow, ...] = ()


def validation_html(report: Report[ValidationFacts], page: Page) -> HtmlPage:
    """The page."""
    facts = report.facts
    every = most_severe_first([*facts.failures, *facts.findings])
    shown = every if page.all_pods else every[:_MOST_FINDINGS]
    model = ValidationPage(
        title="Validation of SidecarSets",
        mood=_mood(every),
        summary=summary(facts),
        sections=tuple(_sections(shown, facts.excerpts)),
        rules=tuple((code, number, rule_text(code)) for code, number in sorted(Counter(map(rule_id, shown)).items())),
        more=len(every) - len(shown),
        suppressed=_suppressed(report) if facts.shows_suppressed else (),
        data={},
    )
    return HtmlPage("validation.html", model, page, report.release.behavior)


def _suppressed(report: Report[ValidationFacts]) -> tuple[PlacedFinding, ...]:
    rows = ((finding_row(finding), SUPPRESSED_BY[finding.suppressed_by]) for finding in report.suppressed)
    found = [PlacedFinding(row._replace(message=f"{row.message}: suppressed by {by}"), "", ()) for row, by in rows]
    return tuple(found[:_MOST_FINDINGS])


def _mood(findings: Sequence[Finding]) -> str:
    severities = {finding.severity for finding in findings}
    return "bad" if Severity.ERROR in severities else "odd" if Severity.WARNING in severities else "good"


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
    return PlacedFinding(finding_row(finding), file, tuple(_lines(finding, excerpts.get(file, {}))))


def _lines(finding: Finding, lines: Mapping[int, str]) -> Iterator[tuple[int, str, bool]]:
    marked = finding.place.line if finding.place else None
    if marked:
        for number in range(marked - _AROUND, marked + _AROUND + 1):
            if number in lines:
                yield number, lines[number], number == marked
