"""The hashes of SidecarSets."""

from collections.abc import Iterator, Sequence

from sidecarctl.operations.report import Report
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.page import Page
from sidecarctl.sidecarset.sets import SidecarSet


def hash_text(report: Report[Sequence[SidecarSet]], page: Page) -> Iterator[str]:
    """A line per SidecarSet: name, hash, hash without image."""
    del page
    for fact in report.facts:
        yield shown(f"{fact.name}  {fact.hash}  {fact.hash_without_image}") + "\n"
