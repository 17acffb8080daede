"""The drift of pods as a page: a square for each pod by its worst state, and a table to search."""

from sidecarctl.engine.comparing.drift_states import DriftState
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.recorded_sets import NO_SET
from sidecarctl.features.drift.drifts import DriftFacts, PodDrift, SetDrift
from sidecarctl.features.drift.report import cluster_rows, drifted_pods, head_rows, ignored_rows, pod_rows
from sidecarctl.features.status.status_page import MOST_ROWS, PodRow, page_of, section
from sidecarctl.render.output import Page
from sidecarctl.render.page import HtmlPage

_COLORS = {
    DriftState.MISSING: "lacking",
    DriftState.CHANGED: "not_ready",
    DriftState.ORPHAN: "not_upgradable",
    DriftState.UNKNOWN: "in_flight",
    DriftState.BEHIND: "waiting",
    DriftState.UPDATING: "updating",
    DriftState.IN_SYNC: "updated",
}


def drift_html(report: Report[DriftFacts], page: Page) -> HtmlPage:
    """The page; remarks about all SidecarSets together come with the first one."""
    sets = report.facts.sets
    rows = [_rows(item) for item in sets]
    most = max(map(len, rows), default=0) if page.all_pods else MOST_ROWS
    general = [*cluster_rows(report.facts.cluster), *ignored_rows(report.facts.ignored)]
    sections = []
    for index, (item, own) in enumerate(zip(sets, rows, strict=True)):
        title, *facts = head_rows(item)
        facts += [f"note  {row}" for row in general] if index == 0 else []
        name = item.name if item.name != NO_SET else "none"
        sections.append(section(name, title.partition(": ")[2], facts, own, index, most))
    return page_of("Drift from", sections, rows, most, report, page)


def _rows(item: SetDrift) -> list[PodRow]:
    """The pods, the worst first."""
    pods = sorted(drifted_pods(item, every=True), key=lambda pod: _ORDER[pod.state])
    return [_row(pod, cells) for pod, cells in zip(pods, pod_rows(item, pods), strict=True)]


_ORDER = {state: place for place, state in enumerate(DriftState)}


def _row(pod: PodDrift, cells: tuple[str, ...]) -> PodRow:
    name, states, revision, since, why = cells
    others = states.partition(", ")[2]
    since = since.replace("T", " ")  # where a narrow column can break it
    return PodRow(name, str(pod.state), revision, since, f"{others}; {why}" if others else why, _COLORS[pod.state])
