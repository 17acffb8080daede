"""What changed between two reports on a cluster, one line per change."""

from collections.abc import Iterator, Mapping
from typing import Any

from sidecarctl.engine.rollout.simulated_pods import PodName
from sidecarctl.engine.rollout.status import SetStatus, StatusFacts
from sidecarctl.engine.rollout.summary.rollout_plan import SetRolloutPlan
from sidecarctl.engine.rollout.summary.sentences import ending_sentence, number
from sidecarctl.features.plan.plan import PlanFacts
from sidecarctl.features.plan.rows import wave_rows
from sidecarctl.features.status.report import head_rows
from sidecarctl.render.lines import named


def change_lines(before: Any, after: Any) -> Iterator[str]:
    """The changes from one report of `status` or `plan` to the next; `before` is None for the first.

    For the first report only a line for each SidecarSet; later the pods that changed, then that line.
    """
    known, now = (_lines(facts) if facts is not None else {} for facts in (before, after))
    earlier, later = map(_statuses, (before, after))
    for name in sorted({*known, *now}):
        if name in earlier and name in later:
            yield from _pods(name, _states(earlier[name]), _states(later[name]))
        if known.get(name) != now.get(name):
            yield now.get(name, f"{name}: there is no such SidecarSet any more")


def _lines(facts: Any) -> Mapping[str, str]:
    """The line of each SidecarSet."""
    if isinstance(facts, StatusFacts):
        return {status.sidecarset.name: head_rows(status)[0] for status in facts.sets}
    if isinstance(facts, PlanFacts):
        return {rollout.target.name: _outlook(rollout) for rollout in facts.plan.sets}
    return {}


def _statuses(facts: Any) -> Mapping[str, SetStatus]:
    return {item.sidecarset.name: item for item in facts.sets} if isinstance(facts, StatusFacts) else {}


def _outlook(rollout: SetRolloutPlan) -> str:
    """How far the rollout is, which pods are next, and how it ends."""
    before = rollout.before
    parts = [f"{before.updated:,} of {number(before.matched)} updated, {rollout.unavailable_before:,} unavailable"]
    parts += [f"next {named(row.names)}" for row in wave_rows(rollout.waves[:1], 1)]
    return f"{rollout.target.name}: {'; '.join([*parts, ending_sentence(rollout)])}"


def _states(status: SetStatus) -> Mapping[PodName, tuple[str, str]]:
    """The state of each pod, and why."""
    left_out = {item.pod: (str(item.reason), item.message) for item in status.left_out}
    return {pod.pod: (str(pod.state), pod.why) for pod in status.pods} | left_out


def _pods(
    name: str, before: Mapping[PodName, tuple[str, str]], after: Mapping[PodName, tuple[str, str]]
) -> Iterator[str]:
    for pod in sorted({*before, *after}):
        was, (state, why) = before.get(pod, ("new", ""))[0], after.get(pod, ("gone", ""))
        if was != state:
            yield f"{name}: {pod}: {was} -> {state}" + f" ({why})" * bool(why)
