"""SidecarSets of a plan that have nothing to do, which are told together where there are several."""

from collections.abc import Sequence

from sidecarctl.rollout.round.rollout_facts import Ending
from sidecarctl.rollout.summary.ending_sentences import number
from sidecarctl.rollout.summary.rollout_plan import Plan, SetRolloutPlan

_NAMED = 3


def told_apart(plan: Plan) -> tuple[Sequence[SetRolloutPlan], Sequence[SetRolloutPlan]]:
    """Those that get a section of their own, and those that share a line: two or more without anything to do."""
    idle = [one for one in plan.sets if one.outcome.ending is Ending.NOTHING_TO_DO]
    if len(idle) < 2:
        return plan.sets, ()
    return [one for one in plan.sets if one.outcome.ending is not Ending.NOTHING_TO_DO], idle


def idle_sentence(idle: Sequence[SetRolloutPlan]) -> str:
    """`Nothing to do for 29 SidecarSets (1,240 pods updated already): a, b, c and 26 more`, as a sentence."""
    pods, left = (
        sum(numbers) for numbers in ([one.before.matched for one in idle], [len(one.left_out) for one in idle])
    )
    names = ", ".join(one.target.name for one in idle[:_NAMED])
    more = f" and {len(idle) - _NAMED:,} more" if len(idle) > _NAMED else ""
    out = f", {left:,} left out" if left else ""
    return (
        f"Nothing to do for {number(len(idle), 'SidecarSet')} ({number(pods)} updated already{out}): {names}{more}."
    )
