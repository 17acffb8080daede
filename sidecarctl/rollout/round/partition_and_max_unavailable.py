"""How many pods one round may update (docs/behaviour/rollout.md, "One round", step 6)."""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import NamedTuple, TypeVar

from sidecarctl.api.int_or_string import percentage, share
from sidecarctl.facts.values import Object

_Pod = TypeVar("_Pod")


class Window(NamedTuple):
    """Partition and maxUnavailable as written, and as numbers of pods."""

    partition: int | str
    partition_pods: int
    max_unavailable: int | str
    max_unavailable_pods: int


def window_of(strategy: Object, matched: int) -> Window:
    """The window of an update strategy over this many matched pods."""
    partition, max_unavailable = strategy.get("partition"), strategy.get("maxUnavailable")
    partition = 0 if partition is None else partition
    max_unavailable = 1 if max_unavailable is None else max_unavailable
    return Window(
        partition,
        _partition_pods(partition, matched),
        max_unavailable,
        _max_unavailable_pods(max_unavailable, matched),
    )


def taken(order: Iterable[_Pod], limit: int, budget: int, is_ready: Callable[[_Pod], bool]) -> list[_Pod]:
    """The first pods of an order, at most `limit`, up to the first ready one beyond the budget.

    Pods that are not ready cost nothing.
    """
    found: list[_Pod] = []
    for pod in islice(order, limit):
        if is_ready(pod):
            if budget <= 0:
                break
            budget -= 1
        found.append(pod)
    return found


def _partition_pods(partition: int | str, matched: int) -> int:
    if isinstance(partition, int):
        number = partition
    else:
        number = share(percentage(partition) or 0, matched)
        # A share that is rounded up to everything still lets one pod go, unless everything was asked for.
        if number == matched > 1 and partition != "100%":
            number -= 1
    return min(max(number, 0), matched)


def _max_unavailable_pods(max_unavailable: int | str, matched: int) -> int:
    if isinstance(max_unavailable, int):
        return max_unavailable
    return share(percentage(max_unavailable.replace("%", "") + "%") or 0, matched)
