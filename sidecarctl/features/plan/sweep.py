"""The rollout for several values of partition or maxUnavailable, as a table."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sidecarctl.engine.facts.findings import document_head
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.summary.rollout_plan import clock, ends_at
from sidecarctl.features.plan.plan import SweepFacts, SweepRow
from sidecarctl.features.plan.rows import options_document
from sidecarctl.render.formats import Formats, data_formats
from sidecarctl.render.lines import shown
from sidecarctl.render.markdown import cell, fitting
from sidecarctl.render.output import Page

if TYPE_CHECKING:
    from sidecarctl.render.page import HtmlPage

_TITLES = ("UPDATED", "OLD", "WAVES", "ROUNDS", "DOWN", "ENDING")

_WIDTH = 100
_NO_SET = "no SidecarSet\n"


def sweep_text(report: Report[SweepFacts], page: Page) -> str:
    """A table for each SidecarSet; DOWN is the largest number of pods unavailable at once.

    A narrow terminal gets no columns for old pods and rounds.
    """
    field, rows, width = report.facts.field, report.facts.rows, max(page.width or _WIDTH, 40)
    seconds = report.facts.options.step_seconds
    blocks = []
    for name in dict.fromkeys(row.set_name for row in rows):
        own = [row for row in rows if row.set_name == name]
        titles = (*_TITLES[:-1], *(("TIME",) if seconds else ()), _TITLES[-1])
        lines = [(field, *titles), *((str(row.value), *sweep_cells(row, seconds)) for row in own)]
        columns = [max(map(len, column)) for column in zip(*lines, strict=True)]
        if 2 * len(columns) + sum(columns) > width:  # what follows from the others
            lines = [(*line[:2], line[3], *line[5:]) for line in lines]
            columns = [*columns[:2], columns[3], *columns[5:]]
        blocks.append(
            "\n".join([shown(f"SidecarSet {name}: {pods_before(own[0])}"), *(_line(line, columns) for line in lines)])
        )
    return "\n\n".join(blocks) + "\n" if blocks else _NO_SET


def sweep_markdown(report: Report[SweepFacts], _page: Page) -> str:
    """The same as a Markdown table."""
    field, rows = report.facts.field, report.facts.rows
    seconds = report.facts.options.step_seconds
    blocks = []
    for name in dict.fromkeys(row.set_name for row in rows):
        own = [row for row in rows if row.set_name == name]
        head = [f"### SidecarSet {cell(name)}: {pods_before(own[0])}", ""]
        titles = (field, *sweep_titles(seconds))
        table = [_markdown_line(titles), _markdown_line(["--:"] * (len(titles) - 1) + ["---"])]
        rows_of_set = (_markdown_line((str(row.value), *sweep_cells(row, seconds))) for row in own)
        blocks.append("\n".join([*head, *table, *rows_of_set]) + "\n")
    return fitting(blocks[0], blocks[1:], "set") if blocks else _NO_SET


def sweep_data(report: Report[SweepFacts]) -> Object:
    """The table as an object of kind RolloutSweep (schemas/rollout-sweep.json)."""
    facts = report.facts
    return {
        **document_head("RolloutSweep", report.release.behavior, facts.gates),
        **report.cluster(),
        "options": options_document(facts.options),
        "field": facts.field,
        "rows": [_row_document(row, facts.options.step_seconds) for row in facts.rows],
    }


def _row_document(row: SweepRow, step_seconds: int | None) -> Object:
    status, plan = row.plan.outcome.status, row.plan
    return {
        "value": row.value,
        "sidecarSet": row.set_name,
        "matchedPods": status.matched,
        "updatedPods": status.updated,
        "waves": len(plan.waves),
        "rounds": plan.rounds,
        "largestUnavailable": plan.outcome.largest_unavailable,
        **({"endsAtSeconds": ends_at(plan, step_seconds)} if step_seconds else {}),
        "ending": str(plan.outcome.ending),
    }


def sweep_titles(step_seconds: int | None) -> tuple[str, ...]:
    """The headings of the columns."""
    time = ("time",) if step_seconds else ()
    return ("updated", "old", "waves", "rounds", "most unavailable", *time, "ending")


def sweep_cells(row: SweepRow, step_seconds: int | None) -> tuple[str, ...]:
    """The cells of a row."""
    status, plan = row.plan.outcome.status, row.plan
    numbers = (status.updated, status.matched - status.updated, len(plan.waves), plan.rounds)
    time = (clock(ends_at(plan, step_seconds)),) if step_seconds else ()
    said = (f"{count:,}" for count in (*numbers, plan.outcome.largest_unavailable))
    return (*said, *time, str(plan.outcome.ending))


def pods_before(row: SweepRow) -> str:
    """The number of pods of the SidecarSet, and how many are already updated."""
    before = row.plan.before
    return f"{before.matched:,} pods, {before.updated:,} updated"


def _line(cells: Sequence[str], columns: Sequence[int]) -> str:
    first, *numbers, last = cells
    aligned = [f"{text:>{width}}" for text, width in zip(numbers, columns[1:-1], strict=True)]
    return "  ".join(["  " + f"{first:<{columns[0]}}", *aligned, last])


def _markdown_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _html(report: Report[Any], page: Page) -> "HtmlPage":
    from sidecarctl.features.plan.sweep_page import sweep_html  # loads the template engine

    return sweep_html(report, page)


FORMATS: Mapping[str, Formats] = {
    "sweep": data_formats(sweep_data, text=sweep_text, markdown=sweep_markdown, html=_html)
}
"""The formats of a sweep."""
