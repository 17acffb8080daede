"""What one round of a set does, chosen before anything changes (docs/behaviour/rollout.md, "One round")."""

from collections import Counter
from typing import NamedTuple

from sidecarctl.rollout.order.waiting_pods import Member, Waiting
from sidecarctl.rollout.pods.pod_progress import Place, Standing, number_at, number_holding_budget
from sidecarctl.rollout.round.partition_and_max_unavailable import Window, taken
from sidecarctl.rollout.round.rollout_facts import WindowUse


class Choice(NamedTuple):
    """Either pods to reset, or pods to upgrade, in order, or nothing; `window` where the window was asked."""

    resets: list[Member]
    upgrades: list[Member]
    window: WindowUse | None


NOTHING = Choice([], [], None)


def choose_upgrades(waiting: Waiting, window: Window, tally: Counter[Standing]) -> Choice:
    """Steps 4 to 6: the candidates that this round updates, and the numbers behind it."""
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
        not_selected=number_at(tally, Place.NOT_SELECTED),
        busy=number_at(tally, Place.BUSY),
        not_upgradable=number_at(tally, Place.NOT_UPGRADABLE),
    )
    return Choice([], chosen, use)


def _is_ready(member: Member) -> bool:
    return member.standing.ready
