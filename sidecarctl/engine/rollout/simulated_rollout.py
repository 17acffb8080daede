"""The simulated rollout of SidecarSets over pods, round by round to its end.

docs/behavior/rollout.md, "Simulating to the end".
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.facts import BudgetNumbers, Ending, Refusal, RolloutOutcome, Round
from sidecarctl.engine.rollout.kubelet import Kubelet, UpdatesInFlight, finish_begun, restarting
from sidecarctl.engine.rollout.predicates import Eligibility, half_done
from sidecarctl.engine.rollout.round.set_rollout import Pass, SetRollout
from sidecarctl.engine.rollout.round.update_order import OrderedPod
from sidecarctl.engine.rollout.simulated_pods import MIRROR, PodName, SimulatedPod
from sidecarctl.engine.rollout.targets import NamespaceLabels, Target, membership_of

if TYPE_CHECKING:  # few runs have budgets
    from sidecarctl.engine.rollout.budgets import Budgets

ROUND_SECONDS = 15
"""The default duration of a round."""

_REFUSED_ROUNDS = 3
"""After this many rounds with nothing but refusals, a rollout is stuck."""


def no_pod(_: PodName) -> bool:
    """The default of `fails`: no pod fails."""
    return False


@dataclass(frozen=True, slots=True)
class ClusterBehavior:
    """The behavior of the simulated cluster.

    `duration`: steps that an update takes, at least 1. `fails`: whether a pod never becomes ready after an update.
    `assume_ready`: every updated pod becomes ready. `mends`: new images work, so that a pod becomes ready if all its
    unready containers get one. `rounds`: the limit of rounds, None for none. `finishes_begun`: updates in flight in
    the input finish as others do; else they never finish. `round_seconds`: how long a round takes, which matters only
    to PodUnavailableBudgets: a pod keeps its place for 10 seconds at least.
    """

    duration: int = 1
    fails: Callable[[PodName], bool] = no_pod
    assume_ready: bool = False
    rounds: int | None = None
    finishes_begun: bool = False
    mends: bool = False
    round_seconds: int = ROUND_SECONDS


@dataclass(slots=True)
class _Course:
    """The rollout of a SidecarSet so far."""

    rollout: SetRollout
    patched: bool = False
    largest_unavailable: int = 0
    begun: int = 0
    error: Finding | None = None
    refusal: Refusal | None = None
    """Of the last pass."""


@dataclass(slots=True)
class _Cluster:
    """The pods, and the updates in flight; for those in the input (`begun`), the restarting sidecars by pod."""

    pods: list[SimulatedPod]
    in_flight: UpdatesInFlight
    begun: dict[int, frozenset[str]] = field(default_factory=dict)
    step: int = 0
    changed: bool = False
    patched: bool = False
    refused: int = 0
    """The rounds in a row in which nothing happened but refusals."""
    replaced: dict[int, frozenset[str]] = field(default_factory=dict)
    """The containers of each pod whose images the updates in flight change."""


class Simulation:
    """SidecarSets, pods and their rollout; consume `rounds` to the end, then call `outcomes`.

    `pods` are manifests of the API's types (absent and null fields allowed), `namespaces` the labels of the
    known Namespaces. In each round every SidecarSet makes a pass, in name order, then the cluster makes a step.
    `budgets` makes the PodUnavailableBudgets over the pods; before each round their controller counts.
    """

    def __init__(
        self,
        targets: Iterable[Target],
        pods: Iterable[Object],
        namespaces: NamespaceLabels | None = None,
        options: ClusterBehavior | None = None,
        budgets: "Callable[[Sequence[SimulatedPod]], Budgets] | None" = None,
    ) -> None:
        self._options = options or ClusterBehavior()
        alike: dict[int, object] = {}
        read = [SimulatedPod(index, manifest, alike) for index, manifest in enumerate(pods)]
        self._cluster = _Cluster(read, UpdatesInFlight(self._options.duration))
        self._kubelet = Kubelet(assume_ready=self._options.assume_ready)
        self._limited = False
        self.budgets = budgets(read) if budgets else None
        guard = self._refusal if self.budgets and self.budgets.protects_updates else None
        self._courses = [
            _Course(SetRollout(target, membership_of(target, read, namespaces or {}), guard))
            for target in sorted(targets, key=lambda target: target.name)
        ]
        if self._options.finishes_begun:
            self._find_begun()

    @property
    def pods(self) -> Sequence[SimulatedPod]:
        """All pods, after the rounds consumed so far."""
        return self._cluster.pods

    @property
    def rollouts(self) -> Mapping[str, SetRollout]:
        """The rollout of each SidecarSet, by name."""
        return {course.rollout.target.name: course.rollout for course in self._courses}

    def rounds(self) -> Iterator[Round]:
        """The rounds to the end: for each round, a record per SidecarSet.

        The last is the first that changes nothing while no update is in flight, or the limit. A SidecarSet whose pass
        ended with an error makes no further passes.
        """
        cluster, options = self._cluster, self._options
        while options.rounds is None or cluster.step < options.rounds:
            cluster.step += 1
            cluster.changed = cluster.patched = False
            if self.budgets:
                self.budgets.reconcile(self._now)
            for course in self._courses:
                if course.error is None:
                    yield self._round(course)
            if not cluster.changed and not cluster.in_flight and not any(course.refusal for course in self._courses):
                return
            if self._stands_still():
                return
            self._kubelet_step()
        self._limited = True

    @property
    def _now(self) -> int:
        """Seconds since the first round began."""
        return (self._cluster.step - 1) * self._options.round_seconds

    def _refusal(self, pod: SimulatedPod) -> Refusal | None:
        """The refusal of the budget of a pod; without one the pod has taken its place."""
        guarding = self.budgets.guard(pod, "UPDATE") if self.budgets else None
        if guarding is None or self.budgets is None:
            return None
        message = self.budgets.take_place(guarding, pod, self._now)
        return Refusal(pod.name, guarding.spec.name, guarding.numbers, message) if message else None

    def _stands_still(self) -> bool:
        """Whether refused pods have been refused so often that no place will become free for them."""
        cluster = self._cluster
        is_idle = any(course.refusal for course in self._courses) and not (cluster.patched or cluster.in_flight)
        cluster.refused = cluster.refused + 1 if is_idle else 0
        return cluster.refused >= _REFUSED_ROUNDS

    def outcomes(self) -> list[RolloutOutcome]:
        """How each rollout ended, by name of the SidecarSet."""
        return [_outcome(course, limited=self._limited) for course in self._courses]

    def _find_begun(self) -> None:
        cluster = self._cluster
        for course in self._courses:
            for member in course.rollout.pods.members:
                if names := restarting(course.rollout.target, member):
                    course.begun += 1
                    index = member.pod.index
                    cluster.begun[index] = cluster.begun.get(index, frozenset()) | names
        for index in sorted(cluster.begun):
            cluster.in_flight.begin(index, 1)

    def _round(self, course: _Course) -> Round:
        numbers = self.budgets.numbers() if self.budgets else ()
        done = course.rollout.run_pass()
        for patch in done.patches:
            self._cluster.in_flight.begin(patch.pod_index, self._cluster.step)
            if self._options.mends:
                names = frozenset([change.container for change in patch.images])
                self._cluster.replaced[patch.pod_index] = self._cluster.replaced.get(patch.pod_index, names) | names
            self._refresh(patch.pod_index)
        self._cluster.patched |= bool(done.patches)
        self._cluster.changed |= bool(done.patches or done.conditions)
        course.patched |= bool(done.patches)
        course.error, course.refusal = done.error, done.refusal
        recorded = _recorded(course.rollout, done, self._cluster.step, numbers)
        course.largest_unavailable = max(course.largest_unavailable, recorded.unavailable_after)
        return recorded

    def _kubelet_step(self) -> None:
        options = self._options
        for index in self._cluster.in_flight.ended(self._cluster.step):
            pod = self._cluster.pods[index]
            fails = options.fails(pod.name) or MIRROR in pod.annotations
            replaced = self._cluster.replaced.pop(index, frozenset())
            readiness_changed = self._kubelet.finish_update(pod, fails=fails, mended=replaced)
            if restarted := self._cluster.begun.pop(index, None):
                readiness_changed |= finish_begun(pod, restarted, fails=fails)
            self._refresh(index, readiness_changed=readiness_changed)

    def _refresh(self, index: int, *, readiness_changed: bool = False) -> None:
        for course in self._courses:
            course.rollout.pods.refresh(index, readiness_changed=readiness_changed)


def _recorded(rollout: SetRollout, done: Pass, number: int, budgets: tuple[BudgetNumbers, ...]) -> Round:
    status = rollout.status()
    went_down, came_back = rollout.pods.availability_changes()
    return Round(
        number=number,
        set_name=rollout.target.name,
        status=done.status,
        window=done.window,
        patches=tuple(done.patches),
        conditions=tuple(done.conditions),
        events=tuple(done.events),
        unavailable_after=status.matched - status.ready,
        went_down=went_down,
        came_back=came_back,
        error=done.error,
        refusal=done.refusal,
        budgets=budgets,
    )


def _outcome(course: _Course, *, limited: bool) -> RolloutOutcome:
    """The outcome of a rollout that has ended; `limited`: only by the limit of rounds."""
    rollout = course.rollout
    order = [member.pod.index for member in rollout.pods.waiting.in_order()]
    limit = max(len(order) - rollout.window.partition_pods, 0)
    status = rollout.status()
    outcome = RolloutOutcome(
        set_name=rollout.target.name,
        ending=Ending.ERROR,
        status=status,
        largest_unavailable=course.largest_unavailable,
        holding_budget=_indices(member for member in rollout.pods.members if member.progress.holds_budget),
        waiting=tuple(order[:limit]),
        held_by_partition=tuple(order[limit:]),
        not_selected=_at(rollout, Eligibility.NOT_SELECTED),
        busy=_at(rollout, Eligibility.BUSY),
        not_upgradable=_at(rollout, Eligibility.NOT_UPGRADABLE),
        begun=course.begun,
        others=_others_unready(rollout),
        error=course.error,
        refusal=course.refusal,
    )
    if course.error:
        return outcome
    ending, doubtful = _ending(course, outcome, limited=limited), course.rollout.doubtful
    is_known = not doubtful or ending.is_objection
    return outcome._replace(ending=ending if is_known else Ending.UNKNOWN, doubtful=doubtful)


def _others_unready(rollout: SetRollout) -> tuple[tuple[str, ...], int]:
    """Other containers that are not ready in the pods that hold the budget, which no update fixes."""
    holding = (member.pod for member in rollout.pods.members if member.progress.holds_budget)
    unready = [_unready(pod, rollout.target.names) for pod in holding]
    return tuple(dict.fromkeys(name for names in unready for name in names)), sum(map(bool, unready))


def _unready(pod: SimulatedPod, own: Collection[str]) -> list[str]:
    return [name for name, status in pod.statuses.items() if not (status.ready or name in own)]


def _ending(course: _Course, outcome: RolloutOutcome, *, limited: bool) -> Ending:
    rollout = course.rollout
    half = any(half_done(rollout.target, member.pod) for member in rollout.pods.members if rollout.target.hot)
    if outcome.status.updated == outcome.status.matched and not half:
        return Ending.COMPLETE if course.patched else Ending.NOTHING_TO_DO
    if rollout.target.strategy.get("type") == "NotUpdate":
        return Ending.NOT_UPDATE
    if rollout.held:
        return Ending.PAUSED
    if limited:
        return Ending.ROUND_LIMIT
    if half or outcome.waiting or outcome.busy:
        return Ending.STALLED
    if outcome.not_upgradable:
        return Ending.BLOCKED
    return Ending.HELD_BY_PARTITION if outcome.held_by_partition else Ending.HELD_BY_SELECTOR


def _at(rollout: SetRollout, eligibility: Eligibility) -> tuple[int, ...]:
    return _indices(member for member in rollout.pods.members if member.progress.eligibility is eligibility)


def _indices(members: Iterable[OrderedPod]) -> tuple[int, ...]:
    return tuple(member.pod.index for member in members)
