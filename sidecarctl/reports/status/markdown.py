"""The status of SidecarSets as Markdown, short enough for a pull request comment or a job summary."""

from collections.abc import Iterator

from sidecarctl.facts.findings import Finding
from sidecarctl.operations.report import Report
from sidecarctl.operations.status import SetStatus, StatusFacts
from sidecarctl.reports.layout.markdown import cell, code, fitting
from sidecarctl.reports.page import Page
from sidecarctl.reports.status.rows import folded_rows, head_rows, pod_rows

_MOST_PODS = 50
"""With this many pods or more, a table has a row per group of pods."""


def status_markdown(report: Report[StatusFacts], page: Page) -> str:
    """A section for each SidecarSet, then the findings."""
    number = len(report.facts.sets)
    head = f"### Status of {number} SidecarSet{'' if number == 1 else 's'}\n"
    sections = ["\n".join(_section(status, all_pods=page.all_pods)) + "\n" for status in report.facts.sets]
    found = [f"- {_finding(finding)}\n" for finding in report.findings]
    return fitting(fitting(head, sections, "SidecarSet"), ["#### Findings\n\n" + "".join(found)] if found else [], "")


def _section(status: SetStatus, *, all_pods: bool) -> Iterator[str]:
    title, *rows = head_rows(status)
    yield f"#### {cell(title)}"
    yield ""
    yield from (f"- {cell(row)}" for row in rows)
    yield ""
    if len(status.pods) + len(status.left_out) <= _MOST_PODS or all_pods:
        yield from _table(("pod", "state", "revision", "ready", "why"), pod_rows(status))
    else:
        yield from _table(("pods", "state", "revision", "ready", "which"), folded_rows(status))


def _table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    if rows:
        yield f"| {' | '.join(header)} |"
        yield "| --- " * len(header) + "|"
        yield from (f"| {' | '.join(map(cell, row))} |" for row in rows)


def _finding(finding: Finding) -> str:
    return f"{cell(f'{finding.severity}: {finding}')} ({code(finding.reason)})"
