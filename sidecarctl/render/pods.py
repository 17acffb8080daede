"""Pods on a page: a bar and squares by their states, how they spread, and a table to search."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sidecarctl.engine.facts.values import Object
from sidecarctl.render.blocks import PodList, PodRow, Table
from sidecarctl.render.lines import shown
from sidecarctl.render.output import Page
from sidecarctl.render.page import breakable
from sidecarctl.render.text import FOLDED_FROM

_MOST_SEARCHED = 100_000
_MOST_SQUARES = 1_500
_MOST_ROWS = 200
_SIZES = [size * 10**power for power in range(9) for size in (1, 2, 5)]


class StateGroup(NamedTuple):
    """The pods of a state: their number, and the tooltips of the squares, each for a pod or for several pods."""

    state: str
    color: str
    pods: int
    squares: tuple[str, ...]


class SpreadRow(NamedTuple):
    """The pods of a namespace, a workload or a SidecarSet by their states, as they are in the bar."""

    name: str
    pods: int
    bar: tuple[StateGroup, ...]


class PodsView(NamedTuple):
    """The pods of a SidecarSet. `size`: the most pods of a square; `table`: the index of its rows in the data.

    `spreads`: the pods by namespace and by workload, if there are several.
    """

    name: str
    more: str
    pods: int
    size: int
    groups: tuple[StateGroup, ...]
    bar: tuple[StateGroup, ...]
    folded: Table | None
    spreads: tuple[tuple[str, tuple[SpreadRow, ...]], ...]
    rows: Sequence[PodRow]
    table: int


def pods_view(block: PodList, page: Page, table: int) -> tuple[PodsView, Object]:
    """The pods, the worst first, and the data that the script searches."""
    rows = sorted(block.rows(), key=lambda row: row.rank)
    most = len(rows) if page.all_pods else _MOST_ROWS
    size = next(size for size in _SIZES if len(rows) <= size * _MOST_SQUARES)
    groups = tuple(_groups(rows, size))
    view = PodsView(
        name=block.name,
        more=block.more,
        pods=len(rows),
        size=size,
        groups=groups,
        bar=_bar(groups),
        folded=block.folded() if len(rows) >= FOLDED_FROM else None,
        spreads=tuple(_spreads(rows)),
        rows=rows[:most],
        table=table,
    )
    return view, _data(rows, most)


def _spreads(rows: Sequence[PodRow]) -> Iterator[tuple[str, tuple[SpreadRow, ...]]]:
    """By namespace and by workload, those with the worst state first; not if there is only one."""
    for what, names in (
        ("namespace", [row.pod.partition("/")[0] for row in rows]),
        ("workload", [row.workload for row in rows]),
    ):
        by_name: dict[str, list[PodRow]] = {}
        for row, name in zip(rows, names, strict=True):
            if name:
                by_name.setdefault(name, []).append(row)
        if len(by_name) > 1:
            spread = (SpreadRow(name, len(pods), _bar(_groups(pods, len(pods)))) for name, pods in by_name.items())
            yield what, tuple(spread)


def _bar(groups: Iterable[StateGroup]) -> tuple[StateGroup, ...]:
    """From the final state of a rollout to the worst, as in the chart of a plan; then the pods left out."""
    ordered = list(groups)[::-1]
    return tuple(sorted(ordered, key=lambda group: group.color == "left_out"))


def _groups(rows: Iterable[PodRow], size: int) -> Iterator[StateGroup]:
    by_state: dict[str, list[PodRow]] = {}
    for row in rows:
        by_state.setdefault(row.state, []).append(row)
    for state, pods in by_state.items():
        squares = tuple(_square(pods[at : at + size]) for at in range(0, len(pods), size))
        yield StateGroup(state, pods[0].color, len(pods), squares)


def _square(pods: Sequence[PodRow]) -> str:
    first = pods[0]
    if len(pods) == 1:
        return f"{first.pod}: {first.state}{f', {why}' if (why := first.whole_why) else ''}"
    return f"{first.pod} to {pods[-1].pod}: {len(pods):,} pods, {first.state}"


def _data(rows: Sequence[PodRow], drawn: int) -> Object:
    """The rows as data, each text once; `drawn`: how many rows the script may show at once.

    Only the first hundred thousand rows are searched; the number of the others is part of the data.
    """
    texts: dict[str, int] = {}
    data = [
        [shown(row.pod), *(texts.setdefault(shown(cell), len(texts)) for cell in _searched(row))]
        for row in rows[:_MOST_SEARCHED]
    ]
    return {"drawn": drawn, "more": max(len(rows) - _MOST_SEARCHED, 0), "texts": list(texts), "rows": data}


def _searched(row: PodRow) -> tuple[str, ...]:
    return row.state, row.revision, breakable(row.more), row.whole_why, row.color, row.workload
