"""A plan as blocks: the head of each rollout, its waves, the pods that it leaves, and how it ends."""

from collections.abc import Iterator, Mapping, Sequence

from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.facts import Ending
from sidecarctl.engine.rollout.summary.rollout_plan import SetRolloutPlan, begins_at, clock, ending_time
from sidecarctl.engine.rollout.summary.sentences import ending_sentence, number, why_of, with_neighbors
from sidecarctl.engine.rollout.summary.together import Together
from sidecarctl.features.plan.plan import PlanFacts
from sidecarctl.features.plan.recreation import recreation_section
from sidecarctl.features.plan.rows import (
    WaveRow,
    by_label,
    head_rows,
    idle_sentence,
    mood,
    pace_sentence,
    plan_data,
    remark_of,
    staying,
    told_apart,
    wave_rows,
)
from sidecarctl.render.blocks import (
    Badge,
    Block,
    BlockDocument,
    Column,
    CourseNumbers,
    FactList,
    Idle,
    Items,
    Overview,
    PatchLine,
    PodGroup,
    Ranking,
    Section,
    Table,
    WaveLine,
    WaveList,
)
from sidecarctl.render.documents import LARGE
from sidecarctl.render.formats import Formats, block_formats
from sidecarctl.render.output import Page
from sidecarctl.render.text import NOTHING

_WIDTH = 100
_LABEL = 17


def plan_blocks(report: Report[PlanFacts], page: Page) -> BlockDocument:
    """A section for each rollout, and a sentence about those with nothing to do."""
    facts = report.facts
    active, idle = told_apart(facts.plan) if not page.all_pods else (facts.plan.sets, ())
    overview = [_overview([*active, *idle])] if len(facts.plan.sets) > 1 else []
    rest: list[Block] = [Idle(idle_sentence(idle), tuple(map(_idle_part, idle)))] if idle else []
    sections = [_section(facts, rollout) for rollout in active]
    rest = [*_together(facts.plan.together), *rest]
    sets = len(facts.plan.sets)
    return BlockDocument(
        title=f"Rollout of {sections[0].title if sets == 1 else number(sets, 'SidecarSet')}",
        blocks=(*overview, *sections, *rest, *([recreation_section(facts.recreations)] if facts.recreations else [])),
        command="plan",
        of="Rollout of",
        findings=report.findings,
        behavior=report.release.behavior,
        nothing=NOTHING,
        wraps_at=_WIDTH,
    )


def _overview(rollouts: Sequence[SetRolloutPlan]) -> Overview:
    numbers = ("updated", "of pods", "waves", "most unavailable")
    columns = (Column("SidecarSet"), Column("ending"), *(Column(title, is_number=True) for title in numbers))
    return Overview(Table(columns, [*map(_overview_row, rollouts)]), for_pages=True)


def _together(found: Together) -> list[Items]:
    """What several rollouts do at the same time, and what node drains wait for."""
    lines = [item.sentence for item in found.shared]
    if found.shared and found.largest > found.shared[0].largest:
        lines.append(f"over all SidecarSets at most {number(found.largest)} at once")
    lines += [item.sentence for item in found.evictions]
    return [Items(tuple(lines))] if lines else []


def _overview_row(rollout: SetRolloutPlan) -> tuple[str | Badge, ...]:
    outcome = rollout.outcome
    numbers = (outcome.status.updated, outcome.status.matched, len(rollout.waves), outcome.largest_unavailable)
    badge = Badge(str(outcome.ending), mood(rollout))
    return rollout.target.name, badge, *(f"{each:,}" for each in numbers)


def _idle_part(rollout: SetRolloutPlan) -> tuple[str, str, str, str]:
    status = rollout.outcome.status
    said = f"{status.updated:,} of {number(status.matched)} updated"
    return f"SidecarSet {rollout.target.name}", str(rollout.outcome.ending), mood(rollout), said


def _section(facts: PlanFacts, rollout: SetRolloutPlan) -> Section:
    name = f"SidecarSet {rollout.target.name}"
    groups = staying(facts.plan, rollout, facts.blocked.get(rollout.target.name, {}))
    blocks: list[Block] = [FactList(tuple(head_rows(facts, rollout)), _LABEL)]
    blocks += [_waves(facts, rollout, name)] if rollout.waves else []
    blocks += [PodGroup(f"{number(len(group.names))} {group.title}", group.detail, group.names) for group in groups]
    for by, own in by_label(rollout.largest_in_groups):
        blocks.append(Ranking(by, [(each.value or "(none)", each.largest, each.pods) for each in own]))
    if facts.paces.get(rollout.target.name):
        blocks.append(Items(tuple(map(pace_sentence, facts.paces[rollout.target.name]))))
    return Section(
        name,
        ending_sentence(rollout) + ending_time(rollout, facts.options.step_seconds),
        tuple(blocks),
        badge=str(rollout.outcome.ending),
        mood=mood(rollout),
        is_ending=rollout.outcome.ending is not Ending.UNKNOWN,
    )


def _waves(facts: PlanFacts, rollout: SetRolloutPlan, name: str) -> WaveList:
    seconds, most = facts.options.step_seconds, rollout.window.max_unavailable_pods
    rounds = max(rollout.rounds, rollout.course[-1].round)
    return WaveList(
        name,
        len(rollout.waves),
        CourseNumbers(rollout.course, most, rollout.outcome.largest_unavailable, rounds),
        lambda rows, own: [_line(rollout, row, seconds) for row in wave_rows(rollout.waves, rows, most, own)],
        lambda line: _patches(facts, rollout, line),
        tuple(_held_lines(rollout)),
        seconds,
    )


def _line(rollout: SetRolloutPlan, row: WaveRow, seconds: int | None) -> WaveLine:
    return WaveLine(
        row.first,
        row.last,
        row.rounds,
        row.kind,
        row.pods,
        _amount(rollout, row),
        row.unavailable,
        row.names,
        remark_of(row),
        clock(begins_at(row.rounds[0], seconds)) if seconds else "",
    )


def _amount(rollout: SetRolloutPlan, row: WaveRow) -> str:
    """`4 pods`; for several waves their number times the pods of each; and the operation, if it is not an upgrade."""
    sizes = {len(rollout.waves[index].patches) for index in range(row.first - 1, row.last)}
    pods = number(row.pods) if len(sizes) == 1 else f"{min(sizes):,} to {number(row.pods)}"
    times = f"{row.last - row.first + 1:,} \N{MULTIPLICATION SIGN} " if row.first != row.last else ""
    kind = "" if row.kind == "upgrade" else f" {row.kind}"
    return f"{times}{pods}{kind}"


def _patches(facts: PlanFacts, rollout: SetRolloutPlan, line: WaveLine) -> Iterator[PatchLine]:
    strategy, pods = rollout.target.strategy, facts.plan.pods
    for index in range(line.first - 1, line.last):
        before = rollout.waves[index - 1].patches[-1] if index else None
        for patch, neighbor in with_neighbors(rollout.waves[index].patches, before):
            note = "" if patch.was_ready or patch.kind == "reset" else "was not ready"
            images = tuple((change.container, change.before, change.after) for change in patch.images)
            why = why_of(patch, neighbor, strategy, pods[patch.pod_index].labels)
            yield PatchLine(index + 1, patch.kind, str(patch.pod), note, images, why)


def _held_lines(rollout: SetRolloutPlan) -> Iterator[tuple[str, str, str]]:
    """The line for the pods that the selector chooses, and below it the line of the partition."""
    outcome, matched = rollout.outcome, rollout.outcome.status.matched
    above = len(outcome.not_upgradable) + len(outcome.not_selected)
    if outcome.not_selected:
        text = f"the canary that the selector chooses: {number(matched - above)} of {matched:,}"
        yield "canary", f"{above / matched * 100:.2f}", text
    if held := len(outcome.held_by_partition):
        yield "partition", f"{(above + held) / matched * 100:.2f}", f"partition holds back {held:,}"


FORMATS: Mapping[str, Formats] = {"plan": block_formats(plan_blocks, plan_data, levels=LARGE)}
"""The formats of a plan."""
