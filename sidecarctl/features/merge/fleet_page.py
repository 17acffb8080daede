"""Several clusters as a page: clusters by SidecarSets, each cell leading to the section of its cluster."""

from collections.abc import Mapping
from typing import NamedTuple

from sidecarctl.cli.clusters.matrix import FleetFacts, SetRow
from sidecarctl.cli.clusters.rows import Cell, ClusterRow
from sidecarctl.engine.comparing.drift_states import DriftState
from sidecarctl.engine.comparing.images import Way
from sidecarctl.engine.comparing.verdicts import Verdict
from sidecarctl.engine.facts.findings import Severity, named
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.facts import OBJECTIONS, Ending
from sidecarctl.engine.rollout.summary.pod_states import PodState
from sidecarctl.engine.rollout.summary.sentences import number
from sidecarctl.features.diff.sentences import mood_of
from sidecarctl.features.merge.report import (
    FIELDS,
    NAMED,
    FindingText,
    Line,
    columns_of,
    finding_text,
    headings,
    line_of,
    release,
    remarks,
    share,
    title,
)
from sidecarctl.render.output import Page
from sidecarctl.render.page import FindingRow, HtmlPage

_MOST_FINDINGS = 20
_MOODS: Mapping[str, str] = {
    **{str(verdict): mood_of(verdict) for verdict in Verdict},
    **dict.fromkeys(map(str, (PodState.UPDATED, DriftState.IN_SYNC, Ending.COMPLETE, Ending.NOTHING_TO_DO)), "good"),
    **dict.fromkeys(map(str, OBJECTIONS), "bad"),
    **dict.fromkeys(map(str, (Reason.NEVER_INJECTED, Reason.SIDECAR_MISSING)), "bad"),
    **dict.fromkeys(map(str, (DriftState.MISSING, DriftState.CHANGED, DriftState.ORPHAN)), "bad"),
    **dict.fromkeys(
        map(str, (PodState.NOT_UPGRADABLE, PodState.OTHER_IMAGES, PodState.NOT_READY, DriftState.BEHIND)), "odd"
    ),
    str(Way.RECREATE): "bad",
    str(Way.IN_PLACE): "odd",
    str(Way.PENDING): "held",
    str(Way.CURRENT): "good",
    "passed": "good",
    str(Severity.ERROR): "bad",
    str(Severity.WARNING): "odd",
}
"""The color of a verdict or state; all others are neutral."""
_RANKS = {"bad": 0, "odd": 1, "held": 2, "good": 3, "": 4}


class MatrixCell(NamedTuple):
    """A SidecarSet in a cluster: `word` is its verdict or worst state; `rank` sorts the worst first.

    `differs` says what differs from other clusters, in words; empty if nothing does.
    """

    word: str
    mood: str
    revision: str
    updated: str
    rank: int
    differs: str


class ClusterSection(NamedTuple):
    """A cluster, as a row of the matrix and in detail; `is_other`: its Kruise differs.

    Cells are in the order of the columns, lines are its SidecarSets; `more` findings are only counted.
    """

    number: int
    name: str
    kruise: str
    is_other: bool
    cells: tuple[MatrixCell, ...]
    lines: tuple[Line, ...]
    details: tuple[FindingText, ...]
    more: int


class FleetPage(NamedTuple):
    """The whole page; `headings` are those of the lines of sections, by their fields.

    `sets`: each SidecarSet over all clusters: its name, clusters and pods, what most have, and which differ.
    """

    title: str
    summary: str
    command: str
    sets: tuple[tuple[str, str, str, str, str], ...]
    headings: Mapping[str, str]
    sections: tuple[ClusterSection, ...]
    data: Object
    findings: tuple[FindingRow, ...] = ()


def fleet_html(report: Report[FleetFacts], page: Page) -> HtmlPage:
    """The page."""
    facts = report.facts
    columns, releases = headings(facts), dict.fromkeys(row.behavior for row in facts.clusters)
    model = FleetPage(
        title=f"{number(len(facts.sets), 'SidecarSet')} in {number(len(facts.clusters), 'cluster')}",
        summary="; ".join([title(facts), *(said for said in remarks(facts) if not said.startswith("*"))]),
        command=facts.command,
        sets=tuple(_summary(item, has_pods="updated" in columns) for item in facts.sets),
        headings={key: text.lower() for key, text in columns.items() if key != "kruise"},
        sections=tuple(_section(place, row, facts) for place, row in enumerate(facts.clusters, 1)),
        data={},
    )
    return HtmlPage("fleet.html", model, page, ", ".join(releases))


def _summary(item: SetRow, *, has_pods: bool) -> tuple[str, str, str, str, str]:
    revision = item.majority.get("revision", "").removeprefix(f"{item.name}-")
    said = [revision, item.majority.get("verdict", ""), item.majority.get("state", "")]
    said += [f"no majority for the {FIELDS.get(field, field)}" for field in item.undecided]
    others = [*filter(item.marked, item.cells), *item.lacking]
    return (
        item.name or "-",
        f"{len(item.cells):,}",
        _pods(item) if has_pods else "",
        ", ".join(filter(None, said)) or "no majority",
        named(others, NAMED),
    )


def _pods(item: SetRow | Cell) -> str:
    if item.pods is None:
        return "-"
    return f"{item.pods:,}" if item.updated is None else share(item.updated, item.pods)


def _cell(item: SetRow, cluster: str) -> MatrixCell:
    cell = item.cells.get(cluster)
    if cell is None:
        return MatrixCell("", "", "", "", _RANKS[""], "absent" if cluster in item.lacking else "")
    word = cell.verdict or cell.state
    mood = _MOODS.get(word, "held") if word else ""
    differs = [FIELDS.get(field, field) for field in item.marked(cluster)]
    return MatrixCell(
        word,
        mood,
        cell.revision.removeprefix(f"{item.name}-"),
        _percent(cell),
        _RANKS[mood],
        f"other {' and '.join(differs)}" if differs else "",
    )


def _percent(cell: Cell) -> str:
    """`92 %`, in few characters."""
    if not cell.pods or cell.updated is None:
        return "" if cell.pods is None else f"{cell.pods:,} pods" if cell.pods != 1 else "1 pod"
    return f"{cell.updated * 100 // cell.pods} % of {cell.pods:,}"


def _section(place: int, row: ClusterRow, facts: FleetFacts) -> ClusterSection:
    others = {item.name: columns_of(item.marked(row.name)) for item in facts.sets}
    findings = sorted(row.findings, key=lambda finding: [*Severity].index(finding["severity"]))
    return ClusterSection(
        place,
        row.name,
        release(row),
        row.name in facts.other_releases,
        tuple(_cell(item, row.name) for item in facts.sets),
        tuple(line_of(cell.name or "-", [cell], row, others[cell.name]) for cell in row.cells),
        tuple(map(finding_text, findings[:_MOST_FINDINGS])),
        max(len(findings) - _MOST_FINDINGS, 0),
    )
