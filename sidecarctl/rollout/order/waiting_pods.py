"""The pods of a set that wait to be updated, kept in base and priority order while some leave.

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
"""How many pods a scattered order looks at to begin with."""


class Member:
    """A pod of a set's rollout; `rank` is its place in pod order, `patches` how often it was patched."""

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
"""Pods by their rank, in the order in which they are updated."""


class Waiting:
    """The candidates of a set.

    They leave far more often than they come, so each leaves in constant time, and the order is made anew
    only after one came. `_by_letter` holds those that are alike to the scatter strategy, in the same order.
    """

    def __init__(self, scatter: Scatter, priority_of: PriorityOf, release: Release = MASTER) -> None:
        self._scatter = scatter
        self._release = release
        self._priority_of = priority_of
        self._counts = scatter.new_counts()
        self._members: _InOrder = OrderedDict()
        self._by_letter: defaultdict[str, _InOrder] = defaultdict(OrderedDict)
        self._is_sorted = True

    def __len__(self) -> int:
        return len(self._members)

    def add(self, member: Member) -> None:
        """A pod begins to wait."""
        self._members[member.rank] = member
        self._by_letter[self._letter(member)][member.rank] = member
        self._counts.add(member.labels)
        self._is_sorted = False

    def remove(self, member: Member) -> None:
        """A pod no longer waits."""
        del self._members[member.rank]
        del self._by_letter[self._letter(member)][member.rank]
        self._counts.add(member.labels, -1)

    def reorder(self, member: Member) -> None:
        """What the order looks at has changed on a pod."""
        member.key = None
        self._is_sorted = self._is_sorted and member.rank not in self._members

    def in_order(self) -> Iterator[Member]:
        """The pods in the order in which they are updated; to be drawn before any of them leaves."""
        if not self._is_sorted:
            self._sort()
        return self._scattered() if self._scatter.does_anything else iter(self._members.values())

    def order_key(self, member: Member) -> OrderKey:
        """What puts a pod at its place before scatter: priority, base order, pod order.

        Beside a priority the base order has no say in old releases, and pod order counts from the end.
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
        self._by_letter.clear()
        for member in ordered:
            self._by_letter[self._letter(member)][member.rank] = member
        self._is_sorted = True

    def _scattered(self) -> Iterator[Member]:
        """Look at the first few pods that wait, and at more only when more are drawn."""
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
