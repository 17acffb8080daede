"""The status of SidecarSets as a page: the counts, a square for each pod by its state, and a table to search."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sidecarctl.facts.values import Object
from sidecarctl.operations.report import Report
from sidecarctl.operations.status import SetStatus, StatusFacts
from sidecarctl.reports.html.findings import FindingRow, finding_rows
from sidecarctl.reports.html.pod_table import PodRow, pod_table_data
from sidecarctl.reports.page import Page
from sidecarctl.reports.status.rows import folded_rows, head_rows, pod_rows
from sidecarctl.rollout.summary.ending_sentences import number
from sidecarctl.rollout.summary.pod_states import PodState

_MOST_SQUARES = 1_500
_MOST_ROWS = 200
_FOLDED_FROM = 21
_SIZES = [size * 10**power for power in range(9) for size in (1, 2, 5)]
_COLOURS = {
    PodState.UPDATED: "updated",
    PodState.UPDATING: "updating",
    PodState.RESETTING: "updating",
    PodState.NOT_READY: "not_ready",
    PodState.WAITING: "waiting",
    PodState.BUSY: "in_flight",
    PodState.NOT_UPGRADABLE: "not_upgradable",
}
"""The colour of each state; all other states are `held_back`, and anything else is `left_out`."""


@dataclass(frozen=True, slots=True)
class StateGroup:
    """The pods of a state: their number, and the tooltips of the squares, each for a pod or for several pods."""

    state: str
    colour: str
    pods: int
    squares: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StatusSection:
    """A SidecarSet. `size`: the most pods of a square; `table`: the index of its table in the page's data."""

    name: str
    summary: str
    facts: tuple[tuple[str, str], ...]
    pods: int
    size: int
    groups: tuple[StateGroup, ...]
    bar: tuple[StateGroup, ...]
    folded: tuple[tuple[str, ...], ...]
    rows: tuple[PodRow, ...]
    table: int
    most_rows: int


@dataclass(frozen=True, slots=True)
class StatusPage:
    """The status of all SidecarSets."""

    title: str
    behaviour: str
    json_file: str
    sections: tuple[StatusSection, ...]
    findings: tuple[FindingRow, ...]
    data: Object


def status_html(report: Report[StatusFacts], page: Page) -> Iterator[str]:
    """The page, in parts."""
    from sidecarctl.reports.html.rendering import rendered

    return rendered("status.html", status_page(report, page))


def status_page(report: Report[StatusFacts], page: Page) -> StatusPage:
    """The model of the page."""
    sets = report.facts.sets
    rows = [_ordered(pod_rows(status)) for status in sets]
    most = max(map(len, rows), default=0) if page.all_pods else _MOST_ROWS
    title = f"Status of SidecarSet {sets[0].sidecarset.name}" if len(sets) == 1 else ""
    return StatusPage(
        title=title or f"Status of {number(len(sets), 'SidecarSet')}",
        behaviour=report.release.behaviour,
        json_file=page.json_file,
        sections=tuple(
            _section(status, own, index, most) for index, (status, own) in enumerate(zip(sets, rows, strict=True))
        ),
        findings=finding_rows(report.findings),
        data={"tables": [pod_table_data(own, most) for own in rows]},
    )


def colour_of(state: str) -> str:
    """The name of the colour of a state."""
    if state not in list(PodState):
        return "left_out"
    return _COLOURS.get(PodState(state), "held_back")


def _ordered(rows: Iterable[Sequence[str]]) -> list[PodRow]:
    """The rows, those furthest from the end of the rollout first, those of pods that are left out last."""
    order = {str(state): place for place, state in enumerate(reversed(PodState))}
    return sorted(map(_pod_row, rows), key=lambda row: order.get(row.state, len(order)))


def _pod_row(row: Sequence[str]) -> PodRow:
    pod, state, revision, ready, why = row
    return PodRow(pod, state, revision, ready, why, colour_of(state))


def _section(status: SetStatus, rows: Sequence[PodRow], table: int, most: int) -> StatusSection:
    title, *facts = head_rows(status)
    size = next(size for size in _SIZES if len(rows) <= size * _MOST_SQUARES)
    labelled = (row.partition("  ") for row in facts)
    return StatusSection(
        name=status.sidecarset.name,
        summary=title.removeprefix(f"{status.sidecarset.name}: "),
        facts=tuple((label, text) for label, _, text in labelled),
        pods=len(rows),
        size=size,
        groups=(groups := tuple(_groups(rows, size))),
        bar=tuple(sorted(groups, key=_place_on_bar)),
        folded=tuple(folded_rows(status)) if len(rows) >= _FOLDED_FROM else (),
        rows=tuple(rows[:most]),
        table=table,
        most_rows=most,
    )


def _place_on_bar(group: StateGroup) -> int:
    states = list(PodState)
    return states.index(PodState(group.state)) if group.state in states else len(states)


def _groups(rows: Iterable[PodRow], size: int) -> Iterator[StateGroup]:
    by_state: dict[str, list[PodRow]] = {}
    for row in rows:
        by_state.setdefault(row.state, []).append(row)
    for state, pods in by_state.items():
        squares = tuple(_square(pods[at : at + size]) for at in range(0, len(pods), size))
        yield StateGroup(state, pods[0].colour, len(pods), squares)


def _square(pods: Sequence[PodRow]) -> str:
    first = pods[0]
    if len(pods) == 1:
        return f"{first.pod}: {first.state}{f', {first.why}' if first.why else ''}"
    return f"{first.pod} to {pods[-1].pod}: {len(pods):,} pods, {first.state}"
