"""A whole rollout: its waves, its end, the largest number of pods unavailable at once.

docs/behaviour/rollout.md, "Simulating to the end".
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.rollout.pods.membership import LeftOut
from sidecarctl.rollout.pods.pod_progress import Eligibility, StatusCounts
from sidecarctl.rollout.pods.simulated_pods import SimulatedPod
from sidecarctl.rollout.pods.targets import Target
from sidecarctl.rollout.round.partition_and_max_unavailable import Window
from sidecarctl.rollout.round.rollout_facts import ConditionChange, RolloutOutcome, Round
from sidecarctl.rollout.round.set_rollout import SetRollout
from sidecarctl.rollout.simulation.simulated_rollout import Simulation
from sidecarctl.rollout.summary.course import RoundCounts, appended, round_counts

GroupOf: TypeAlias = Callable[[SimulatedPod], str]
"""The value by which pods are grouped, such as that of a label."""


class LargestInGroup(NamedTuple):
    """The largest number of pods of a group that were unavailable at once; `by` names the label."""

    by: str
    value: str
    pods: int
    largest: int


class MarkedCondition(NamedTuple):
    """A condition written in a round."""

    round: int
    change: ConditionChange


class SetRolloutPlan(NamedTuple):
    """The rollout of one set.

    `before` are the status counts at the start, `unavailable_before` the updated pods that then count against
    maxUnavailable, `waves` the rounds that patch a pod, `rounds` their number.
    """

    target: Target
    before: StatusCounts
    unavailable_before: int
    window: Window
    rounds: int
    waves: tuple[Round, ...]
    conditions: tuple[MarkedCondition, ...]
    outcome: RolloutOutcome
    left_out: Sequence[LeftOut]
    largest_in_groups: tuple[LargestInGroup, ...]
    remarks: tuple[Finding, ...]
    ties: int
    """Candidates that rank equally, whose order Kruise does not define; here the input order decides."""
    course: tuple[RoundCounts, ...] = ()
    """The states of the pods from start to end, an entry for each round in which a number changes."""


class Plan(NamedTuple):
    """The rollout of all SidecarSets, by name; `pods` are all pods at the end."""

    sets: tuple[SetRolloutPlan, ...]
    pods: Sequence[SimulatedPod]

    @property
    def is_objection(self) -> bool:
        """Whether a rollout cannot reach its goal."""
        return any(item.outcome.ending.is_objection for item in self.sets)


def run(simulation: Simulation, groupings: Mapping[str, GroupOf] | None = None) -> Plan:
    """The plan of a complete simulation; unavailable pods are counted by each grouping."""
    courses = {
        name: _Course([_Groups(by, group_of, simulation, name) for by, group_of in (groupings or {}).items()])
        for name in simulation.rollouts
    }
    rollouts = simulation.rollouts
    for name, rollout in rollouts.items():
        courses[name].unavailable_before = sum(member.progress.holds_budget for member in rollout.pods.members)
        courses[name].ties = _ties(rollout)
        courses[name].counts.append(round_counts(rollout, 0))
    for recorded in simulation.rounds():
        course = courses[recorded.set_name]
        course.add(recorded)
        appended(course.counts, round_counts(rollouts[recorded.set_name], recorded.number))
    for name, rollout in rollouts.items():  # the last step of the cluster, where rounds are limited
        appended(courses[name].counts, round_counts(rollout, courses[name].rounds + 1))
    plans = (_set_plan(simulation, outcome, courses[outcome.set_name]) for outcome in simulation.outcomes())
    return Plan(tuple(plans), simulation.pods)


@dataclass(slots=True)
class _Course:
    """The recorded rounds of a SidecarSet."""

    groups: list["_Groups"]
    unavailable_before: int = 0
    ties: int = 0
    rounds: int = 0
    before: StatusCounts | None = None
    waves: list[Round] = field(default_factory=list)
    conditions: list[MarkedCondition] = field(default_factory=list)
    counts: list[RoundCounts] = field(default_factory=list)

    def add(self, recorded: Round) -> None:
        self.rounds = recorded.number
        self.before = self.before or recorded.status
        for groups in self.groups:
            groups.add(recorded)
        self.conditions += [MarkedCondition(recorded.number, change) for change in recorded.conditions]
        if recorded.is_wave:
            self.waves.append(recorded)


class _Groups:
    """The unavailable pods of a SidecarSet, counted by group."""

    def __init__(self, by: str, group_of: GroupOf, simulation: Simulation, set_name: str) -> None:
        self._by = by
        members = simulation.rollouts[set_name].pods.members
        self._group = {member.pod.index: group_of(member.pod) for member in members}
        self._now: Counter[str] = Counter()
        self._largest: Counter[str] = Counter()

    def add(self, recorded: Round) -> None:
        self._now.subtract(map(self._group.__getitem__, recorded.came_back))
        for index in recorded.went_down:
            group = self._group[index]
            self._now[group] += 1
            self._largest[group] = max(self._largest[group], self._now[group])

    def largest(self) -> list[LargestInGroup]:
        sizes = Counter(self._group.values())
        return [LargestInGroup(self._by, value, sizes[value], self._largest[value]) for value in sorted(sizes)]


def _set_plan(simulation: Simulation, outcome: RolloutOutcome, course: _Course) -> SetRolloutPlan:
    rollout = simulation.rollouts[outcome.set_name]
    return SetRolloutPlan(
        target=rollout.target,
        before=course.before or rollout.status(),
        unavailable_before=course.unavailable_before,
        window=rollout.window,
        rounds=course.rounds,
        waves=tuple(course.waves),
        conditions=tuple(course.conditions),
        outcome=outcome,
        left_out=rollout.left_out,
        largest_in_groups=tuple(item for groups in course.groups for item in groups.largest()),
        remarks=tuple(rollout.remarks),
        ties=course.ties,
        course=tuple(course.counts),
    )


def _ties(rollout: SetRollout) -> int:
    waiting = rollout.pods.waiting
    keys = Counter(
        waiting.order_key(member)[:2]
        for member in rollout.pods.members
        if member.progress.eligibility is Eligibility.CANDIDATE
    )
    return sum(count for count in keys.values() if count > 1)
