"""The rollout of a SidecarSet: pass after pass over its pods (docs/behaviour/rollout.md, "One round")."""

from collections.abc import Callable, Sequence

from sidecarctl.facts.errors import SidecarctlError, impossible
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.rollout.order.base_order import NO_SAY, base_key
from sidecarctl.rollout.order.waiting_pods import Member
from sidecarctl.rollout.pods.membership import Membership
from sidecarctl.rollout.pods.pod_progress import StatusCounts, status_counts
from sidecarctl.rollout.pods.targets import Target
from sidecarctl.rollout.round import upgradable_condition as conditions
from sidecarctl.rollout.round.cold_and_hot_upgrade import Upgrades, reset
from sidecarctl.rollout.round.combined_patches import one_a_pod
from sidecarctl.rollout.round.partition_and_max_unavailable import (
    NOTHING_CHOSEN,
    RoundChoice,
    Window,
    WindowUse,
    choose_upgrades,
    window_of,
)
from sidecarctl.rollout.round.pods_of_set import PodsOfSet
from sidecarctl.rollout.round.rollout_facts import ConditionChange, PodPatch, SortKey
from sidecarctl.rollout.round.strategy_remarks import no_pods_remark, strategy_remarks

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


class SetRollout:
    """A SidecarSet, its pods and the window in which they are updated; `remarks` are about the input.

    Raises ImpossibleError (MalformedSelector) for a selector that cannot be evaluated.
    """

    def __init__(self, target: Target, membership: Membership) -> None:
        self.target = target
        self.left_out = membership.left_out
        self.pods = PodsOfSet(target, membership)
        self._upgrades = Upgrades(target)
        self.window: Window = window_of(target.strategy, len(membership.pods), target.release)
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
        chosen = self._choose(status)
        done = Pass(status, chosen.window, [], [], [], [])
        actions: Sequence[tuple[Callable[[Member, Pass], None], Callable[[], list[Member]]]] = (
            (self._reset, lambda: chosen.resets),
            (self._refuse, lambda: self._refused(chosen.window, done)),
            (self._upgrade, lambda: chosen.upgrades),
        )
        for act, members in actions:
            for member in members():
                try:
                    act(member, done)
                except SidecarctlError as problem:
                    error = problem.findings[0]._replace(subject=member.pod.reference)
                    return done._replace(patches=one_a_pod(done.resets, done.patches), error=error)
        return done._replace(patches=one_a_pod(done.resets, done.patches))

    def _set_remarks(self, membership: Membership) -> list[Finding]:
        members = self.pods.members
        selected = sum(member.selected for member in members)
        found = strategy_remarks(self.target, self.window, len(members), selected)
        return [*found] if members else [no_pods_remark(membership), *found]

    def _choose(self, status: StatusCounts) -> RoundChoice:
        resets = self.pods.resets_due()
        if resets and self.target.release.reset_ends_round:
            return NOTHING_CHOSEN if self.held else RoundChoice(resets, [], None)
        if self.held or status.updated == status.matched:
            return RoundChoice(resets, [], None)
        upgrades = choose_upgrades(self.pods.waiting, self.window, self.pods.tally)
        return upgrades._replace(resets=resets)

    def _refused(self, window: WindowUse | None, done: Pass) -> list[Member]:
        """The pods to mark as not upgradable; every round with such pods has the event."""
        if window is None or not (window.not_upgradable and self.target.release.upgradable_condition):
            return []
        if window.not_upgradable:
            done.events.append(_NOT_UPGRADABLE_EVENT.format(window.not_upgradable))
        return self.pods.take_unmarked()

    def _reset(self, member: Member, done: Pass) -> None:
        _count_patch(member)
        change = reset(self.target, member.pod)
        done.resets.append(change.apply("reset", was_ready=member.progress.ready))
        done.events.append(RESET_EVENT)

    def _refuse(self, member: Member, done: Pass) -> None:
        self._mark(member, done, upgradable=False)

    def _upgrade(self, member: Member, done: Pass) -> None:
        _count_patch(member)
        change = self._upgrades.of(member.pod)
        priority, base, _ = self.pods.waiting.order_key(member)
        if base is NO_SAY:
            base = base_key(member.pod, self.target.release)
        sort_key = SortKey(priority, base, place=len(done.patches) + 1, scattered=self.pods.waiting.is_scattered)
        done.patches.append(change.apply("upgrade", was_ready=member.progress.ready, sort_key=sort_key))
        self._mark(member, done, upgradable=True)

    def _mark(self, member: Member, done: Pass, *, upgradable: bool) -> None:
        if not self.target.release.upgradable_condition:
            return
        change = conditions.mark(member.pod, self.target.name, upgradable=upgradable)
        if change:
            done.conditions.append(change)


def _count_patch(member: Member) -> None:
    """Count another patch; ImpossibleError (PatchedAgain) if they never end."""
    if member.patches >= _MOST_PATCHES:
        raise impossible(
            Reason.PATCHED_AGAIN,
            f"the pod was patched {member.patches} times and is still outdated",
            hint="a metadata patch overwrites what Kruise records, or an initContainer has HotUpgrade",
        )
    member.patches += 1
