"""A plan as a page: the course of each rollout, its waves, the pods that are not updated."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecarctl.facts.values import Object, natural
from sidecarctl.operations.planning.plan import PlanFacts
from sidecarctl.operations.report import Report
from sidecarctl.reports.html.charts import (
    Course,
    Standing,
    Tick,
    chart_data,
    place,
    rollout_course,
    standings,
    ticks_of,
)
from sidecarctl.reports.html.rendering import FindingRow, HtmlPage, PagePart, about, data_of, finding_rows
from sidecarctl.reports.output import Page
from sidecarctl.reports.plan.rows import (
    Staying,
    WaveRow,
    head_rows,
    idle_sentence,
    remark_of,
    staying,
    told_apart,
    wave_rows,
)
from sidecarctl.rollout.facts import Ending, PodPatch
from sidecarctl.rollout.simulated_pods import SimulatedPod
from sidecarctl.rollout.summary.rollout_plan import LargestInGroup, SetRolloutPlan, begins_at, clock, ending_time
from sidecarctl.rollout.summary.sentences import ending_sentence, number, why_of, with_neighbors

_MOST_NAMES = 200
_MOST_GROUPS = 60
_OWN_BLOCKS, _MOST_BLOCKS = 12, 60
_MOST_PODS = 2_000
_MOST_OF_A_BLOCK = 250


class WavePod(NamedTuple):
    """A pod that a wave patches: what happens to it, and why it has this place."""

    wave: int
    name: str
    kind: str
    images: tuple[tuple[str, str, str], ...]
    was_ready: bool
    why: str


class WaveBlock(NamedTuple):
    """A wave, or several equal waves: numbers for its line, its place on the strip, its pods and how many more.

    `names` are the first few pods; `at` is when it begins, if known.
    """

    label: str
    rounds: str
    kind: str
    pods: int
    unavailable: int
    at: str
    beyond: str
    names: str
    left: str
    width: str
    members: tuple[WavePod, ...]
    more: int
    is_several: bool
    amount: str


class StayingGroup(NamedTuple):
    """Pods that are not updated: the reason, details, their names, and the number of further pods."""

    title: str
    detail: tuple[str, ...]
    names: tuple[str, ...]
    more: int


class GroupRow(NamedTuple):
    """Pods that share the value of a label: how many, and how many of them were unavailable at once."""

    value: str
    pods: int
    largest: int


class GroupTable(NamedTuple):
    """The values of a label, those with most unavailable pods first; `most` is the largest number of pods."""

    by: str
    rows: tuple[GroupRow, ...]
    more: int
    most: int


class OverviewRow(NamedTuple):
    """A SidecarSet in the table of all; `chart` is that of its section, None for one without."""

    name: str
    chart: int | None
    ending: str
    mood: str
    updated: int
    matched: int
    waves: int
    largest: int


class HeldLine(NamedTuple):
    """A line across the chart, above which pods are held back: by what, where from the top, in percent, and why."""

    kind: str
    at: str
    text: str


class SetSection(NamedTuple):
    """The rollout of a SidecarSet. `course` is None if nothing happens, `chart` its index in the page's data.

    `ticks` are those of its chart, `lines` what holds pods back there.
    """

    name: str
    ending: str
    mood: str
    sentence: str
    updated: int
    matched: int
    wave_count: int
    largest: int
    facts: tuple[tuple[str, str], ...]
    course: Course | None
    chart: int
    limit: int
    ticks: tuple[Tick, ...]
    lines: tuple[HeldLine, ...]
    axis: tuple[str, ...]
    standings: tuple[Standing, ...]
    waves: tuple[WaveBlock, ...]
    staying: tuple[StayingGroup, ...]
    groups: tuple[GroupTable, ...]


class PlanPage(NamedTuple):
    """A whole plan."""

    title: str
    overview: tuple[OverviewRow, ...]
    sections: tuple[SetSection, ...]
    idle: str
    findings: tuple[FindingRow, ...]
    data: Object

    def parts(self) -> Sequence[PagePart]:
        """A page for each SidecarSet with a section; the idle ones are only named."""
        idle = (row for row in self.overview if row.chart is None)
        return [*map(self._part, self.sections), *(_idle_part(row) for row in idle)]

    def _part(self, section: SetSection) -> PagePart:
        name = f"SidecarSet {section.name}"
        own = self._replace(
            title=f"Rollout of {name}",
            overview=(),
            sections=(section,),
            idle="",
            findings=about(self.findings, section.name),
            data=data_of(self.data, section.chart),
        )
        return PagePart(name, section.ending, section.mood, section.sentence, own)


def _idle_part(row: OverviewRow) -> PagePart:
    said = f"{row.updated:,} of {number(row.matched, 'pod')} updated"
    return PagePart(f"SidecarSet {row.name}", row.ending, row.mood, said, None)


def plan_html(report: Report[PlanFacts], page: Page) -> HtmlPage:
    """The page."""
    return HtmlPage("plan.html", plan_page(report, page), page, report.release.behavior)


def plan_page(report: Report[PlanFacts], page: Page) -> PlanPage:
    """The model of the page."""
    facts = report.facts
    active, idle = told_apart(facts.plan) if not page.all_pods else (facts.plan.sets, ())
    sections = tuple(_section(facts, rollout, index, all_pods=page.all_pods) for index, rollout in enumerate(active))
    seconds = facts.options.step_seconds
    return PlanPage(
        title=_title(facts.plan.sets),
        overview=tuple(_overview([*active, *idle], len(active))) if len(facts.plan.sets) > 1 else (),
        sections=sections,
        idle=idle_sentence(idle) if idle else "",
        findings=finding_rows(report.findings),
        data={"charts": [each.course and chart_data(each.course, each.limit, seconds) for each in sections]},
    )


def _overview(rollouts: Sequence[SetRolloutPlan], active: int) -> Iterator[OverviewRow]:
    """A row for each SidecarSet of the title; the first of them have sections."""
    for index, rollout in enumerate(rollouts):
        status = rollout.outcome.status
        yield OverviewRow(
            rollout.target.name,
            index if index < active else None,
            str(rollout.outcome.ending),
            mood(rollout),
            status.updated,
            status.matched,
            len(rollout.waves),
            rollout.outcome.largest_unavailable,
        )


def _title(rollouts: Sequence[SetRolloutPlan]) -> str:
    if len(rollouts) == 1:
        return f"Rollout of SidecarSet {rollouts[0].target.name}"
    return f"Rollout of {number(len(rollouts), 'SidecarSet')}"


def _section(facts: PlanFacts, rollout: SetRolloutPlan, chart: int, *, all_pods: bool) -> SetSection:
    seconds, outcome = facts.options.step_seconds, rollout.outcome
    course, axis = rollout_course(rollout, seconds)
    groups = staying(facts.plan, rollout, facts.blocked.get(rollout.target.name, {}))
    return SetSection(
        name=rollout.target.name,
        ending=str(outcome.ending),
        mood=mood(rollout),
        sentence=ending_sentence(rollout) + ending_time(rollout, seconds),
        updated=outcome.status.updated,
        matched=outcome.status.matched,
        wave_count=len(rollout.waves),
        largest=outcome.largest_unavailable,
        facts=tuple(head_rows(facts, rollout)),
        course=course,
        chart=chart,
        limit=rollout.window.max_unavailable_pods,
        ticks=ticks_of(course.matched) if course and course.matched else (),
        lines=tuple(_held_lines(rollout)),
        axis=axis,
        standings=standings(rollout.course),
        waves=tuple(wave_blocks(rollout, facts.plan.pods, seconds, all_pods=all_pods)),
        staying=tuple(_staying_group(group, all_pods=all_pods) for group in groups),
        groups=tuple(_group_tables(rollout.largest_in_groups, all_pods=all_pods)),
    )


def _held_lines(rollout: SetRolloutPlan) -> Iterator[HeldLine]:
    """The line for the pods that the selector chooses, and below it the line of the partition."""
    outcome, matched = rollout.outcome, rollout.outcome.status.matched
    above = len(outcome.not_upgradable) + len(outcome.not_selected)
    if outcome.not_selected:
        text = f"the canary that the selector chooses: {number(matched - above, 'pod')} of {matched:,}"
        yield HeldLine("canary", f"{above / matched * 100:.2f}", text)
    if held := len(outcome.held_by_partition):
        yield HeldLine("partition", f"{(above + held) / matched * 100:.2f}", f"partition holds back {held:,}")


def mood(rollout: SetRolloutPlan) -> str:
    """The mark of the end of a rollout: `bad`, `held`, `odd` or `good`."""
    ending = rollout.outcome.ending
    if ending.is_objection:
        return "bad"
    if ending not in (Ending.COMPLETE, Ending.NOTHING_TO_DO):
        return "held"
    return "good" if rollout.outcome.status.matched and not rollout.outcome.holding_budget else "odd"


def wave_blocks(
    rollout: SetRolloutPlan, pods: Sequence[SimulatedPod], step_seconds: int | None, *, all_pods: bool
) -> Iterator[WaveBlock]:
    """The blocks in the order of the waves."""
    if not rollout.waves:
        return
    most = len(rollout.waves) if all_pods else _MOST_BLOCKS
    rows = wave_rows(rollout.waves, most, rollout.window.max_unavailable_pods, most if all_pods else _OWN_BLOCKS)
    most = sum(row.pods for row in rows) if all_pods else min(_MOST_OF_A_BLOCK, max(_MOST_PODS // len(rows), 1))
    rounds = max(rollout.rounds, rollout.course[-1].round)
    for row in rows:
        yield _block(rollout, pods, row, rounds, most, step_seconds)


def _block(
    rollout: SetRolloutPlan,
    pods: Sequence[SimulatedPod],
    row: WaveRow,
    rounds: int,
    most: int,
    step_seconds: int | None,
) -> WaveBlock:
    left, width = place(*row.rounds, rounds)
    members = tuple(_pods(rollout, pods, row, most))
    first, last = row.rounds
    return WaveBlock(
        label=_span(row.first, row.last),
        rounds=f"round{'' if first == last else 's'} {_span(first, last)}",
        kind=row.kind,
        pods=row.pods,
        unavailable=row.unavailable,
        at=clock(begins_at(first, step_seconds)) if step_seconds else "",
        beyond=remark_of(row),
        names=", ".join(map(str, row.names[:3])),
        left=left,
        width=width,
        members=members,
        more=len(row.names) - len(members),
        is_several=row.first != row.last,
        amount=_count(rollout, row),
    )


def _count(rollout: SetRolloutPlan, row: WaveRow) -> str:
    """`4 pods`; for several waves their number times the pods of each; and the operation, if it is not an upgrade."""
    sizes = {len(rollout.waves[index].patches) for index in range(row.first - 1, row.last)}
    pods = number(row.pods, "pod") if len(sizes) == 1 else f"{min(sizes):,} to {number(row.pods, 'pod')}"
    times = f"{row.last - row.first + 1:,} \N{MULTIPLICATION SIGN} " if row.first != row.last else ""
    kind = "" if row.kind == "upgrade" else f" {row.kind}"
    return f"{times}{pods}{kind}"


def _span(first: int, last: int) -> str:
    return f"{first:,}" if first == last else f"{first:,}-{last:,}"


def _pods(rollout: SetRolloutPlan, pods: Sequence[SimulatedPod], row: WaveRow, most: int) -> Iterator[WavePod]:
    strategy, left = rollout.target.strategy, most
    for index in range(row.first - 1, row.last):
        before = rollout.waves[index - 1].patches[-1] if index else None
        for patch, neighbor in with_neighbors(rollout.waves[index].patches, before):
            if not left:
                return
            left -= 1
            why = why_of(patch, neighbor, strategy, pods[patch.pod_index].labels)
            yield _pod(patch, index + 1, why)


def _pod(patch: PodPatch, wave: int, why: str) -> WavePod:
    images = tuple((change.container, change.before, change.after) for change in patch.images)
    return WavePod(wave, str(patch.pod), patch.kind, images, patch.was_ready or patch.kind == "reset", why)


def _staying_group(group: Staying, *, all_pods: bool) -> StayingGroup:
    shown = group.names if all_pods else group.names[:_MOST_NAMES]
    title = f"{number(len(group.names))} {group.title}"
    return StayingGroup(title, group.detail, tuple(map(str, shown)), len(group.names) - len(shown))


def _group_tables(groups: Sequence[LargestInGroup], *, all_pods: bool) -> Iterator[GroupTable]:
    for by in dict.fromkeys(group.by for group in groups):
        own = sorted(
            (item for item in groups if item.by == by), key=lambda item: (-item.largest, natural(item.value))
        )
        shown = own if all_pods else own[:_MOST_GROUPS]
        rows = tuple(GroupRow(group.value or "(none)", group.pods, group.largest) for group in shown)
        yield GroupTable(by, rows, len(own) - len(shown), max(group.pods for group in own))
