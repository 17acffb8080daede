"""The status of SidecarSets as a page: the counts, a square for each pod by its state, and a table to search."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.operations.report import Report
from sidecarctl.operations.status import SetStatus, StatusFacts
from sidecarctl.reports.html.rendering import FindingRow, finding_rows, rendered
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.output import Page
from sidecarctl.reports.status import folded_rows, head_rows, pod_rows
from sidecarctl.rollout.summary.pod_states import PodState
from sidecarctl.rollout.summary.sentences import number

_MOST_SEARCHED = 100_000
_MOST_SQUARES = 1_500
MOST_ROWS = 200
_FOLDED_FROM = 21
_SIZES = [size * 10**power for power in range(9) for size in (1, 2, 5)]
_COLORS = {
    PodState.UPDATED: "updated",
    PodState.UPDATING: "updating",
    PodState.RESETTING: "updating",
    PodState.NOT_READY: "not_ready",
    PodState.WAITING: "waiting",
    PodState.BUSY: "in_flight",
    PodState.NOT_UPGRADABLE: "not_upgradable",
}
"""The color of each state; all other states are `held_back`, and anything else is `left_out`."""
_LACKING = (Reason.NEVER_INJECTED, Reason.SIDECAR_MISSING)
"""Pods that run without their sidecars: what matters most, so they come first and in the loudest color."""


class PodRow(NamedTuple):
    """A pod: its state, the revision that it has, whether it is ready, why it is so; the name of its color."""

    pod: str
    state: str
    revision: str
    ready: str
    why: str
    color: str


class StateGroup(NamedTuple):
    """The pods of a state: their number, and the tooltips of the squares, each for a pod or for several pods."""

    state: str
    color: str
    pods: int
    squares: tuple[str, ...]


class NamespaceRow(NamedTuple):
    """The pods of a namespace by their states, as they are in the bar."""

    name: str
    pods: int
    states: tuple[StateGroup, ...]


class StatusSection(NamedTuple):
    """A SidecarSet. `size`: the most pods of a square; `table`: the index of its table in the page's data.

    `namespaces` are empty where all pods are in one.
    """

    name: str
    summary: str
    facts: tuple[tuple[str, str], ...]
    pods: int
    size: int
    groups: tuple[StateGroup, ...]
    bar: tuple[StateGroup, ...]
    folded: tuple[tuple[str, ...], ...]
    namespaces: tuple[NamespaceRow, ...]
    rows: tuple[PodRow, ...]
    table: int
    most_rows: int


class StatusPage(NamedTuple):
    """The status of all SidecarSets, or the drift from them; `fourth`: the heading of that column of pods."""

    title: str
    behaviour: str
    json_file: str
    made_by: str
    sections: tuple[StatusSection, ...]
    findings: tuple[FindingRow, ...]
    data: Object
    command: str = "status"
    fourth: str = "ready"


def status_html(report: Report[StatusFacts], page: Page) -> Iterator[str]:
    """The page, in parts."""
    return rendered("status.html", status_page(report, page))


def status_page(report: Report[StatusFacts], page: Page) -> StatusPage:
    """The model of the page."""
    sets = report.facts.sets
    rows = [_ordered(pod_rows(status)) for status in sets]
    most = max(map(len, rows), default=0) if page.all_pods else MOST_ROWS
    title = f"Status of SidecarSet {sets[0].sidecarset.name}" if len(sets) == 1 else ""
    return StatusPage(
        title=title or f"Status of {number(len(sets), 'SidecarSet')}",
        behaviour=report.release.behaviour,
        json_file=page.json_file,
        made_by=page.made_by,
        sections=tuple(
            _section(status, own, index, most) for index, (status, own) in enumerate(zip(sets, rows, strict=True))
        ),
        findings=finding_rows(report.findings),
        data={"tables": [pod_table_data(own, most) for own in rows]},
    )


def color_of(state: str) -> str:
    """The name of the color of a state."""
    if state in _LACKING:
        return "lacking"
    if state not in list(PodState):
        return "left_out"
    return _COLORS.get(PodState(state), "held_back")


def _ordered(rows: Iterable[Sequence[str]]) -> list[PodRow]:
    """Pods that lack sidecars, those furthest from the end of the rollout, and last others that are left out."""
    return sorted(map(_pod_row, rows), key=lambda row: _ORDER.get(row.state, len(_ORDER)))


_ORDER = {str(state): place for place, state in enumerate((*_LACKING, *reversed(PodState)))}


def _severity(row: Sequence[str]) -> int:
    return _ORDER.get(row[1], len(_ORDER))


def _pod_row(row: Sequence[str]) -> PodRow:
    pod, state, revision, ready, why = row
    return PodRow(pod, state, revision, ready, why, color_of(state))


def _section(status: SetStatus, rows: Sequence[PodRow], table: int, most: int) -> StatusSection:
    title, *facts = head_rows(status)
    folded = tuple(sorted(folded_rows(status), key=_severity)) if len(rows) >= _FOLDED_FROM else ()
    name = status.sidecarset.name
    return section(name, title.removeprefix(f"{name}: "), facts, rows, table, most)._replace(folded=folded)


def section(
    name: str, summary: str, facts: Iterable[str], rows: Sequence[PodRow], table: int, most: int
) -> StatusSection:
    """The section of a SidecarSet; `facts` are label and text, two blanks between; `rows` in their order."""
    size = next(size for size in _SIZES if len(rows) <= size * _MOST_SQUARES)
    labelled = (row.partition("  ") for row in facts)
    return StatusSection(
        name=name,
        summary=summary,
        facts=tuple((label, text) for label, _, text in labelled),
        pods=len(rows),
        size=size,
        groups=(groups := tuple(_groups(rows, size))),
        bar=tuple(sorted(groups, key=_place_on_bar)),
        folded=(),
        namespaces=_namespaces(rows),
        rows=tuple(rows[:most]),
        table=table,
        most_rows=most,
    )


def _namespaces(rows: Iterable[PodRow]) -> tuple[NamespaceRow, ...]:
    """The namespaces, that with the gravest state first; none where there is only one."""
    by_name: dict[str, list[PodRow]] = {}
    for row in rows:
        by_name.setdefault(row.pod.partition("/")[0], []).append(row)
    if len(by_name) < 2:
        return ()
    return tuple(
        NamespaceRow(name, len(pods), tuple(sorted(_groups(pods, len(pods)), key=_place_on_bar)))
        for name, pods in by_name.items()
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
        yield StateGroup(state, pods[0].color, len(pods), squares)


def _square(pods: Sequence[PodRow]) -> str:
    first = pods[0]
    if len(pods) == 1:
        return f"{first.pod}: {first.state}{f', {first.why}' if first.why else ''}"
    return f"{first.pod} to {pods[-1].pod}: {len(pods):,} pods, {first.state}"


def pod_table_data(rows: Sequence[PodRow], drawn: int) -> Object:
    """The rows as data, each text once; `drawn`: how many rows the script may show at once.

    Only the first hundred thousand rows are searched; the number of the others is part of the data.
    """
    texts: dict[str, int] = {}
    data = [
        [shown(row.pod), *(texts.setdefault(shown(cell), len(texts)) for cell in row[1:])]
        for row in rows[:_MOST_SEARCHED]
    ]
    return {"drawn": drawn, "more": max(len(rows) - _MOST_SEARCHED, 0), "texts": list(texts), "rows": data}
