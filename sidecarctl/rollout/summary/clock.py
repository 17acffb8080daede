"""Times of a simulated rollout, from its beginning."""

from sidecarctl.rollout.summary.rollout_plan import SetRolloutPlan


def clock(seconds: int) -> str:
    """`0:45`, `12:00`, `1:02:03`."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def begins_at(round_number: int, step_seconds: int) -> int:
    """When a round begins."""
    return (round_number - 1) * step_seconds


def ends_at(rollout: SetRolloutPlan, step_seconds: int) -> int:
    """When the rollout ends: a round after the last wave."""
    return begins_at(rollout.waves[-1].number + 1, step_seconds) if rollout.waves else 0


def ending_time(rollout: SetRolloutPlan, step_seconds: int | None) -> str:
    """` At 3:45.`, if the length of a round is known and anything is done."""
    return f" At {clock(ends_at(rollout, step_seconds))}." if step_seconds and rollout.waves else ""
