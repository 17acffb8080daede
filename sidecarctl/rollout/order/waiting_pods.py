"""The waiting pods of a SidecarSet, kept in base and priority order while pods leave.

Source: docs/behaviour/rollout.md, "Order".
"""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from sidecarctl.releases.release import MASTER, Release
from sidecarctl.rollout.order.base_order import NO_SAY, BaseKey, base_key
from sidecarctl.rollout.order.priority import Priority
from sidecarctl.rollout.order.scatter import Scatter
from sidecarctl.rollout.pods.pod_progress import PodProgress
from sidecarctl.rollout.pods.simulated_pods import SimulatedPod

PriorityOf = Callable[[Mapping[str, str]], Priority]
OrderKey = tuple[Priority, BaseKey, int]

_FIRST = 16
"""The number of pods that a scattered order examines first."""


class Member:
    """A pod in the rollout of a SidecarSet; `rank` is its position in pod order, `patches` counts its patches."""

    __slots__ = ("key", "labels", "letter", "patches", "pod", "progress", "rank", "selected")

    def __init__(self, pod: SimulatedPod, rank: int, progress: PodProgress, *, selected: bool) -> None:
        self.pod = pod
        self.rank = rank
        self.labels = pod.labels
        self.selected = selected
        self.progress = progress
        self.key: OrderKey | None = None
        self.letter: str | None = None
        self.patches = 0


_InOrder = OrderedDict[int, Member]
"""Pods by rank, in update order."""


class Waiting:
    """The candidates of a SidecarSet.

    Pods leave far more often than they arrive, so leaving takes constant time, and the order is recomputed only after
    an arrival. `is_scattered`: a scatter term may move a pod; then `_by_letter` groups pods that are equal for the
    strategy, in the same order.
    """

    def __init__(self, scatter: Scatter, priority_of: PriorityOf, release: Release = MASTER) -> None:
        self._scatter = scatter
        self._release = release
        self._priority_of = priority_of
        self._counts = scatter.new_counts()
        self._members: _InOrder = OrderedDict()
        self._by_letter: defaultdict[str, _InOrder] = defaultdict(OrderedDict)
        self._is_sorted = True
        self.is_scattered = scatter.does_anything

    def __len__(self) -> int:
        return len(self._members)

    def add(self, member: Member) -> None:
        """Add a waiting pod."""
        self._members[member.rank] = member
        self._is_sorted = False
        if self.is_scattered:
            self._by_letter[self._letter(member)][member.rank] = member
            self._counts.add(member.labels)

    def remove(self, member: Member) -> None:
        """Remove a pod that no longer waits."""
        del self._members[member.rank]
        if self.is_scattered:
            del self._by_letter[self._letter(member)][member.rank]
            self._counts.add(member.labels, -1)

    def reorder(self, member: Member) -> None:
        """Note that a pod changed in a way that affects the order."""
        member.key = None
        self._is_sorted = self._is_sorted and member.rank not in self._members

    def in_order(self) -> Iterator[Member]:
        """The pods in update order; to be consumed before any of them leaves."""
        if not self._is_sorted:
            self._sort()
        return self._scattered() if self.is_scattered else iter(self._members.values())

    def order_key(self, member: Member) -> OrderKey:
        """The sort key of a pod before scatter: priority, base order, pod order.

        In old releases a priority replaces the base order, and pod order counts from the end.
        """
        if member.key is None:
            priority = self._priority_of(member.labels)
            if priority and not self._release.ties_in_base_order:
                member.key = priority, NO_SAY, -member.rank
            else:
                member.key = priority, base_key(member.pod, self._release), member.rank
        return member.key

    def _sort(self) -> None:
        ordered = sorted(self._members.values(), key=self.order_key)
        self._members = OrderedDict((member.rank, member) for member in ordered)
        self._is_sorted = True
        self._by_letter.clear()
        for member in ordered if self.is_scattered else ():
            self._by_letter[self._letter(member)][member.rank] = member

    def _scattered(self) -> Iterator[Member]:
        """Examine the first few waiting pods, and more only if more are consumed."""
        following: dict[str, Iterator[Member]] = {}
        drawn, seen = 0, _FIRST
        while drawn < len(self._members):
            waiting = "".join(map(self._letter, islice(self._members.values(), seen)))
            order = self._scatter.order(waiting, self._counts)
            for letter in order[drawn:]:
                if letter not in following:
                    following[letter] = iter(self._by_letter[letter].values())
                yield next(following[letter])
            drawn, seen = max(drawn, len(order)), seen * 4

    def _letter(self, member: Member) -> str:
        if member.letter is None:
            member.letter = self._scatter.letter_of(member.labels)
        return member.letter
