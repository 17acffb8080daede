"""Reports that are already text."""

from sidecarctl.operations.report import Report
from sidecarctl.reports.page import Page


def message_text(report: Report[str], page: Page) -> str:
    """The text."""
    del page
    return report.facts
