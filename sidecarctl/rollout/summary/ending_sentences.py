"""What to say of the end of a rollout: whether it completes, and why not."""

from sidecarctl.rollout.round.rollout_facts import Ending
from sidecarctl.rollout.summary.rollout_plan import SetRolloutPlan


def ending_sentence(one: SetRolloutPlan) -> str:
    """One sentence for people, with the numbers that decided."""
    begun = one.outcome.begun
    finishes = "finishes" if begun == 1 else "finish"
    assumed = f" Assumed: {number(begun, 'update')} in flight from before {finishes}." if begun else ""
    return _SENTENCES[one.outcome.ending](one) + assumed


def number(count: int, word: str = "pod") -> str:
    """`1 pod`, `1,200 pods`."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _complete(one: SetRolloutPlan) -> str:
    down = len(one.outcome.holding_budget)
    but = f", but {down:,} of them {'is' if down == 1 else 'are'} not available at the end" if down else ""
    return f"Completes: {_updated(one)} after {_waves(one)}{but}."


def _nothing(one: SetRolloutPlan) -> str:
    matched, left = one.outcome.status.matched, len(one.left_out)
    done = f"{number(matched)} updated already" if matched else "the set has no pods"
    return f"Nothing to do: {done}{f'; {number(left)} that it selects left out' if left else ''}."


def _by_partition(one: SetRolloutPlan) -> str:
    held = len(one.outcome.held_by_partition)
    return (
        f"Stops as asked: {_updated(one)} after {_waves(one)}; partition {one.window.partition} holds back {held:,}."
    )


def _by_selector(one: SetRolloutPlan) -> str:
    held = len(one.outcome.not_selected)
    return f"Stops as asked: {_updated(one)} after {_waves(one)}; the selector of updateStrategy leaves out {held:,}."


def _paused(one: SetRolloutPlan) -> str:
    return f"Does nothing: updateStrategy.paused is true; {_updated(one)}."


def _not_update(one: SetRolloutPlan) -> str:
    return f"Does nothing: updateStrategy.type is NotUpdate; {_updated(one)}."


def _round_limit(one: SetRolloutPlan) -> str:
    return f"Not at its end after {number(one.rounds, 'round')}, as limited: {_updated(one)}."


def _stalled(one: SetRolloutPlan) -> str:
    outcome = one.outcome
    said = f"Stalls: {_updated(one)} after {_waves(one)}"
    if outcome.waiting:
        waiting = len(outcome.waiting)
        said += f"; {number(waiting)} wait{'s' if waiting == 1 else ''}, since {_why_waiting(one)}"
    elif outcome.busy:
        said += f"; {number(len(outcome.busy))} with an update in flight from before, whose end is not simulated"
    else:
        said += "; a hot upgrade is half done, and its new containers do not become ready"
    return f"{said}."


def _why_waiting(one: SetRolloutPlan) -> str:
    holding, most = len(one.outcome.holding_budget), one.window.max_unavailable_pods
    if most <= 0:
        return f"maxUnavailable {one.window.max_unavailable} lets no ready pod be updated"
    return f"{holding:,} updated and unavailable {'holds' if holding == 1 else 'hold'} the budget of {most:,}"


def _blocked(one: SetRolloutPlan) -> str:
    blocked = len(one.outcome.not_upgradable)
    return (
        f"Blocked: {_updated(one)} after {_waves(one)}; {number(blocked)} cannot be updated in place "
        "and must be recreated."
    )


def _error(one: SetRolloutPlan) -> str:
    error = one.outcome.error
    return f"Ends with an error: {_updated(one)}; {error.message if error else 'unknown'}."


def _updated(one: SetRolloutPlan) -> str:
    status = one.outcome.status
    return f"{status.updated:,} of {number(status.matched)} updated"


def _waves(one: SetRolloutPlan) -> str:
    return number(len(one.waves), "wave")


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
