"""A rollout as a whole: its waves, its end, the largest number of pods that were unavailable at once.

docs/behaviour/rollout.md, "Simulating to the end".
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from sidecarctl.facts.findings import Finding
from sidecarctl.rollout.pods.membership import LeftOut
from sidecarctl.rollout.pods.pod_progress import Eligibility, StatusCounts
from sidecarctl.rollout.pods.simulated_pods import SimulatedPod
from sidecarctl.rollout.pods.targets import Target
from sidecarctl.rollout.round.partition_and_max_unavailable import Window
from sidecarctl.rollout.round.rollout_facts import ConditionChange, RolloutOutcome, Round
from sidecarctl.rollout.round.set_rollout import SetRollout
from sidecarctl.rollout.simulation.simulated_rollout import Simulation

GroupOf: TypeAlias = Callable[[SimulatedPod], str]
"""The value by which pods are counted apart, such as that of a label."""


class LargestInGroup(NamedTuple):
    """How many of a group's pods were unavailable at once, at most; `by` names the label."""

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

    `before` are the status counts at the start, `unavailable_before` the updated pods that hold the budget then,
    `waves` the rounds that patch a pod, `rounds` how many there were.
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
    """Candidates whose place Kruise leaves open, because others have the same one; here the input's order decides."""


class Plan(NamedTuple):
    """The rollout of all sets, in name order; `pods` are all pods, as they are at the end."""

    sets: tuple[SetRolloutPlan, ...]
    pods: Sequence[SimulatedPod]

    @property
    def is_objection(self) -> bool:
        """Whether a rollout cannot go where it was meant to."""
        return any(one.outcome.ending.is_objection for one in self.sets)


def run(simulation: Simulation, groupings: Mapping[str, GroupOf] | None = None) -> Plan:
    """The plan that a simulation makes, run to its end; unavailable pods are counted apart by each grouping."""
    courses = {
        name: _Course([_Groups(by, group_of, simulation, name) for by, group_of in (groupings or {}).items()])
        for name in simulation.rollouts
    }
    for name, rollout in simulation.rollouts.items():
        courses[name].unavailable_before = sum(member.progress.holds_budget for member in rollout.pods.members)
        courses[name].ties = _ties(rollout)
    for recorded in simulation.rounds():
        courses[recorded.set_name].add(recorded)
    plans = (_set_plan(simulation, outcome, courses[outcome.set_name]) for outcome in simulation.outcomes())
    return Plan(tuple(plans), simulation.pods)


@dataclass(slots=True)
class _Course:
    """What is kept of a set's rounds."""

    groups: list["_Groups"]
    unavailable_before: int = 0
    ties: int = 0
    rounds: int = 0
    before: StatusCounts | None = None
    waves: list[Round] = field(default_factory=list)
    conditions: list[MarkedCondition] = field(default_factory=list)

    def add(self, recorded: Round) -> None:
        self.rounds = recorded.number
        self.before = self.before or recorded.status
        for groups in self.groups:
            groups.add(recorded)
        self.conditions += [MarkedCondition(recorded.number, change) for change in recorded.conditions]
        if recorded.is_wave:
            self.waves.append(recorded)


class _Groups:
    """The unavailable pods of a set, counted by group."""

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
        largest_in_groups=tuple(one for groups in course.groups for one in groups.largest()),
        remarks=tuple(rollout.remarks),
        ties=course.ties,
    )


def _ties(rollout: SetRollout) -> int:
    waiting = rollout.pods.waiting
    keys = Counter(
        waiting.order_key(member)[:2]
        for member in rollout.pods.members
        if member.progress.eligibility is Eligibility.CANDIDATE
    )
    return sum(count for count in keys.values() if count > 1)
