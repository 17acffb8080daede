"""The pods of a SidecarSet and their progress, updated incrementally so that no round examines all of them."""

from collections import Counter
from functools import partial

from sidecarctl.api.label_selectors import Labels, Matches
from sidecarctl.facts.findings import Finding
from sidecarctl.rollout.order.priority import priority_of
from sidecarctl.rollout.order.scatter import Scatter
from sidecarctl.rollout.order.strategy_selectors import strategy_selector
from sidecarctl.rollout.order.waiting_pods import Member, Waiting
from sidecarctl.rollout.pods.likeness import Evaluated
from sidecarctl.rollout.pods.membership import Membership
from sidecarctl.rollout.pods.pod_progress import Eligibility, PodProgress, progress_of
from sidecarctl.rollout.pods.targets import Target
from sidecarctl.rollout.round.strategy_remarks import pod_remarks


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
        self.waiting = Waiting(
            Scatter(strategy.get("scatterStrategy"), membership.pods),
            priority_of(strategy.get("priorityStrategy")),
            target.release,
        )
        self.tally: Counter[PodProgress] = Counter()
        self.remarks: list[Finding] = []
        self._resets_due: dict[int, Member] = {}
        self._unmarked: dict[int, Member] = {}
        self._flips: dict[int, bool] = {}
        self.members = self._members_of(membership)
        self._by_index = {member.pod.index: member for member in self.members}

    def resets_due(self) -> list[Member]:
        """The pods whose idle containers must be emptied, in pod order."""
        return [member for _, member in sorted(self._resets_due.items())]

    def take_unmarked(self) -> list[Member]:
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

    def _members_of(self, membership: Membership) -> list[Member]:
        selector = self._target.strategy.get("selector")
        path = ("spec", "updateStrategy", "selector")
        is_selected: Matches = _everything if selector is None else strategy_selector(selector, path)
        only = self._target.only
        members = []
        for rank, pod in enumerate(membership.pods):
            selected = is_selected(pod.labels) and (only is None or only(pod))
            member = Member(pod, rank, self._progress[selected].of(pod), selected=selected)
            self._enter(member, member.progress)
            if not member.progress.available:
                self._flip(pod.index, available=False)
            if self._is_odd[bool(pod.manifest.get("status"))].of(pod):
                self.remarks.extend(pod_remarks(self._target, pod))
            members.append(member)
        return members

    def _enter(self, member: Member, progress: PodProgress) -> None:
        self.tally[progress] += 1
        if progress.reset_due:
            self._resets_due[member.rank] = member
        if progress.eligibility is Eligibility.CANDIDATE:
            self.waiting.add(member)
        elif progress.eligibility is Eligibility.NOT_UPGRADABLE:
            self._unmarked[member.rank] = member

    def _leave(self, member: Member, progress: PodProgress) -> None:
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


def _everything(_: Labels) -> bool:
    return True
