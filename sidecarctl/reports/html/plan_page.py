"""A plan as a page: the course of each rollout, its waves, what stays behind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecarctl.facts.values import Object
from sidecarctl.operations.plan import PlanFacts
from sidecarctl.operations.report import Report
from sidecarctl.reports.html.charts import Course
from sidecarctl.reports.html.course_pages import Standing, chart_data, rollout_course, standings
from sidecarctl.reports.html.findings import FindingRow, finding_rows
from sidecarctl.reports.html.waves import WaveBlock, wave_blocks
from sidecarctl.reports.page import Page
from sidecarctl.reports.plan.head import head_rows
from sidecarctl.reports.plan.idle import idle_sentence, told_apart
from sidecarctl.reports.plan.rows import Staying, staying
from sidecarctl.rollout.round.rollout_facts import Ending
from sidecarctl.rollout.summary.clock import ending_time
from sidecarctl.rollout.summary.ending_sentences import ending_sentence, number
from sidecarctl.rollout.summary.rollout_plan import LargestInGroup, SetRolloutPlan

_MOST_NAMES = 200
_MOST_GROUPS = 60


@dataclass(frozen=True, slots=True)
class StayingGroup:
    """Pods that stay as they are: the reason, details, their names, and the number of further pods."""

    title: str
    detail: tuple[str, ...]
    names: tuple[str, ...]
    more: int


@dataclass(frozen=True, slots=True)
class GroupRow:
    """Pods that share the value of a label: how many, and how many of them were unavailable at once."""

    value: str
    pods: int
    largest: int


@dataclass(frozen=True, slots=True)
class GroupTable:
    """The values of a label, those with most unavailable pods first; `most` is the largest number of pods."""

    by: str
    rows: tuple[GroupRow, ...]
    more: int
    most: int


@dataclass(frozen=True, slots=True)
class SetSection:
    """The rollout of a SidecarSet. `course` is None if nothing happens, `chart` its index in the page's data."""

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
    axis: tuple[str, ...]
    standings: tuple[Standing, ...]
    waves: tuple[WaveBlock, ...]
    staying: tuple[StayingGroup, ...]
    groups: tuple[GroupTable, ...]


@dataclass(frozen=True, slots=True)
class PlanPage:
    """A whole plan."""

    title: str
    behaviour: str
    json_file: str
    sections: tuple[SetSection, ...]
    idle: str
    findings: tuple[FindingRow, ...]
    data: Object


def plan_html(report: Report[PlanFacts], page: Page) -> Iterator[str]:
    """The page, in parts."""
    from sidecarctl.reports.html.rendering import rendered

    return rendered("plan.html", plan_page(report, page))


def plan_page(report: Report[PlanFacts], page: Page) -> PlanPage:
    """The model of the page."""
    facts = report.facts
    active, idle = told_apart(facts.plan) if not page.all_pods else (facts.plan.sets, ())
    sections = tuple(_section(facts, rollout, index, all_pods=page.all_pods) for index, rollout in enumerate(active))
    seconds = facts.options.step_seconds
    return PlanPage(
        title=_title(facts.plan.sets),
        behaviour=report.release.behaviour,
        json_file=page.json_file,
        sections=sections,
        idle=idle_sentence(idle) if idle else "",
        findings=finding_rows(report.findings),
        data={"charts": [each.course and chart_data(each.course, each.limit, seconds) for each in sections]},
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
        axis=axis,
        standings=standings(rollout.course),
        waves=tuple(wave_blocks(rollout, facts.plan.pods, seconds, all_pods=all_pods)),
        staying=tuple(_staying_group(group, all_pods=all_pods) for group in groups),
        groups=tuple(_group_tables(rollout.largest_in_groups, all_pods=all_pods)),
    )


def mood(rollout: SetRolloutPlan) -> str:
    """The mark of the end of a rollout: `bad`, `held`, `odd` or `good`."""
    ending = rollout.outcome.ending
    if ending.is_objection:
        return "bad"
    if ending not in (Ending.COMPLETE, Ending.NOTHING_TO_DO):
        return "held"
    return "good" if rollout.outcome.status.matched and not rollout.outcome.holding_budget else "odd"


def _staying_group(group: Staying, *, all_pods: bool) -> StayingGroup:
    shown = group.names if all_pods else group.names[:_MOST_NAMES]
    title = f"{number(len(group.names))} {group.title}"
    return StayingGroup(title, group.detail, tuple(map(str, shown)), len(group.names) - len(shown))


def _group_tables(groups: Sequence[LargestInGroup], *, all_pods: bool) -> Iterator[GroupTable]:
    for by in dict.fromkeys(group.by for group in groups):
        own = sorted((group for group in groups if group.by == by), key=lambda group: (-group.largest, group.value))
        shown = own if all_pods else own[:_MOST_GROUPS]
        rows = tuple(GroupRow(group.value or "(none)", group.pods, group.largest) for group in shown)
        yield GroupTable(by, rows, len(own) - len(shown), max(group.pods for group in own))
