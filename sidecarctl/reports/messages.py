"""Reports that are a text already."""

from sidecarctl.operations.report import Report
from sidecarctl.reports.page import Page


def message_text(report: Report[str], page: Page) -> str:
    """The text itself."""
    del page
    return report.facts
