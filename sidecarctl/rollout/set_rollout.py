"""The rollout of one set: its pods, where each stands, and one pass after another over them."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sidecarctl.api.label_selectors import Labels, Matches
from sidecarctl.facts.errors import SidecarctlError, impossible
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.reasons import Reason
from sidecarctl.rollout import choice, conditions
from sidecarctl.rollout.choice import Choice
from sidecarctl.rollout.membership import Membership
from sidecarctl.rollout.pod_updates import reset, upgrade
from sidecarctl.rollout.priority import priority_of
from sidecarctl.rollout.records import ConditionChange, PodPatch, SortKey, WindowUse
from sidecarctl.rollout.remarks import pod_remarks, strategy_remarks
from sidecarctl.rollout.scatter import Scatter
from sidecarctl.rollout.selectors import strategy_selector
from sidecarctl.rollout.standing import Place, Standing, StatusCounts, standing_of, status_counts
from sidecarctl.rollout.targets import Target
from sidecarctl.rollout.waiting import Member, Waiting
from sidecarctl.rollout.window import Window, window_of

RESET_EVENT = "Normal ResetContainerSucceed reset sidecar container image empty successfully"
_NOT_UPGRADABLE_EVENT = (
    "Normal NotUpgradablePods SidecarSet in-place update detected {} not upgradable pod(s) in this round, "
    "will skip them."
)
_MOST_PATCHES = 8
"""A pod is upgraded once and reset twice at most; more often only where a patch does not last."""


class Pass(NamedTuple):
    """What one pass did; patches that came before an error stand."""

    status: StatusCounts
    window: WindowUse | None
    patches: list[PodPatch]
    conditions: list[ConditionChange]
    events: list[str]
    error: Finding | None = None


class SetRollout:
    """One set and its pods.

    `members` in pod order; `tally` counts them by where they stand. Both are kept up by `refresh`, so that a
    pass looks only at the pods that it changes. `remarks` are about the input.

    Raises ImpossibleError (MalformedSelector) for a selector that cannot be evaluated.
    """

    def __init__(self, target: Target, membership: Membership) -> None:
        self.target = target
        self.left_out = membership.left_out
        strategy = target.strategy
        self.window: Window = window_of(strategy, len(membership.pods))
        self.waiting = Waiting(
            Scatter(strategy.get("scatterStrategy"), membership.pods),
            priority_of(strategy.get("priorityStrategy")),
        )
        self.tally: Counter[Standing] = Counter()
        self._resets_due: dict[int, Member] = {}
        self._unmarked: dict[int, Member] = {}
        self._flips: dict[int, bool] = {}
        self.remarks: list[Finding] = []
        self.members = self._members_of(membership)
        selected = sum(member.selected for member in self.members)
        self.remarks[:0] = strategy_remarks(target, self.window, len(self.members), selected)
        self._by_index = {member.pod.index: member for member in self.members}

    @property
    def held(self) -> bool:
        """Whether the set's strategy lets nothing be changed."""
        strategy = self.target.strategy
        return strategy.get("type") == "NotUpdate" or bool(strategy.get("paused"))

    def status(self) -> StatusCounts:
        """The counts for the set's status now."""
        return status_counts(self.tally)

    def run_pass(self) -> Pass:
        """One pass: choose, then patch. The caller refreshes the patched pods."""
        done = Pass(self.status(), None, [], [], [])
        chosen = self._choose(done.status)
        done = done._replace(window=chosen.window)
        try:
            self._reset(chosen.resets, done)
            if chosen.window:
                self._mark_not_upgradable(chosen.window.not_upgradable, done)
            self._upgrade(chosen.upgrades, done)
        except SidecarctlError as problem:
            return done._replace(error=problem.findings[0])
        return done

    def refresh(self, index: int, *, readiness_changed: bool = False) -> None:
        """Look at a pod again after it was patched, or after the kubelet changed it."""
        member = self._by_index.get(index)
        if member is None:
            return
        if readiness_changed:
            self.waiting.reorder(member)
        before, after = member.standing, self._standing(member)
        if after != before:
            self._leave(member, before)
            member.standing = after
            self._enter(member, after)
            if after.available != before.available:
                self._flip(index, available=after.available)

    def availability_changes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The pods that went down and those that came back since this was asked last; at first, all down."""
        flips, self._flips = self._flips, {}
        down = sorted(index for index, available in flips.items() if not available)
        return tuple(down), tuple(sorted(flips.keys() - down))

    def _members_of(self, membership: Membership) -> list[Member]:
        selector = self.target.strategy.get("selector")
        path = ("spec", "updateStrategy", "selector")
        is_selected: Matches = _everything if selector is None else strategy_selector(selector, path)
        members = []
        for rank, pod in enumerate(membership.pods):
            selected = is_selected(pod.labels)
            pod.note_readings()
            member = Member(pod, rank, standing_of(self.target, pod, selected=selected), selected=selected)
            self._enter(member, member.standing)
            if not member.standing.available:
                self._flip(pod.index, available=False)
            self.remarks.extend(pod_remarks(self.target, pod))
            pod.forget()
            members.append(member)
        return members

    def _standing(self, member: Member) -> Standing:
        return standing_of(self.target, member.pod, selected=member.selected)

    def _enter(self, member: Member, standing: Standing) -> None:
        self.tally[standing] += 1
        if standing.reset_due:
            self._resets_due[member.rank] = member
        if standing.place is Place.CANDIDATE:
            self.waiting.add(member)
        elif standing.place is Place.NOT_UPGRADABLE:
            self._unmarked[member.rank] = member

    def _leave(self, member: Member, standing: Standing) -> None:
        self.tally[standing] -= 1
        if not self.tally[standing]:
            del self.tally[standing]
        self._resets_due.pop(member.rank, None)
        self._unmarked.pop(member.rank, None)
        if standing.place is Place.CANDIDATE:
            self.waiting.remove(member)

    def _flip(self, index: int, *, available: bool) -> None:
        if index in self._flips:
            del self._flips[index]  # down and back again in between
        else:
            self._flips[index] = available

    def _choose(self, status: StatusCounts) -> Choice:
        if self.held:
            return choice.NOTHING
        if self._resets_due:
            return Choice([member for _, member in sorted(self._resets_due.items())], [], None)
        if status.updated == status.matched:
            return choice.NOTHING
        return choice.choose_upgrades(self.waiting, self.window, self.tally)

    def _reset(self, members: Sequence[Member], done: Pass) -> None:
        for member in members:
            _refuse_endless_patches(member)
            change = reset(self.target, member.pod)
            done.patches.append(change.apply("reset", was_ready=member.standing.ready))
            done.events.append(RESET_EVENT)
            member.patches += 1

    def _mark_not_upgradable(self, number: int, done: Pass) -> None:
        unmarked, self._unmarked = self._unmarked, {}
        for _, member in sorted(unmarked.items()):
            self._mark(member, done, upgradable=False)
        if number:
            done.events.append(_NOT_UPGRADABLE_EVENT.format(number))

    def _upgrade(self, members: Sequence[Member], done: Pass) -> None:
        for place, member in enumerate(members, start=1):
            _refuse_endless_patches(member)
            change = upgrade(self.target, member.pod)
            patch = change.apply(
                "upgrade", was_ready=member.standing.ready, sort_key=_sort_key(member, place)
            )
            done.patches.append(patch)
            member.patches += 1
            self._mark(member, done, upgradable=True)

    def _mark(self, member: Member, done: Pass, *, upgradable: bool) -> None:
        change = conditions.mark(member.pod, self.target.name, upgradable=upgradable)
        if change:
            done.conditions.append(change)


def _everything(_: Labels) -> bool:
    return True


def _sort_key(member: Member, place: int) -> SortKey | None:
    if member.order_key is None:
        return None
    priority, base, _ = member.order_key
    return SortKey(priority, base, place)


def _refuse_endless_patches(member: Member) -> None:
    if member.patches >= _MOST_PATCHES:
        raise impossible(
            Reason.PATCHED_AGAIN,
            f"the pod {member.pod.name} was patched {member.patches} times, and again is not as it should be",
            hint="a metadata patch overwrites what Kruise records, or a hot sidecar is an initContainer",
        )
