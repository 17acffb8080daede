"""The pods of a set that wait to be updated, kept in base and priority order while some leave."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping

from sidecarctl.rollout.order import BaseKey, base_key
from sidecarctl.rollout.pods import SimulatedPod
from sidecarctl.rollout.priority import Priority
from sidecarctl.rollout.scatter import Scatter
from sidecarctl.rollout.standing import Standing

PriorityOf = Callable[[Mapping[str, str]], Priority]


class Member:
    """A pod of a set's rollout; `rank` is its place in pod order, `patches` how often it was patched."""

    __slots__ = ("labels", "order_key", "patches", "pod", "rank", "selected", "standing")

    def __init__(self, pod: SimulatedPod, rank: int, standing: Standing, *, selected: bool) -> None:
        self.pod = pod
        self.rank = rank
        self.labels = pod.labels
        self.selected = selected
        self.standing = standing
        self.order_key: tuple[Priority, BaseKey, int] | None = None
        self.patches = 0


class Waiting:
    """The candidates of a set.

    They leave far more often than they come, so each leaves in constant time, and the order is made anew
    only after one came.
    """

    def __init__(self, scatter: Scatter, priority_of: PriorityOf) -> None:
        self._scatter = scatter
        self._priority_of = priority_of
        self._counts = scatter.new_counts()
        self._members: OrderedDict[int, Member] = OrderedDict()
        self._is_sorted = True

    def __len__(self) -> int:
        return len(self._members)

    def add(self, member: Member) -> None:
        """A pod begins to wait."""
        self._members[member.rank] = member
        self._counts.add(member.labels)
        self._is_sorted = False

    def remove(self, member: Member) -> None:
        """A pod no longer waits."""
        del self._members[member.rank]
        self._counts.add(member.labels, -1)

    def reorder(self, member: Member) -> None:
        """What the order looks at has changed on a pod."""
        member.order_key = None
        self._is_sorted = self._is_sorted and member.rank not in self._members

    def in_order(self) -> Iterator[Member]:
        """The pods in the order in which they are updated; to be drawn before any of them leaves."""
        if not self._is_sorted:
            ordered = sorted(self._members.values(), key=self.order_key)
            self._members = OrderedDict((member.rank, member) for member in ordered)
            self._is_sorted = True
        return self._scatter.order(self._members.values(), self._counts)

    def order_key(self, member: Member) -> tuple[Priority, BaseKey, int]:
        """What puts a pod at its place before scatter: priority, base order, pod order."""
        key = member.order_key
        if key is None:
            key = self._priority_of(member.labels), base_key(member.pod), member.rank
            member.order_key = key
        return key
