"""The order in which the waiting pods of a SidecarSet are updated: base order, then priority.

The waiting pods are kept in that order while pods leave; `scatter.py` spreads some of them.

Source: docs/behavior/rollout.md, "Order".
"""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import islice

from sidecarctl.engine.api.text_forms import parse_time
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.rollout.facts import BaseKey, Priority
from sidecarctl.engine.rollout.predicates import PodProgress
from sidecarctl.engine.rollout.round.scatter import Scatter
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.sidecarset.sets import is_native_sidecar, selector_test

NO_TIME = -(10**18)
"""Sorts before every time; times count in negative microseconds, so that later ones come first."""

_ZERO_TIME = datetime(1, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}


def base_key(pod: SimulatedPod, release: Release = DEFAULT) -> BaseKey:
    """The position of a pod before priority and scatter."""
    manifest = pod.manifest
    spec, status = manifest.get("spec") or {}, manifest.get("status") or {}
    native = _native_sidecar_statuses(spec, status) if spec.get("initContainers") else []
    return BaseKey(
        1 if spec.get("nodeName") else 0,
        _PHASES.get(pod.phase, 0),
        1 if pod.ready else 0,
        _later_first(pod.ready_time) if pod.ready else 0,
        -_most_restarts(status.get("containerStatuses") or []),
        -_most_restarts(native) if native and release.native_restarts_count else 0,
        _later_first((manifest.get("metadata") or {}).get("creationTimestamp") or ""),
    )


NO_SAY = BaseKey(0, 0, 0, 0, 0, 0, 0)
"""The key of every pod if the base order does not apply."""


def sort_time(key: int) -> str:
    """The time for a number of a key, to the second."""
    return (_ZERO_TIME - key * _MICROSECOND).replace(tzinfo=None, microsecond=0).isoformat() + "Z"


@lru_cache(maxsize=4096)  # pods that begin together are ready together
def _later_first(text: str) -> int:
    time = parse_time(text) if text else None
    return -((time - _ZERO_TIME) // _MICROSECOND) or NO_TIME if time else NO_TIME


def _most_restarts(statuses: list[Object]) -> int:
    return max([item.get("restartCount") or 0 for item in statuses if item], default=0)


def _native_sidecar_statuses(spec: Object, status: Object) -> list[Object]:
    native = {item.get("name") for item in spec["initContainers"] if item and is_native_sidecar(item)}
    return [item for item in status.get("initContainerStatuses") or () if item and item.get("name") in native]


_WEIGHTS = ("spec", "updateStrategy", "priorityStrategy", "weightPriority")
_TRAILING_DIGITS = lazy_pattern(r"[0-9]+\Z")
_LARGEST_NUMBER = 2**63 - 1


def update_priority(strategy: Object | None) -> Callable[[Mapping[str, str]], Priority]:
    """The priority function of labels; always `()` without a strategy.

    Raises ImpossibleError (MalformedSelector) for a selector that cannot be evaluated.
    """
    strategy = strategy or {}
    if terms := strategy.get("weightPriority"):
        return _by_weight(terms)
    if keys := [term.get("orderedKey") or "" for term in strategy.get("orderPriority") or ()]:
        return lambda labels: _by_order(keys, labels)
    return lambda _: ()


def _by_weight(terms: Sequence[Object]) -> Callable[[Mapping[str, str]], Priority]:
    weighted = [
        (
            term.get("weight") or 0,
            selector_test(term["matchSelector"], (*_WEIGHTS, index, "matchSelector")),
        )
        for index, term in enumerate(terms)
        if term.get("matchSelector") is not None
    ]
    return lambda labels: (-sum(weight for weight, matches in weighted if matches(labels)),)


def _by_order(keys: Sequence[str], labels: Mapping[str, str]) -> Priority:
    """A pod with none of the keys comes before all others."""
    for index, key in enumerate(keys):
        if key in labels:
            return index, -_trailing_number(labels[key] or "")
    return -1, 0


def _trailing_number(value: str) -> int:
    digits = _TRAILING_DIGITS.search(value)
    if digits is None or len(digits[0].lstrip("0")) > 19:
        return 0
    number = int(digits[0].lstrip("0") or "0")
    return number if number <= _LARGEST_NUMBER else 0


PriorityOf = Callable[[Mapping[str, str]], Priority]
OrderKey = tuple[Priority, BaseKey, int]

_FIRST = 16
"""The number of pods that a scattered order examines first."""


class OrderedPod:
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


_InOrder = OrderedDict[int, OrderedPod]
"""Pods by rank, in update order."""


class WaitingPods:
    """The candidates of a SidecarSet.

    Pods leave far more often than they arrive, so leaving takes constant time, and the order is recomputed only after
    an arrival. `is_scattered`: a scatter term may move a pod; then `_by_letter` groups pods that are equal for the
    strategy, in the same order.
    """

    def __init__(self, scatter: Scatter, priority_of: PriorityOf, release: Release = DEFAULT) -> None:
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

    def add(self, member: OrderedPod) -> None:
        """Add a waiting pod."""
        self._members[member.rank] = member
        self._is_sorted = False
        if self.is_scattered:
            self._by_letter[self._letter(member)][member.rank] = member
            self._counts.add(member.labels)

    def remove(self, member: OrderedPod) -> None:
        """Remove a pod that no longer waits."""
        del self._members[member.rank]
        if self.is_scattered:
            del self._by_letter[self._letter(member)][member.rank]
            self._counts.add(member.labels, -1)

    def reorder(self, member: OrderedPod) -> None:
        """Note that a pod changed in a way that affects the order."""
        member.key = None
        self._is_sorted = self._is_sorted and member.rank not in self._members

    def in_order(self) -> Iterator[OrderedPod]:
        """The pods in update order; to be consumed before any of them leaves."""
        if not self._is_sorted:
            self._sort()
        return self._scattered() if self.is_scattered else iter(self._members.values())

    def order_key(self, member: OrderedPod) -> OrderKey:
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

    def _scattered(self) -> Iterator[OrderedPod]:
        """Examine the first few waiting pods, and more only if more are consumed."""
        following: dict[str, Iterator[OrderedPod]] = {}
        drawn, seen = 0, _FIRST
        while drawn < len(self._members):
            waiting = "".join(map(self._letter, islice(self._members.values(), seen)))
            order = self._scatter.order(waiting, self._counts)
            for letter in order[drawn:]:
                if letter not in following:
                    following[letter] = iter(self._by_letter[letter].values())
                yield next(following[letter])
            drawn, seen = max(drawn, len(order)), seen * 4

    def _letter(self, member: OrderedPod) -> str:
        if member.letter is None:
            member.letter = self._scatter.letter_of(member.labels)
        return member.letter
