"""The rollout of a SidecarSet: its pods with their progress, and pass after pass over them.

Progress is updated incrementally, so that no round examines all pods.

Source: docs/behavior/rollout.md, "One round".
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from sidecarctl.engine.facts.errors import SidecarctlError, impossible
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.rollout.facts import ConditionChange, PodPatch, Refusal, SortKey, Window, WindowUse, one_a_pod
from sidecarctl.engine.rollout.predicates import (
    Eligibility,
    PodProgress,
    StatusCounts,
    other_images,
    progress_of,
    status_counts,
)
from sidecarctl.engine.rollout.round.pod_changes import PodChange, mark
from sidecarctl.engine.rollout.round.scatter import Scatter
from sidecarctl.engine.rollout.round.update_order import NO_SAY, OrderedPod, WaitingPods, base_key, update_priority
from sidecarctl.engine.rollout.round.upgrades import Upgrades, reset
from sidecarctl.engine.rollout.round.window import (
    choose_upgrades,
    no_pods_remark,
    pod_remarks,
    put_back_remarks,
    strategy_remarks,
    window_of,
)
from sidecarctl.engine.rollout.simulated_pods import Evaluated, SimulatedPod
from sidecarctl.engine.rollout.targets import Membership, Target
from sidecarctl.engine.sidecarset.sets import selector_test


class PodsOfSet:
    """The pods of a set.

    `members` in pod order; `tally` counts them by progress; `waiting` are the candidates. `remarks` are about single
    input pods.
    """

    def __init__(self, target: Target, membership: Membership) -> None:
        self._target = target
        self._progress = [Evaluated(partial(progress_of, target, selected=selected)) for selected in (False, True)]
        self._is_odd = [Evaluated(lambda pod: any(pod_remarks(target, pod))) for _ in ("without status", "with it")]
        strategy = target.strategy
        self.waiting = WaitingPods(
            Scatter(strategy.get("scatterStrategy"), membership.pods),
            update_priority(strategy.get("priorityStrategy")),
            target.release,
        )
        self.tally: Counter[PodProgress] = Counter()
        self.remarks: list[Finding] = []
        self._resets_due: dict[int, OrderedPod] = {}
        self._unmarked: dict[int, OrderedPod] = {}
        self._flips: dict[int, bool] = {}
        self.members = self._members_of(membership)
        self._by_index = {member.pod.index: member for member in self.members}

    def resets_due(self) -> list[OrderedPod]:
        """The pods whose idle containers must be emptied, in pod order."""
        return [member for _, member in sorted(self._resets_due.items())]

    def take_unmarked(self) -> list[OrderedPod]:
        """The pods that cannot be upgraded and are not yet marked, in pod order."""
        unmarked, self._unmarked = self._unmarked, {}
        return [member for _, member in sorted(unmarked.items())]

    def refresh(self, index: int, *, readiness_changed: bool) -> None:
        """Reevaluate a pod that has changed, if it takes part in the rollout."""
        member = self._by_index.get(index)
        if member is None:
            return
        if readiness_changed:
            self.waiting.reorder(member)
        before = member.progress
        after = self._progress[member.selected].of(member.pod)
        if after != before:
            self._leave(member, before)
            member.progress = after
            self._enter(member, after)
            if after.available != before.available:
                self._flip(index, available=after.available)

    def availability_changes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The pods that went down and those that came back since the last call; initially all pods that are down."""
        flips, self._flips = self._flips, {}
        down = sorted(index for index, available in flips.items() if not available)
        return tuple(down), tuple(sorted(flips.keys() - down))

    def _members_of(self, membership: Membership) -> list[OrderedPod]:
        selector = self._target.strategy.get("selector")
        path = ("spec", "updateStrategy", "selector")
        is_selected = selector_test(selector or {}, path)
        only = self._target.only
        members = []
        for rank, pod in enumerate(membership.pods):
            selected = is_selected(pod.labels) and (only is None or only(pod))
            member = OrderedPod(pod, rank, self._progress[selected].of(pod), selected=selected)
            self._enter(member, member.progress)
            if not member.progress.available:
                self._flip(pod.index, available=False)
            if self._is_odd[bool(pod.manifest.get("status"))].of(pod):
                self.remarks.extend(pod_remarks(self._target, pod))
            members.append(member)
        return members

    def _enter(self, member: OrderedPod, progress: PodProgress) -> None:
        self.tally[progress] += 1
        if progress.reset_due:
            self._resets_due[member.rank] = member
        if progress.eligibility is Eligibility.CANDIDATE:
            self.waiting.add(member)
        elif progress.eligibility is Eligibility.NOT_UPGRADABLE:
            self._unmarked[member.rank] = member

    def _leave(self, member: OrderedPod, progress: PodProgress) -> None:
        self.tally[progress] -= 1
        if not self.tally[progress]:
            del self.tally[progress]
        if progress.reset_due:
            del self._resets_due[member.rank]
        if progress.eligibility is Eligibility.CANDIDATE:
            self.waiting.remove(member)
        elif progress.eligibility is Eligibility.NOT_UPGRADABLE:
            self._unmarked.pop(member.rank, None)

    def _flip(self, index: int, *, available: bool) -> None:
        if index in self._flips:
            del self._flips[index]  # down and back again in between
        else:
            self._flips[index] = available


RESET_EVENT = "Normal ResetContainerSucceed reset sidecar container image empty successfully"
_NOT_UPGRADABLE_EVENT = (
    "Normal NotUpgradablePods SidecarSet in-place update detected {} not upgradable pod(s) in this round, "
    "will skip them."
)
_MOST_PATCHES = 8
"""A pod is upgraded once and reset at most twice; more often only if a patch does not last."""


class Pass(NamedTuple):
    """The result of a pass; patches before an error are kept. `patches` has one for each pod."""

    status: StatusCounts
    window: WindowUse | None
    resets: list[PodPatch]
    patches: list[PodPatch]
    conditions: list[ConditionChange]
    events: list[str]
    error: Finding | None = None
    refusal: Refusal | None = None


Guard = Callable[[SimulatedPod], Refusal | None]
"""The webhook check of an update of a pod's images: the refusal of a PodUnavailableBudget, if it has no room."""


class SetRollout:
    """A SidecarSet, its pods and the window in which they are updated; `remarks` are about the input.

    `put_back` are the pods that count as updated, by their recorded hash, but have other images.
    Raises ImpossibleError (MalformedSelector) for a selector that cannot be evaluated.
    """

    def __init__(self, target: Target, membership: Membership, guard: Guard | None = None) -> None:
        self.target = target
        self._guard = guard
        self.left_out = membership.left_out
        self.doubtful = membership.doubtful
        self.pods = PodsOfSet(target, membership)
        self._upgrades = Upgrades(target)
        self.window: Window = window_of(target.strategy, len(membership.pods), target.release)
        self.put_back: list[SimulatedPod] = []
        self.remarks = [*self._set_remarks(membership), *self.pods.remarks]

    @property
    def held(self) -> bool:
        """Whether the strategy allows no change."""
        strategy = self.target.strategy
        return strategy.get("type") == "NotUpdate" or bool(strategy.get("paused"))

    def status(self) -> StatusCounts:
        """The current counts of the status."""
        return status_counts(self.pods.tally)

    def run_pass(self) -> Pass:
        """A pass: choose, then patch. The caller reevaluates the patched pods."""
        status = self.status()
        resets, upgrades, window = self._choose(status)
        done = Pass(status, window, [], [], [], [])
        actions: Sequence[tuple[Callable[[OrderedPod, Pass], Refusal | None], Callable[[], list[OrderedPod]]]] = (
            (self._reset, lambda: resets),
            (self._refuse, lambda: self._refused(window, done)),
            (self._upgrade, lambda: upgrades),
        )
        for act, members in actions:
            for member in members():
                try:
                    refusal = act(member, done)
                except SidecarctlError as problem:
                    error = problem.findings[0]._replace(subject=member.pod.reference)
                    return done._replace(patches=one_a_pod(done.resets, done.patches), error=error)
                if refusal:  # the controller stops there, and does not try the pods behind
                    return done._replace(patches=one_a_pod(done.resets, done.patches), refusal=refusal)
        return done._replace(patches=one_a_pod(done.resets, done.patches))

    def chosen(self) -> tuple[list[OrderedPod], list[OrderedPod]]:
        """The pods that the next pass resets and upgrades, as far as no budget refuses."""
        return self._choose(self.status())[:2]

    def _set_remarks(self, membership: Membership) -> list[Finding]:
        members = self.pods.members
        selected = sum(member.selected for member in members)
        found = [*strategy_remarks(self.target, self.window, len(members), selected)]
        if not members:
            return found if membership.doubtful else [no_pods_remark(membership), *found]
        updated = [member.pod for member in members if member.progress.eligibility is Eligibility.UPDATED]
        self.put_back = [pod for pod in updated if any(other_images(self.target, pod))]
        return [*found, *put_back_remarks(self.target, self.put_back, len(updated))]

    def _choose(self, status: StatusCounts) -> tuple[list[OrderedPod], list[OrderedPod], WindowUse | None]:
        """Pods to reset, or to upgrade, in order; both only in old releases. The window, if it was evaluated."""
        resets = self.pods.resets_due()
        if resets and self.target.release.reset_ends_round:
            return [] if self.held else resets, [], None
        if self.held or status.updated == status.matched:
            return resets, [], None
        return resets, *choose_upgrades(self.pods.waiting, self.window, self.pods.tally)

    def _refused(self, window: WindowUse | None, done: Pass) -> list[OrderedPod]:
        """The pods to mark as not upgradable; every round with such pods has the event."""
        if window is None or not (window.not_upgradable and self.target.release.upgradable_condition):
            return []
        if window.not_upgradable:
            done.events.append(_NOT_UPGRADABLE_EVENT.format(window.not_upgradable))
        return self.pods.take_unmarked()

    def _refusal(self, member: OrderedPod, change: PodChange) -> Refusal | None:
        return self._guard(member.pod) if self._guard and change.changes_spec else None

    def _reset(self, member: OrderedPod, done: Pass) -> Refusal | None:
        change = reset(self.target, member.pod)
        if refusal := self._refusal(member, change):
            return refusal
        _count_patch(member)
        done.resets.append(change.apply("reset", was_ready=member.progress.ready))
        done.events.append(RESET_EVENT)
        return None

    def _refuse(self, member: OrderedPod, done: Pass) -> None:
        self._mark(member, done, upgradable=False)

    def _upgrade(self, member: OrderedPod, done: Pass) -> Refusal | None:
        change = self._upgrades.of(member.pod)
        if refusal := self._refusal(member, change):
            return refusal
        _count_patch(member)
        priority, base, _ = self.pods.waiting.order_key(member)
        if base is NO_SAY:
            base = base_key(member.pod, self.target.release)
        sort_key = SortKey(priority, base, place=len(done.patches) + 1, scattered=self.pods.waiting.is_scattered)
        done.patches.append(change.apply("upgrade", was_ready=member.progress.ready, sort_key=sort_key))
        self._mark(member, done, upgradable=True)
        return None

    def _mark(self, member: OrderedPod, done: Pass, *, upgradable: bool) -> None:
        if not self.target.release.upgradable_condition:
            return
        change = mark(member.pod, self.target.name, upgradable=upgradable)
        if change:
            done.conditions.append(change)


def _count_patch(member: OrderedPod) -> None:
    """Count another patch; ImpossibleError (PatchedAgain) if they never end."""
    if member.patches >= _MOST_PATCHES:
        raise impossible(
            Reason.PATCHED_AGAIN,
            f"the pod was patched {member.patches} times and is still outdated",
            hint="a metadata patch overwrites what Kruise records, or an initContainer has HotUpgrade",
        )
    member.patches += 1
