"""What `plan --watch` follows: how far each rollout is, which pods are next, and how it ends."""

from sidecarctl.cli.following import Watched
from sidecarctl.engine.facts.findings import named
from sidecarctl.engine.rollout.summary.rollout_plan import SetRolloutPlan
from sidecarctl.engine.rollout.summary.sentences import ending_sentence, number
from sidecarctl.features.plan.plan import PlanFacts
from sidecarctl.features.plan.rows import wave_rows


def watched_plan(facts: PlanFacts) -> Watched:
    """The line of each SidecarSet."""
    return Watched({rollout.target.name: _outlook(rollout) for rollout in facts.plan.sets})


def _outlook(rollout: SetRolloutPlan) -> str:
    before = rollout.before
    parts = [f"{before.updated:,} of {number(before.matched)} updated, {rollout.unavailable_before:,} unavailable"]
    parts += [f"next {named(row.names)}" for row in wave_rows(rollout.waves[:1], 1)]
    return f"{rollout.target.name}: {'; '.join([*parts, ending_sentence(rollout)])}"
