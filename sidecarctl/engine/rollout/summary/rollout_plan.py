"""A whole rollout: its waves, its end, the largest number of pods unavailable at once.

docs/behavior/rollout.md, "Simulating to the end".
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import natural
from sidecarctl.engine.injection.webhook_steps import top_workload
from sidecarctl.engine.rollout.disruption_budgets import EvictionBudget
from sidecarctl.engine.rollout.facts import BudgetNumbers, ConditionChange, Refusal, RolloutOutcome, Round, Window
from sidecarctl.engine.rollout.predicates import Eligibility, StatusCounts
from sidecarctl.engine.rollout.round.set_rollout import SetRollout
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.rollout.simulated_rollout import Simulation
from sidecarctl.engine.rollout.summary.together import Passes, Together
from sidecarctl.engine.rollout.targets import LeftOut, Target
from sidecarctl.engine.sidecarset.held_back import new_pods_sentence

if TYPE_CHECKING:  # few runs have budgets
    from sidecarctl.engine.rollout.budgets import Budgets
    from sidecarctl.engine.sidecarset.budget_spec import BudgetSpec


class RoundCounts(NamedTuple):
    """The states of the pods of a SidecarSet after its pass of a round; `round` is 0 at the start.

    The numbers from `updated` to `not_upgradable` add up to the matched pods. `updated` pods are available;
    `updating` are updated and not available, which maxUnavailable limits; `in_flight` have an earlier update that
    does not end; `held_back` are those that partition, selector, `paused` or NotUpdate keep as they are.
    `unavailable` counts all pods that are not available, updated or not.
    """

    round: int
    updated: int
    updating: int
    in_flight: int
    waiting: int
    held_back: int
    not_upgradable: int
    unavailable: int

    @property
    def matched(self) -> int:
        """All pods of the SidecarSet."""
        return sum(self[1:7])


def _round_counts(rollout: SetRollout, number: int) -> RoundCounts:
    """The current states of the pods, after a pass."""
    by_eligibility: Counter[Eligibility] = Counter()
    updating = unavailable = 0
    for progress, pods in rollout.pods.tally.items():
        by_eligibility[progress.eligibility] += pods
        unavailable += 0 if progress.available else pods
        updating += pods if progress.holds_budget else 0
    candidates = by_eligibility[Eligibility.CANDIDATE]
    held = candidates if rollout.held else min(max(rollout.window.partition_pods, 0), candidates)
    return RoundCounts(
        number,
        by_eligibility[Eligibility.UPDATED] - updating,
        updating,
        by_eligibility[Eligibility.BUSY],
        candidates - held,
        held + by_eligibility[Eligibility.NOT_SELECTED],
        by_eligibility[Eligibility.NOT_UPGRADABLE],
        unavailable,
    )


def appended(course: list[RoundCounts], counts: RoundCounts) -> None:
    """Continue a course, which has no entry for a round in which no number changes."""
    if not course or course[-1][1:] != counts[1:]:
        course.append(counts)


GroupOf: TypeAlias = Callable[[SimulatedPod], str]
"""The value by which pods are grouped, such as that of a label."""


class LargestInGroup(NamedTuple):
    """The largest number of pods of a group that were unavailable at once; `by` names the label."""

    by: str
    value: str
    pods: int
    largest: int


class SetRolloutPlan(NamedTuple):
    """The rollout of one set.

    `before` are the status counts at the start, `unavailable_before` the updated pods that then count against
    maxUnavailable, `waves` the rounds that patch a pod, `rounds` their number. `conditions` have the round in which
    they are written. `put_back` are the pods that count as updated, by their recorded hash, but have other images.
    """

    target: Target
    before: StatusCounts
    unavailable_before: int
    window: Window
    rounds: int
    waves: tuple[Round, ...]
    conditions: tuple[tuple[int, ConditionChange], ...]
    outcome: RolloutOutcome
    left_out: Sequence[LeftOut]
    largest_in_groups: tuple[LargestInGroup, ...]
    remarks: tuple[Finding, ...]
    ties: int
    """Candidates that rank equally, whose order Kruise does not define; here the input order decides."""
    course: tuple[RoundCounts, ...] = ()
    """The states of the pods from start to end, an entry for each round in which a number changes."""
    budgets: tuple["SetBudget", ...] = ()
    """The PodUnavailableBudgets of its pods, by name."""
    refusals: tuple[tuple[int, Refusal], ...] = ()
    """The rounds that a PodUnavailableBudget ended, and the pod at which."""
    workloads: tuple[LargestInGroup, ...] = ()
    """The workloads of which more than half of the pods are unavailable at once, those that lose most first."""
    recreation: Mapping[int, str] = {}
    """The advice on recreating each pod that cannot be updated in place (`Target.recreation`)."""
    put_back: tuple[int, ...] = ()

    @property
    def new_pods(self) -> str:
        """What new pods get while running ones are held back, as a sentence; empty if none are held back."""
        target = self.target
        if not self.outcome.held or target.rolls_back:
            return ""
        return new_pods_sentence(target.sidecar_set.spec, target.hash_entry.controller_revision)


class SetBudget(NamedTuple):
    """A PodUnavailableBudget, its numbers at the start, and how many pods of the SidecarSet it protects."""

    spec: "BudgetSpec"
    numbers: BudgetNumbers
    pods: int


class Plan(NamedTuple):
    """The rollout of all SidecarSets, by name; `pods` are all pods at the end, `budgets` what protected them."""

    sets: tuple[SetRolloutPlan, ...]
    pods: Sequence[SimulatedPod]
    budgets: "Budgets | None" = None
    together: Together = Together()


def run(
    simulation: Simulation,
    groupings: Mapping[str, GroupOf] | None = None,
    watch: Callable[[int, int], None] | None = None,
    evictions: Sequence[EvictionBudget] = (),
) -> Plan:
    """The plan of a complete simulation; unavailable pods are counted by each grouping.

    `evictions` are the PodDisruptionBudgets. `watch` is called after each round with the number of updated pods, and
    of those that may be.
    """
    courses = {
        name: _Course(
            [_Groups(by, group_of, simulation, name) for by, group_of in (groupings or {}).items()],
            _Groups("workload", _workload, simulation, name),
        )
        for name in simulation.rollouts
    }
    rollouts = simulation.rollouts
    for name, rollout in rollouts.items():
        courses[name].unavailable_before = sum(member.progress.holds_budget for member in rollout.pods.members)
        courses[name].ties = _ties(rollout)
        courses[name].counts.append(_round_counts(rollout, 0))
    total = sum(course.counts[0].matched - course.counts[0].not_upgradable for course in courses.values())
    done = sum(course.counts[0].updated + course.counts[0].updating for course in courses.values())
    members = {name: [member.pod.index for member in item.pods.members] for name, item in rollouts.items()}
    passes = Passes(members, simulation.pods, evictions)
    for recorded in simulation.rounds():
        passes.add(recorded)
        course = courses[recorded.set_name]
        if watch:
            done += len(recorded.patches)
            watch(min(done, total), total)
        course.add(recorded)
        appended(course.counts, _round_counts(rollouts[recorded.set_name], recorded.number))
    for name, rollout in rollouts.items():  # the last step of the cluster, where rounds are limited
        appended(courses[name].counts, _round_counts(rollout, courses[name].rounds + 1))
    outcomes = sorted(simulation.outcomes(), key=lambda outcome: natural(outcome.set_name))
    plans = (_set_plan(simulation, outcome, courses[outcome.set_name]) for outcome in outcomes)
    return Plan(tuple(plans), simulation.pods, simulation.budgets, passes.together())


@dataclass(slots=True)
class _Course:
    """The recorded rounds of a SidecarSet."""

    groups: list["_Groups"]
    workloads: "_Groups"
    unavailable_before: int = 0
    ties: int = 0
    rounds: int = 0
    before: StatusCounts | None = None
    waves: list[Round] = field(default_factory=list)
    conditions: list[tuple[int, ConditionChange]] = field(default_factory=list)
    counts: list[RoundCounts] = field(default_factory=list)
    refusals: list[tuple[int, Refusal]] = field(default_factory=list)
    budgets: tuple[BudgetNumbers, ...] | None = None

    def add(self, recorded: Round) -> None:
        self.budgets = recorded.budgets if self.budgets is None else self.budgets
        if recorded.refusal:
            self.refusals.append((recorded.number, recorded.refusal))
        self.rounds = recorded.number
        self.before = self.before or recorded.status
        for groups in (*self.groups, self.workloads):
            groups.add(recorded)
        self.conditions += [(recorded.number, change) for change in recorded.conditions]
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
        return [
            LargestInGroup(self._by, value, sizes[value], self._largest[value])
            for value in sorted(sizes, key=natural)
        ]


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
        budgets=tuple(_budgets(simulation, rollout, course.budgets or ())),
        refusals=tuple(course.refusals),
        workloads=tuple(_mostly_down(course.workloads.largest())),
        put_back=tuple(pod.index for pod in rollout.put_back),
        recreation={index: rollout.target.recreation(simulation.pods[index]) for index in outcome.not_upgradable},
    )


def _workload(pod: SimulatedPod) -> str:
    """`Deployment shop/web`; empty for a pod without an owner."""
    workload = top_workload(pod.manifest, pod.labels)
    return f"{workload.kind} {pod.name.namespace}/{workload.name}" if workload.kind else ""


def _mostly_down(workloads: Iterable[LargestInGroup]) -> list[LargestInGroup]:
    found = [item for item in workloads if item.value and item.pods > 1 and item.largest * 2 > item.pods]
    return sorted(found, key=lambda item: (-item.largest / item.pods, -item.pods))


def _budgets(simulation: Simulation, rollout: SetRollout, numbers: Sequence[BudgetNumbers]) -> Iterator[SetBudget]:
    """The budgets that protect pods of a SidecarSet."""
    budgets = simulation.budgets
    if budgets is None or not budgets.protects_updates:
        return
    protected = budgets.protected(member.pod for member in rollout.pods.members)
    for item in numbers:
        if item.name in protected:
            yield SetBudget(budgets.budgets[item.name].spec, item, protected[item.name])


def _ties(rollout: SetRollout) -> int:
    waiting = rollout.pods.waiting
    keys = Counter(
        waiting.order_key(member)[:2]
        for member in rollout.pods.members
        if member.progress.eligibility is Eligibility.CANDIDATE
    )
    return sum(count for count in keys.values() if count > 1)


def hot_version_notes(plan: SetRolloutPlan) -> Iterator[Finding]:
    """A note that Kruise would write other versions: docs/behavior/rollout.md, "Hot upgrade of one pod"."""
    if plan.target.hot and any(patch.kind == "upgrade" for wave in plan.waves for patch in wave.patches):
        message = (
            "the version annotations of HotUpgrade containers differ from those that Kruise would write, which "
            "are the "
            "resourceVersion of the SidecarSet in the cluster; here they are above those of the pod"
        )
        yield Finding(Severity.NOTE, Reason.HOT_VERSIONS_OWN, message, ("metadata", "resourceVersion"))


def scatter_notes(plan: SetRolloutPlan) -> Iterator[Finding]:
    """A note that a scattered order depends on when pods become ready, and its effect on the partition."""
    upgrades = [len(wave.patches) for wave in plan.waves if wave.patches[0].kind == "upgrade"]
    if not plan.target.strategy.get("scatterStrategy") or len(upgrades) < 2:
        return
    message = (
        "the waves assume that the pods of a wave become ready together: Kruise scatters the remaining pods again "
        "whenever one becomes ready"
    )
    held = len(plan.outcome.held_by_partition)
    if held:
        differing = min(sum(upgrades[1:]), held)
        which = "the pod" if held == 1 else f"the {held:,} pods" if differing == held else ""
        which = which or f"up to {differing:,} of the {held:,} pods"
        message += f"; {which} that the partition holds back may be updated instead of others"
    yield Finding(Severity.NOTE, Reason.SCATTER_ASSUMES_WAVES, message, ("spec", "updateStrategy", "scatterStrategy"))


def clock(seconds: int) -> str:
    """`0:45`, `12:00`, `1:02:03`."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def begins_at(round_number: int, step_seconds: int) -> int:
    """When a round begins."""
    return (round_number - 1) * step_seconds


def ends_at(rollout: SetRolloutPlan, step_seconds: int) -> int:
    """When the rollout ends: a round after the last wave."""
    return begins_at(rollout.waves[-1].number + 1, step_seconds) if rollout.waves else 0


def ending_time(rollout: SetRolloutPlan, step_seconds: int | None) -> str:
    """` At 3:45.`, if the length of a round is known and anything is done."""
    return f" At {clock(ends_at(rollout, step_seconds))}." if step_seconds and rollout.waves else ""


def round_label(number: int, step_seconds: int | None) -> str:
    """`start`, `round 12`, and when that begins, if known."""
    if not number:
        return "start"
    return f"round {number:,}" + (f" at {clock(begins_at(number, step_seconds))}" if step_seconds else "")
