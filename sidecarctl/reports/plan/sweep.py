"""What each of several values of partition or maxUnavailable gives, as a table."""

from collections.abc import Sequence
from typing import NamedTuple

from sidecarctl.facts.values import Object
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.layout.markdown import cell, fitting
from sidecarctl.rollout.plans import SetPlan

_TITLES = ("UPDATED", "OLD", "WAVES", "ROUNDS", "DOWN", "ENDING")

_NO_SET = "no SidecarSet\n"


class SweepRow(NamedTuple):
    """The rollout of one set with one of the values."""

    value: int | str
    set_name: str
    plan: SetPlan


def sweep_text(field: str, rows: Sequence[SweepRow], width: int) -> str:
    """A table for each set; DOWN is the largest number of pods that are unavailable at once.

    On a narrow terminal without the numbers of old pods and of rounds.
    """
    blocks = []
    for name in dict.fromkeys(row.set_name for row in rows):
        own = [row for row in rows if row.set_name == name]
        lines = [(field, *_TITLES), *((str(row.value), *_cells(row)) for row in own)]
        columns = [max(map(len, column)) for column in zip(*lines, strict=True)]
        if 2 * len(columns) + sum(columns) > width:  # what follows from the others
            lines = [(*line[:2], line[3], *line[5:]) for line in lines]
            columns = [*columns[:2], columns[3], *columns[5:]]
        blocks.append(
            "\n".join([shown(f"SidecarSet {name}: {_pods(own[0])}"), *(_line(one, columns) for one in lines)])
        )
    return "\n\n".join(blocks) + "\n" if blocks else _NO_SET


def sweep_markdown(field: str, rows: Sequence[SweepRow]) -> str:
    """The same as a Markdown table."""
    blocks = []
    for name in dict.fromkeys(row.set_name for row in rows):
        own = [row for row in rows if row.set_name == name]
        head = [f"### SidecarSet {cell(name)}: {_pods(own[0])}", ""]
        titles = (field, "updated", "old", "waves", "rounds", "most unavailable", "ending")
        table = [_markdown_line(titles), _markdown_line(["--:"] * 6 + ["---"])]
        rows_of_set = (_markdown_line((str(row.value), *_cells(row))) for row in own)
        blocks.append("\n".join([*head, *table, *rows_of_set]) + "\n")
    return fitting(blocks[0], blocks[1:], "set") if blocks else _NO_SET


def sweep_document(field: str, rows: Sequence[SweepRow], behaviour: str, options: Object) -> Object:
    """The table as an object of kind RolloutSweep (schemas/rollout-sweep.json)."""
    return {
        "apiVersion": "sidecarctl.dev/v1alpha1",
        "kind": "RolloutSweep",
        "behaviour": behaviour,
        "options": options,
        "field": field,
        "rows": [_row_document(row) for row in rows],
    }


def _row_document(row: SweepRow) -> Object:
    status, plan = row.plan.outcome.status, row.plan
    return {
        "value": row.value,
        "set": row.set_name,
        "matchedPods": status.matched,
        "updatedPods": status.updated,
        "waves": len(plan.waves),
        "rounds": plan.rounds,
        "largestUnavailable": plan.outcome.largest_unavailable,
        "ending": str(plan.outcome.ending),
    }


def _cells(row: SweepRow) -> tuple[str, ...]:
    status, plan = row.plan.outcome.status, row.plan
    numbers = (status.updated, status.matched - status.updated, len(plan.waves), plan.rounds)
    return (*(f"{count:,}" for count in (*numbers, plan.outcome.largest_unavailable)), str(plan.outcome.ending))


def _pods(row: SweepRow) -> str:
    before = row.plan.before
    return f"{before.matched:,} pods, {before.updated:,} updated"


def _line(cells: Sequence[str], columns: Sequence[int]) -> str:
    first, *numbers, last = cells
    aligned = [f"{text:>{width}}" for text, width in zip(numbers, columns[1:-1], strict=True)]
    return "  ".join(["  " + f"{first:<{columns[0]}}", *aligned, last])


def _markdown_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
