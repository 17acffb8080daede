"""A validation as a page: findings by file, each with the lines that it is about."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.values import Object
from sidecarctl.operations.report import Report
from sidecarctl.operations.validate import ValidationFacts
from sidecarctl.reports.html.rendering import FindingRow, finding_row, rendered
from sidecarctl.reports.output import Page
from sidecarctl.reports.validation import SUPPRESSED_BY, summary

_AROUND = 2
_MOST_FINDINGS = 500


class SourceLine(NamedTuple):
    """A line of a file; `is_marked`: the finding is about this line."""

    number: int
    text: str
    is_marked: bool


class PlacedFinding(NamedTuple):
    """A finding, and the lines around it."""

    row: FindingRow
    lines: tuple[SourceLine, ...]


class FileSection(NamedTuple):
    """A file with its findings, notes apart; `counts` says how many of each severity."""

    file: str
    counts: tuple[tuple[str, int], ...]
    findings: tuple[PlacedFinding, ...]
    notes: tuple[PlacedFinding, ...]


class ValidationPage(NamedTuple):
    """A whole validation. `more`: findings that are counted, but not shown; `suppressed`: those to be listed."""

    title: str
    behaviour: str
    json_file: str
    made_by: str
    mood: str
    summary: str
    counts: tuple[tuple[str, int], ...]
    files: tuple[FileSection, ...]
    more: int
    suppressed: tuple[PlacedFinding, ...]
    data: Object


def validation_html(report: Report[ValidationFacts], page: Page) -> Iterator[str]:
    """The page, in parts."""
    return rendered("validation.html", validation_page(report, page))


def validation_page(report: Report[ValidationFacts], page: Page) -> ValidationPage:
    """The model of the page."""
    facts = report.facts
    every = [*facts.failures, *facts.findings]
    shown = every if page.all_pods else every[:_MOST_FINDINGS]
    files = dict.fromkeys(_file(finding) for finding in shown)
    return ValidationPage(
        title="Validation of SidecarSets",
        behaviour=report.release.behaviour,
        json_file=page.json_file,
        made_by=page.made_by,
        mood=_mood(every),
        summary=summary(facts),
        counts=_counts(every),
        files=tuple(
            _section(name, [finding for finding in shown if _file(finding) == name], facts.excerpts) for name in files
        ),
        more=len(every) - len(shown),
        suppressed=_suppressed(report) if facts.shows_suppressed else (),
        data={},
    )


def _suppressed(report: Report[ValidationFacts]) -> tuple[PlacedFinding, ...]:
    rows = ((finding_row(finding), SUPPRESSED_BY[finding.suppressed_by]) for finding in report.suppressed)
    found = [PlacedFinding(row._replace(message=f"{row.message}: suppressed by {by}"), ()) for row, by in rows]
    return tuple(found[:_MOST_FINDINGS])


def _file(finding: Finding) -> str:
    return finding.place.file if finding.place else ""


def _mood(findings: Sequence[Finding]) -> str:
    severities = {finding.severity for finding in findings}
    return "bad" if Severity.ERROR in severities else "odd" if Severity.WARNING in severities else "good"


def _counts(findings: Sequence[Finding]) -> tuple[tuple[str, int], ...]:
    numbers = {severity: sum(finding.severity is severity for finding in findings) for severity in Severity}
    return tuple((str(severity), number) for severity, number in numbers.items() if number)


def _section(file: str, findings: Sequence[Finding], excerpts: Mapping[str, Mapping[int, str]]) -> FileSection:
    lines = excerpts.get(file, {})
    placed = [PlacedFinding(finding_row(finding), tuple(_lines(finding, lines))) for finding in findings]
    notes = tuple(finding for finding in placed if finding.row.severity == Severity.NOTE)
    others = tuple(finding for finding in placed if finding.row.severity != Severity.NOTE)
    return FileSection(file, _counts(findings), others, notes)


def _lines(finding: Finding, lines: Mapping[int, str]) -> Iterator[SourceLine]:
    marked = finding.place.line if finding.place else None
    if marked:
        for number in range(marked - _AROUND, marked + _AROUND + 1):
            if number in lines:
                yield SourceLine(number, lines[number], number == marked)
