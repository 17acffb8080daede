"""A validation as a page: findings by file, each with the lines that it is about."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.values import Object
from sidecarctl.operations.report import Report
from sidecarctl.operations.validating.facts import ValidationFacts
from sidecarctl.reports.html.findings import FindingRow, finding_row
from sidecarctl.reports.page import Page
from sidecarctl.reports.validation.text import summary

_AROUND = 2
_MOST_FINDINGS = 500


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a file; `is_marked`: the finding is about this line."""

    number: int
    text: str
    is_marked: bool


@dataclass(frozen=True, slots=True)
class PlacedFinding:
    """A finding, and the lines around it."""

    row: FindingRow
    lines: tuple[SourceLine, ...]


@dataclass(frozen=True, slots=True)
class FileSection:
    """A file with its findings, notes apart; `counts` says how many of each severity."""

    file: str
    counts: tuple[tuple[str, int], ...]
    findings: tuple[PlacedFinding, ...]
    notes: tuple[PlacedFinding, ...]


@dataclass(frozen=True, slots=True)
class ValidationPage:
    """A whole validation. `more`: findings that are counted, but not shown."""

    title: str
    behaviour: str
    json_file: str
    mood: str
    summary: str
    counts: tuple[tuple[str, int], ...]
    files: tuple[FileSection, ...]
    more: int
    data: Object


def validation_html(report: Report[ValidationFacts], page: Page) -> Iterator[str]:
    """The page, in parts."""
    from sidecarctl.reports.html.rendering import rendered

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
        mood=_mood(every),
        summary=summary(facts),
        counts=_counts(every),
        files=tuple(
            _section(name, [finding for finding in shown if _file(finding) == name], facts.excerpts) for name in files
        ),
        more=len(every) - len(shown),
        data={},
    )


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
