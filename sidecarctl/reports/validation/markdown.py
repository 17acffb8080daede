"""The findings of a validation as Markdown, short enough for a pull request comment."""

from collections.abc import Iterable, Iterator

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.paths import path_text
from sidecarctl.operations.report import Report
from sidecarctl.operations.validating.facts import ValidationFacts
from sidecarctl.reports.layout.markdown import cell, code, fitting
from sidecarctl.reports.page import Page
from sidecarctl.reports.validation.text import summary

_TITLES = {Severity.ERROR: "Errors", Severity.WARNING: "Warnings", Severity.NOTE: "Notes"}


def validation_markdown(report: Report[ValidationFacts], page: Page) -> str:
    """The counts, then a table for each severity, most severe first."""
    del page
    facts = report.facts
    every = [*facts.failures, *facts.findings]
    sections = [
        "\n".join(_table(title, [finding for finding in every if finding.severity is severity])) + "\n"
        for severity, title in _TITLES.items()
        if any(finding.severity is severity for finding in every)
    ]
    return fitting(f"### Validation of SidecarSets\n\n{cell(summary(facts))}\n", sections, "table")


def _table(title: str, findings: Iterable[Finding]) -> Iterator[str]:
    yield f"#### {title}\n"
    yield "| where | finding | rule |"
    yield "| --- | --- | --- |"
    for finding in findings:
        where = code(str(finding.place or finding.subject or ""))
        field = f"{code(path_text(finding.path))}: " if finding.path else ""
        hint = f" ({cell(finding.hint)})" if finding.hint else ""
        yield f"| {where} | {field}{cell(finding.message)}{hint} | {code(finding.rule or str(finding.reason))} |"
