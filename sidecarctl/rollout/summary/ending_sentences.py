"""The end of a rollout as a sentence: whether it completes, and why not."""

from typing import TYPE_CHECKING

from sidecarctl.rollout.round.rollout_facts import Ending

if TYPE_CHECKING:  # a status has none
    from sidecarctl.rollout.summary.rollout_plan import SetRolloutPlan


def ending_sentence(rollout: "SetRolloutPlan") -> str:
    """A sentence with the numbers that decided."""
    begun = rollout.outcome.begun
    finishes = "finishes" if begun == 1 else "finish"
    assumed = f" Assumed: {number(begun, 'update')} in flight from before {finishes}." if begun else ""
    return _SENTENCES[rollout.outcome.ending](rollout) + assumed


def number(count: int, word: str = "pod") -> str:
    """`1 pod`, `1,200 pods`."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _complete(rollout: "SetRolloutPlan") -> str:
    down = len(rollout.outcome.holding_budget)
    but = f", but {down:,} of them {'is' if down == 1 else 'are'} not available at the end" if down else ""
    return f"Completes: {_updated(rollout)} after {_waves(rollout)}{but}."


def _nothing(rollout: "SetRolloutPlan") -> str:
    matched, left = rollout.outcome.status.matched, len(rollout.left_out)
    done = f"{number(matched)} already updated" if matched else "the SidecarSet has no pods"
    return f"Nothing to do: {done}{f'; {number(left)} selected but left out' if left else ''}."


def _by_partition(rollout: "SetRolloutPlan") -> str:
    held = len(rollout.outcome.held_by_partition)
    partition = f"partition {rollout.window.partition} holds back {held:,}"
    return f"Stops as asked: {_updated(rollout)} after {_waves(rollout)}; {partition}."


def _by_selector(rollout: "SetRolloutPlan") -> str:
    held = len(rollout.outcome.not_selected)
    selector = f"the selector of updateStrategy leaves out {held:,}"
    return f"Stops as asked: {_updated(rollout)} after {_waves(rollout)}; {selector}."


def _paused(rollout: "SetRolloutPlan") -> str:
    return f"Does nothing: updateStrategy.paused is true; {_updated(rollout)}."


def _not_update(rollout: "SetRolloutPlan") -> str:
    return f"Does nothing: updateStrategy.type is NotUpdate; {_updated(rollout)}."


def _round_limit(rollout: "SetRolloutPlan") -> str:
    return f"Not finished after {number(rollout.rounds, 'round')}, the limit: {_updated(rollout)}."


def _stalled(rollout: "SetRolloutPlan") -> str:
    outcome = rollout.outcome
    said = f"Stalls: {_updated(rollout)} after {_waves(rollout)}"
    if outcome.waiting:
        waiting = len(outcome.waiting)
        said += f"; {number(waiting)} wait{'s' if waiting == 1 else ''}, since {_why_waiting(rollout)}"
    elif outcome.busy:
        said += f"; {number(len(outcome.busy))} with an update already in flight that never finishes"
    else:
        said += "; a hot upgrade is incomplete, and its new containers do not become ready"
    return f"{said}."


def _why_waiting(rollout: "SetRolloutPlan") -> str:
    holding, most = len(rollout.outcome.holding_budget), rollout.window.max_unavailable_pods
    if most <= 0:
        return f"maxUnavailable {rollout.window.max_unavailable} lets no ready pod be updated"
    return f"{holding:,} updated and unavailable {'uses' if holding == 1 else 'use'} up maxUnavailable of {most:,}"


def _blocked(rollout: "SetRolloutPlan") -> str:
    blocked = len(rollout.outcome.not_upgradable)
    return (
        f"Blocked: {_updated(rollout)} after {_waves(rollout)}; {number(blocked)} cannot be updated in place "
        "and must be recreated."
    )


def _error(rollout: "SetRolloutPlan") -> str:
    error = rollout.outcome.error
    return f"Ends with an error: {_updated(rollout)}; {error.message if error else 'unknown'}."


def _updated(rollout: "SetRolloutPlan") -> str:
    status = rollout.outcome.status
    return f"{status.updated:,} of {number(status.matched)} updated"


def _waves(rollout: "SetRolloutPlan") -> str:
    return number(len(rollout.waves), "wave")


_SENTENCES = {
    Ending.COMPLETE: _complete,
    Ending.NOTHING_TO_DO: _nothing,
    Ending.HELD_BY_PARTITION: _by_partition,
    Ending.HELD_BY_SELECTOR: _by_selector,
    Ending.PAUSED: _paused,
    Ending.NOT_UPDATE: _not_update,
    Ending.ROUND_LIMIT: _round_limit,
    Ending.STALLED: _stalled,
    Ending.BLOCKED: _blocked,
    Ending.ERROR: _error,
}
