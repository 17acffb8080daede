"""A plan as a page: the course of each rollout, its waves, the pods that are not updated."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.facts import PodPatch
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.rollout.summary.rollout_plan import (
    LargestInGroup,
    SetRolloutPlan,
    begins_at,
    clock,
    ending_time,
)
from sidecarctl.engine.rollout.summary.sentences import ending_sentence, number, why_of, with_neighbors
from sidecarctl.features.plan.plan import PlanFacts
from sidecarctl.features.plan.rows import (
    Staying,
    WaveRow,
    by_label,
    head_rows,
    idle_sentence,
    mood,
    remark_of,
    span,
    staying,
    told_apart,
    wave_rows,
)
from sidecarctl.render.charts import (
    Course,
    Standing,
    chart_data,
    place,
    rollout_course,
    standings,
    ticks_of,
)
from sidecarctl.render.output import Page
from sidecarctl.render.page import FindingRow, HtmlPage, PagePart, about, data_of, finding_rows

_MOST_NAMES = 200
_MOST_GROUPS = 60
_OWN_BLOCKS, _MOST_BLOCKS = 12, 60
_MOST_PODS = 2_000
_MOST_OF_A_BLOCK = 250


class WaveBlock(NamedTuple):
    """A wave, or several equal waves: its place on the strip, and its first pods.

    `amount` counts the pods, `at` is when it begins, if known; `members` are the wave of each pod, its patch, and why
    it has this place.
    """

    row: WaveRow
    label: str
    rounds: str
    at: str
    remark: str
    left: str
    width: str
    amount: str
    members: tuple[tuple[int, PodPatch, str], ...]


class SetSection(NamedTuple):
    """The rollout of a SidecarSet. `course` is None if nothing happens, `chart` its index in the page's data.

    `ticks` are those of its chart, `lines` what holds pods back there: by what, where from the top, in percent, and
    why. `staying` are the pods that are not updated: title, details, names, and how many more there are. `groups` are
    the values of a label, those with most unavailable pods first, and how many more.
    """

    rollout: SetRolloutPlan
    chart: int
    mood: str
    sentence: str
    facts: tuple[tuple[str, str], ...]
    course: Course | None
    ticks: tuple[tuple[int, str], ...]
    lines: tuple[tuple[str, str, str], ...]
    axis: tuple[str, ...]
    standings: tuple[Standing, ...]
    waves: tuple[WaveBlock, ...]
    staying: tuple[tuple[str, tuple[str, ...], tuple[str, ...], int], ...]
    groups: tuple[tuple[str, Sequence[LargestInGroup], int], ...]

    @property
    def title(self) -> str:
        """`SidecarSet mesh-proxy`."""
        return f"SidecarSet {self.rollout.target.name}"


class PlanPage(NamedTuple):
    """A whole plan; `overview` has each SidecarSet with its mood, the first of them those with sections."""

    title: str
    overview: tuple[tuple[SetRolloutPlan, str], ...]
    sections: tuple[SetSection, ...]
    idle: str
    findings: tuple[FindingRow, ...]
    data: Object


def _parts(page: PlanPage) -> Iterator[PagePart]:
    """A page for each SidecarSet with a section; the idle ones are only named."""
    for section in page.sections:
        own = page._replace(
            title=f"Rollout of {section.title}",
            overview=(),
            sections=(section,),
            idle="",
            findings=about(page.findings, section.rollout.target.name),
            data=data_of(page.data, section.chart),
        )
        ending = str(section.rollout.outcome.ending)
        yield PagePart(section.title, ending, section.mood, section.sentence, own)
    yield from (_idle_part(*row) for row in page.overview[len(page.sections) :])


def _idle_part(rollout: SetRolloutPlan, mood: str) -> PagePart:
    status = rollout.outcome.status
    said = f"{status.updated:,} of {number(status.matched, 'pod')} updated"
    return PagePart(f"SidecarSet {rollout.target.name}", str(rollout.outcome.ending), mood, said, None)


def plan_html(report: Report[PlanFacts], page: Page) -> HtmlPage:
    """The page."""
    facts = report.facts
    active, idle = told_apart(facts.plan) if not page.all_pods else (facts.plan.sets, ())
    sections = tuple(_section(facts, rollout, index, all_pods=page.all_pods) for index, rollout in enumerate(active))
    seconds, sets = facts.options.step_seconds, len(facts.plan.sets)
    charts = [each.course and chart_data(each.course, _limit(each.rollout), seconds) for each in sections]
    model = PlanPage(
        title=f"Rollout of {sections[0].title if sets == 1 else number(sets, 'SidecarSet')}",
        overview=tuple((rollout, mood(rollout)) for rollout in (*active, *idle)) if sets > 1 else (),
        sections=sections,
        idle=idle_sentence(idle) if idle else "",
        findings=finding_rows(report.findings),
        data={"charts": charts},
    )
    return HtmlPage("plan.html", model, page, report.release.behavior, _parts(model))


def _limit(rollout: SetRolloutPlan) -> int:
    return rollout.window.max_unavailable_pods


def _section(facts: PlanFacts, rollout: SetRolloutPlan, chart: int, *, all_pods: bool) -> SetSection:
    seconds = facts.options.step_seconds
    course, axis = rollout_course(rollout, seconds)
    groups = staying(facts.plan, rollout, facts.blocked.get(rollout.target.name, {}))
    return SetSection(
        rollout=rollout,
        chart=chart,
        mood=mood(rollout),
        sentence=ending_sentence(rollout) + ending_time(rollout, seconds),
        facts=tuple(head_rows(facts, rollout)),
        course=course,
        ticks=ticks_of(course.matched) if course and course.matched else (),
        lines=tuple(_held_lines(rollout)),
        axis=axis,
        standings=standings(rollout.course),
        waves=tuple(wave_blocks(rollout, facts.plan.pods, seconds, all_pods=all_pods)),
        staying=tuple(_staying(group, None if all_pods else _MOST_NAMES) for group in groups),
        groups=tuple(_groups(rollout.largest_in_groups, None if all_pods else _MOST_GROUPS)),
    )


def _held_lines(rollout: SetRolloutPlan) -> Iterator[tuple[str, str, str]]:
    """The line for the pods that the selector chooses, and below it the line of the partition."""
    outcome, matched = rollout.outcome, rollout.outcome.status.matched
    above = len(outcome.not_upgradable) + len(outcome.not_selected)
    if outcome.not_selected:
        text = f"the canary that the selector chooses: {number(matched - above, 'pod')} of {matched:,}"
        yield "canary", f"{above / matched * 100:.2f}", text
    if held := len(outcome.held_by_partition):
        yield "partition", f"{(above + held) / matched * 100:.2f}", f"partition holds back {held:,}"


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
    first, last = row.rounds
    return WaveBlock(
        row=row,
        label=span(row.first, row.last),
        rounds=f"round{'' if first == last else 's'} {span(first, last)}",
        at=clock(begins_at(first, step_seconds)) if step_seconds else "",
        remark=remark_of(row),
        left=left,
        width=width,
        amount=_count(rollout, row),
        members=tuple(_pods(rollout, pods, row, most)),
    )


def _count(rollout: SetRolloutPlan, row: WaveRow) -> str:
    """`4 pods`; for several waves their number times the pods of each; and the operation, if it is not an upgrade."""
    sizes = {len(rollout.waves[index].patches) for index in range(row.first - 1, row.last)}
    pods = number(row.pods, "pod") if len(sizes) == 1 else f"{min(sizes):,} to {number(row.pods, 'pod')}"
    times = f"{row.last - row.first + 1:,} \N{MULTIPLICATION SIGN} " if row.first != row.last else ""
    kind = "" if row.kind == "upgrade" else f" {row.kind}"
    return f"{times}{pods}{kind}"


def _pods(
    rollout: SetRolloutPlan, pods: Sequence[SimulatedPod], row: WaveRow, most: int
) -> Iterator[tuple[int, PodPatch, str]]:
    strategy, left = rollout.target.strategy, most
    for index in range(row.first - 1, row.last):
        before = rollout.waves[index - 1].patches[-1] if index else None
        for patch, neighbor in with_neighbors(rollout.waves[index].patches, before):
            if not left:
                return
            left -= 1
            yield index + 1, patch, why_of(patch, neighbor, strategy, pods[patch.pod_index].labels)


def _staying(group: Staying, most: int | None) -> tuple[str, tuple[str, ...], tuple[str, ...], int]:
    shown = tuple(map(str, group.names[:most]))
    return f"{number(len(group.names))} {group.title}", group.detail, shown, len(group.names) - len(shown)


def _groups(
    groups: Sequence[LargestInGroup], most: int | None
) -> Iterator[tuple[str, Sequence[LargestInGroup], int]]:
    for by, own in by_label(groups):
        shown = own[:most]
        yield by, shown, len(own) - len(shown)
