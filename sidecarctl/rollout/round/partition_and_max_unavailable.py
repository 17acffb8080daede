"""Which pods a round updates: partition and maxUnavailable over the waiting pods.

Source: docs/behaviour/rollout.md, "One round", steps 4 to 6.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice
from typing import TypeVar

from sidecarctl.api.int_or_string import percentage, share
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.rollout.order.waiting_pods import Member, Waiting
from sidecarctl.rollout.pods.pod_progress import Eligibility, PodProgress, number_at, number_holding_budget

_Pod = TypeVar("_Pod")


class Window(NamedTuple):
    """Partition and maxUnavailable as written, and as numbers of pods."""

    partition: int | str
    partition_pods: int
    max_unavailable: int | str
    max_unavailable_pods: int


class WindowUse(NamedTuple):
    """The numbers behind the choice of a round.

    `unavailable` is U: updated pods that are not consistent or not ready. The partition
    holds back the last `held_back` of the `candidates`; `waiting` are those that the budget leaves for later.
    """

    window: Window
    unavailable: int
    candidates: int
    held_back: int
    waiting: int
    not_selected: int
    busy: int
    not_upgradable: int


class RoundChoice(NamedTuple):
    """Pods to reset, or to upgrade, in order; both only in old releases. `window` if it was evaluated."""

    resets: list[Member]
    upgrades: list[Member]
    window: WindowUse | None


NOTHING_CHOSEN = RoundChoice([], [], None)


def window_of(strategy: Object, matched: int, release: Release = MASTER) -> Window:
    """The window of an update strategy over a number of matched pods."""
    partition, max_unavailable = strategy.get("partition"), strategy.get("maxUnavailable")
    partition = 0 if partition is None else partition
    max_unavailable = 1 if max_unavailable is None else max_unavailable
    return Window(
        partition,
        _partition_pods(partition, matched, release),
        max_unavailable,
        _max_unavailable_pods(max_unavailable, matched, release),
    )


def choose_upgrades(waiting: Waiting, window: Window, tally: Counter[PodProgress]) -> RoundChoice:
    """Steps 4 to 6: the candidates that this round updates, and the numbers behind the choice."""
    unavailable = number_holding_budget(tally)
    limit = max(len(waiting) - window.partition_pods, 0)
    budget = window.max_unavailable_pods - unavailable
    chosen = taken(waiting.in_order(), limit, budget, _is_ready)
    use = WindowUse(
        window=window,
        unavailable=unavailable,
        candidates=len(waiting),
        held_back=len(waiting) - limit,
        waiting=limit - len(chosen),
        not_selected=number_at(tally, Eligibility.NOT_SELECTED),
        busy=number_at(tally, Eligibility.BUSY),
        not_upgradable=number_at(tally, Eligibility.NOT_UPGRADABLE),
    )
    return RoundChoice([], chosen, use)


def _is_ready(member: Member) -> bool:
    return member.progress.ready


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


def _partition_pods(partition: int | str, matched: int, release: Release) -> int:
    if isinstance(partition, int):
        number = partition
    else:
        number = share(percentage(partition) or 0, matched, up=release.percent_up)
        # A percentage that rounds up to all pods still allows one update, unless it is 100%.
        if release.percent_up and number == matched > 1 and partition != "100%":
            number -= 1
    return min(max(number, 0), matched)


def _max_unavailable_pods(max_unavailable: int | str, matched: int, release: Release) -> int:
    if isinstance(max_unavailable, int):
        return max_unavailable
    return share(percentage(max_unavailable.replace("%", "") + "%") or 0, matched, up=release.percent_up)
