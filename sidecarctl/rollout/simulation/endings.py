"""Why a rollout ended, and which pods are not updated.

Source: docs/behaviour/rollout.md, "Simulating to the end".
"""

from collections.abc import Iterable

from sidecarctl.facts.findings import Finding
from sidecarctl.rollout.order.waiting_pods import Member
from sidecarctl.rollout.pods.pod_progress import Eligibility, StatusCounts
from sidecarctl.rollout.pods.predicates import half_done
from sidecarctl.rollout.round.rollout_facts import Ending, RolloutOutcome
from sidecarctl.rollout.round.set_rollout import SetRollout


def outcome_of(
    rollout: SetRollout,
    *,
    patched: bool,
    limited: bool,
    largest_unavailable: int,
    begun: int,
    error: Finding | None,
) -> RolloutOutcome:
    """The outcome of a rollout that has ended; `limited`: only by the limit of rounds."""
    order = [member.pod.index for member in rollout.pods.waiting.in_order()]
    limit = max(len(order) - rollout.window.partition_pods, 0)
    status = rollout.status()
    outcome = RolloutOutcome(
        set_name=rollout.target.name,
        ending=Ending.ERROR,
        status=status,
        largest_unavailable=largest_unavailable,
        holding_budget=_indices(member for member in rollout.pods.members if member.progress.holds_budget),
        waiting=tuple(order[:limit]),
        held_by_partition=tuple(order[limit:]),
        not_selected=_at(rollout, Eligibility.NOT_SELECTED),
        busy=_at(rollout, Eligibility.BUSY),
        not_upgradable=_at(rollout, Eligibility.NOT_UPGRADABLE),
        begun=begun,
        error=error,
    )
    return outcome if error else outcome._replace(ending=_ending(rollout, outcome, patched, limited))


def _ending(rollout: SetRollout, outcome: RolloutOutcome, patched: bool, limited: bool) -> Ending:  # noqa: FBT001 - private
    half = any(half_done(rollout.target, member.pod) for member in rollout.pods.members if rollout.target.hot)
    if _is_all_updated(outcome.status) and not half:
        return Ending.COMPLETE if patched else Ending.NOTHING_TO_DO
    if rollout.target.strategy.get("type") == "NotUpdate":
        return Ending.NOT_UPDATE
    if rollout.held:
        return Ending.PAUSED
    if limited:
        return Ending.ROUND_LIMIT
    if half or outcome.waiting or outcome.busy:
        return Ending.STALLED
    if outcome.not_upgradable:
        return Ending.BLOCKED
    return Ending.HELD_BY_PARTITION if outcome.held_by_partition else Ending.HELD_BY_SELECTOR


def _is_all_updated(status: StatusCounts) -> bool:
    return status.updated == status.matched


def _at(rollout: SetRollout, eligibility: Eligibility) -> tuple[int, ...]:
    return _indices(member for member in rollout.pods.members if member.progress.eligibility is eligibility)


def _indices(members: Iterable[Member]) -> tuple[int, ...]:
    return tuple(member.pod.index for member in members)
