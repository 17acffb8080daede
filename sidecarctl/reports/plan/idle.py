"""SidecarSets of a plan that have nothing to do, combined if there are several."""

from collections.abc import Sequence

from sidecarctl.rollout.round.rollout_facts import Ending
from sidecarctl.rollout.summary.ending_sentences import number
from sidecarctl.rollout.summary.rollout_plan import Plan, SetRolloutPlan

_NAMED = 3


def told_apart(plan: Plan) -> tuple[Sequence[SetRolloutPlan], Sequence[SetRolloutPlan]]:
    """The SidecarSets with their own section, and two or more with nothing to do that share a line."""
    idle = [rollout for rollout in plan.sets if rollout.outcome.ending is Ending.NOTHING_TO_DO]
    if len(idle) < 2:
        return plan.sets, ()
    return [rollout for rollout in plan.sets if rollout.outcome.ending is not Ending.NOTHING_TO_DO], idle


def idle_sentence(idle: Sequence[SetRolloutPlan]) -> str:
    """`Nothing to do for 29 SidecarSets (1,240 pods already updated): a, b, c and 26 more`, as a sentence."""
    pods, left = (
        sum(numbers)
        for numbers in ([rollout.before.matched for rollout in idle], [len(rollout.left_out) for rollout in idle])
    )
    names = ", ".join(rollout.target.name for rollout in idle[:_NAMED])
    more = f" and {len(idle) - _NAMED:,} more" if len(idle) > _NAMED else ""
    out = f", {left:,} left out" if left else ""
    return (
        f"Nothing to do for {number(len(idle), 'SidecarSet')} ({number(pods)} already updated{out}): {names}{more}."
    )
