"""The findings of a validation as lines: the findings are the document, their counts the report."""

from collections.abc import Iterator

from sidecarctl.facts.findings import Severity
from sidecarctl.operations.report import Report
from sidecarctl.operations.validating.facts import ValidationFacts
from sidecarctl.reports.layout.lines import finding_line
from sidecarctl.reports.page import Page
from sidecarctl.reports.run.folding import folded_lines
from sidecarctl.reports.verbosity import Verbosity


def validation_text(report: Report[ValidationFacts], page: Page) -> Iterator[str]:
    """A line for each finding, notes last; repeated notes are folded."""
    del page
    findings = report.facts.findings
    yield from (f"{finding_line(finding)}\n" for finding in findings if finding.severity is not Severity.NOTE)
    yield from (
        f"{line}\n" for line in folded_lines(finding for finding in findings if finding.severity is Severity.NOTE)
    )


def validation_summary(report: Report[ValidationFacts], verbosity: Verbosity) -> Iterator[str]:
    """What could not be read, and the counts; the findings are in the document."""
    yield from (f"{finding_line(failure)}\n" for failure in report.facts.failures)
    if verbosity > Verbosity.QUIET:
        yield f"{summary(report.facts)}\n"


def summary(facts: ValidationFacts) -> str:
    """`2 SidecarSets in 3 files: 1 error, 4 notes; 2 suppressed; 1 error while reading`."""
    found = [_number(number, str(severity)) for severity, number in facts.counts.items() if number]
    looked_at = f"{_number(facts.sidecarsets, 'SidecarSet')} in {_number(facts.files, 'file')}"
    upgrade = f"upgrade from {facts.upgraded_from}, " if facts.upgraded_from else ""
    parts = [f"{upgrade}{looked_at}: {', '.join(found) or 'no findings'}"]
    if facts.suppressed:
        parts.append(f"{facts.suppressed} suppressed")
    if facts.failures:
        parts.append(f"{_number(len(facts.failures), 'error')} while reading")
    return "; ".join(parts)


def _number(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
