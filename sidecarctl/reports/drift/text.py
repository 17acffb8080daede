"""The drift of pods as text and as Markdown."""

from collections.abc import Iterator
from textwrap import wrap

from sidecarctl.operations.drifting.drifts import DriftFacts, SetDrift
from sidecarctl.operations.report import Report
from sidecarctl.reports.drift.rows import (
    FOLDED_HEADER,
    HEADER,
    cluster_rows,
    drifted_pods,
    folded_rows,
    head_rows,
    ignored_rows,
    pod_rows,
)
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.layout.markdown import cell, code, fitting
from sidecarctl.reports.layout.tables import table
from sidecarctl.reports.output import Page

_FOLDED_FROM = 21
"""With this many drifted pods or more, the table of a SidecarSet has a row per group of pods, not per pod."""


def drift_text(report: Report[DriftFacts], page: Page) -> str:
    """The counts of each SidecarSet, and its drifted pods; very many are grouped."""
    sets = ["".join(f"{line}\n" for line in _set_lines(item, page)) for item in report.facts.sets]
    ignored = "".join(f"{line}\n" for line in ignored_rows(iter(report.facts.ignored.items())))
    cluster = "".join(f"{shown(line)}\n" for line in cluster_rows(report.facts.cluster))
    return "\n".join(filter(None, [cluster, *sets, ignored]))


def _set_lines(item: SetDrift, page: Page) -> Iterator[str]:
    title, *rows = map(shown, head_rows(item))
    for line in (title, *(f"  {row}" for row in rows)):
        yield from wrap(line, page.width, subsequent_indent="            ") if page.width else [line]
    pods = drifted_pods(item, every=page.all_pods)
    if not pods:
        return
    yield ""
    if len(pods) < _FOLDED_FROM or page.all_pods:
        yield from table(HEADER, pod_rows(item, pods), page.width, "  ")
    else:
        yield from table(FOLDED_HEADER, folded_rows(item, pods), page.width, "  ")


_MOST_PODS = 50


def drift_markdown(report: Report[DriftFacts], page: Page) -> str:
    """A section for each SidecarSet, the ignored fields, then the findings."""
    number = len(report.facts.sets)
    head = f"### Drift from {number} SidecarSet{'' if number == 1 else 's'}\n"
    sections = ["\n".join(_section(item, page)) + "\n" for item in report.facts.sets]
    rest = [f"- {cell(line)}\n" for line in cluster_rows(report.facts.cluster)]
    rest += [f"- {cell(line)}\n" for line in ignored_rows(iter(report.facts.ignored.items()))]
    rest += [f"- {cell(f'{item.severity}: {item}')} ({code(item.reason)})\n" for item in report.findings]
    return fitting(fitting(head, sections, "SidecarSet"), ["#### Notes\n\n" + "".join(rest)] if rest else [], "")


def _section(item: SetDrift, page: Page) -> Iterator[str]:
    title, *rows = head_rows(item)
    yield f"#### {cell(title)}"
    yield ""
    yield from (f"- {cell(row)}" for row in rows)
    if pods := drifted_pods(item, every=page.all_pods):
        yield ""
        is_folded = len(pods) > _MOST_PODS and not page.all_pods
        header = FOLDED_HEADER if is_folded else HEADER
        yield f"| {' | '.join(name.lower() for name in header)} |"
        yield "| --- " * len(header) + "|"
        for row in folded_rows(item, pods) if is_folded else pod_rows(item, pods):
            yield f"| {' | '.join(map(cell, row))} |"
