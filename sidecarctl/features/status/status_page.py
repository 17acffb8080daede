"""The status of SidecarSets as a page: the counts, a square for each pod by its state, and a table to search."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.statuses import SetStatus
from sidecarctl.engine.rollout.summary.pod_states import PodState
from sidecarctl.engine.rollout.summary.sentences import number
from sidecarctl.features.status.report import FOLDED_FROM, folded_rows, head_rows, pod_rows
from sidecarctl.features.status.status import StatusFacts
from sidecarctl.render.lines import shown
from sidecarctl.render.output import Page
from sidecarctl.render.page import FindingRow, HtmlPage, PagePart, about, data_of, finding_rows

_MOST_SEARCHED = 100_000
_MOST_SQUARES = 1_500
MOST_ROWS = 200
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
_GRAVEST_FIRST: tuple[PodState | Reason, ...] = (
    *_LACKING,
    PodState.NOT_READY,
    PodState.NOT_UPGRADABLE,
    PodState.WAITING_FOR_BUDGET,
    PodState.BUSY,
    PodState.UPDATING,
    PodState.RESETTING,
    PodState.WAITING,
    PodState.PAUSED,
    PodState.HELD_BY_SELECTOR,
    PodState.HELD_BY_PARTITION,
    PodState.NOT_UPDATE,
    PodState.UPDATED,
)
_ORDER = {str(state): place for place, state in enumerate(_GRAVEST_FIRST)}


class PodRow(NamedTuple):
    """A pod: its state, the revision that it has, whether it is ready, why; its color and its workload."""

    pod: str
    state: str
    revision: str
    ready: str
    why: str
    color: str
    workload: str = ""


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
    states: tuple[StateGroup, ...]


class StatusSection(NamedTuple):
    """A SidecarSet. `size`: the most pods of a square; `table`: the index of its table in the page's data.

    `spreads`: the pods by namespace and by workload, if there are several.
    """

    name: str
    summary: str
    facts: tuple[tuple[str, str], ...]
    pods: int
    size: int
    groups: tuple[StateGroup, ...]
    bar: tuple[StateGroup, ...]
    folded: tuple[tuple[str, ...], ...]
    spreads: tuple[tuple[str, tuple[SpreadRow, ...]], ...]
    rows: tuple[PodRow, ...]
    table: int


class StatusPage(NamedTuple):
    """The status of all SidecarSets, or the drift from them, by the name of the `command`.

    `overview` is empty if there is only one SidecarSet.
    """

    title: str
    overview: tuple[SpreadRow, ...]
    sections: tuple[StatusSection, ...]
    findings: tuple[FindingRow, ...]
    data: Object
    command: str


def _parts(page: StatusPage) -> Iterator[PagePart]:
    """A page for each SidecarSet."""
    for each in page.sections:
        name = f"SidecarSet {each.name}"
        own = page._replace(
            title=f"{page.title.partition(' ')[0]} of {name}",
            overview=(),
            sections=(each,),
            findings=about(page.findings, each.name),
            data=data_of(page.data, each.table),
        )
        yield PagePart(name, "", "held", each.summary, own)


def status_html(report: Report[StatusFacts], page: Page) -> HtmlPage:
    """The page."""
    sets, workloads = report.facts.sets, {str(pod): name for pod, name in report.facts.workloads.items()}
    rows = [_ordered(pod_rows(status), workloads) for status in sets]
    most = max(map(len, rows), default=0) if page.all_pods else MOST_ROWS
    sections = [
        _section(status, own, index, most) for index, (status, own) in enumerate(zip(sets, rows, strict=True))
    ]
    return page_of("Status of", sections, rows, most, report, page)


def page_of(
    of: str,
    sections: Sequence[StatusSection],
    rows: Sequence[Sequence[PodRow]],
    most: int,
    report: Report[Any],
    page: Page,
) -> HtmlPage:
    """The page of some sections with their pods, of which a table shows at most so many."""
    names = f"SidecarSet {sections[0].name}" if len(sections) == 1 else number(len(sections), "SidecarSet")
    overview = tuple(SpreadRow(each.name, each.pods, each.bar) for each in sections)
    model = StatusPage(
        title=f"{of} {names}",
        overview=overview if len(sections) > 1 else (),
        sections=tuple(sections),
        findings=finding_rows(report.findings),
        data={"tables": [_table(own, most) for own in rows]},
        command=report.kind,
    )
    return HtmlPage("status.html", model, page, report.release.behavior, _parts(model))


def color_of(state: str) -> str:
    """The name of the color of a state."""
    if state in _LACKING:
        return "lacking"
    if state not in list(PodState):
        return "left_out"
    return _COLORS.get(PodState(state), "held_back")


def _ordered(rows: Iterable[Sequence[str]], workloads: Mapping[str, str]) -> list[PodRow]:
    """Pods without their sidecars first, then other problems, those furthest from the end, and pods left out."""
    made = (
        PodRow(pod, state, revision, ready, why, color_of(state), workloads.get(pod, ""))
        for pod, state, revision, ready, why in rows
    )
    return sorted(made, key=lambda row: _place(row.state))


def _place(state: str) -> int:
    return _ORDER.get(state, len(_ORDER))


def _section(status: SetStatus, rows: Sequence[PodRow], table: int, most: int) -> StatusSection:
    title, *facts = head_rows(status)
    folded = tuple(sorted(folded_rows(status), key=lambda row: _place(row[1]))) if len(rows) >= FOLDED_FROM else ()
    name = status.sidecarset.name
    return section(name, title.removeprefix(f"{name}: "), facts, rows, table, most)._replace(folded=folded)


def section(
    name: str, summary: str, facts: Iterable[str], rows: Sequence[PodRow], table: int, most: int
) -> StatusSection:
    """The section of a SidecarSet; `facts` are label and text, two blanks between; `rows` in their order."""
    size = next(size for size in _SIZES if len(rows) <= size * _MOST_SQUARES)
    labeled = (row.partition("  ") for row in facts)
    return StatusSection(
        name=name,
        summary=summary,
        facts=tuple((label, text) for label, _, text in labeled),
        pods=len(rows),
        size=size,
        groups=(groups := tuple(_groups(rows, size))),
        bar=_bar(groups),
        folded=(),
        spreads=tuple(_spreads(rows)),
        rows=tuple(rows[:most]),
        table=table,
    )


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
            yield (
                what,
                tuple(SpreadRow(name, len(pods), _bar(_groups(pods, len(pods)))) for name, pods in by_name.items()),
            )


def _bar(groups: Iterable[StateGroup]) -> tuple[StateGroup, ...]:
    """From the final state of a rollout to the worst, as in the chart of a plan; then the pods left out."""
    left_out: list[StateGroup] = []
    others: list[StateGroup] = []
    for group in groups:
        (left_out if group.color == "left_out" else others).append(group)
    return (*reversed(others), *left_out)


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


def _table(rows: Sequence[PodRow], drawn: int) -> Object:
    """The rows as data, each text once; `drawn`: how many rows the script may show at once.

    Only the first hundred thousand rows are searched; the number of the others is part of the data.
    """
    texts: dict[str, int] = {}
    data = [
        [shown(row.pod), *(texts.setdefault(shown(cell), len(texts)) for cell in row[1:])]
        for row in rows[:_MOST_SEARCHED]
    ]
    return {"drawn": drawn, "more": max(len(rows) - _MOST_SEARCHED, 0), "texts": list(texts), "rows": data}
