"""How far each step has come when a push begins: what the journal of earlier runs and the pods themselves say."""

from collections.abc import Mapping

from sidecarctl.push.journal.journal import Past
from sidecarctl.push.plan.planned import PodKey, PushPlan
from sidecarctl.push.pods.expectations import State, standing_of
from sidecarctl.push.pods.live_pods import LivePod
from sidecarctl.push.pods.ownership import is_ours
from sidecarctl.push.steps.step_progress import Stage, StepProgress


def progress_at_start(plan: PushPlan, past: Past, pods: Mapping[PodKey, LivePod]) -> list[StepProgress]:
    """Every step of the plan: done before, patched before and still to be waited for, or open."""
    found = []
    for step in plan.steps:
        entry = StepProgress(step, times=set(past.times.get(step.number, ())))
        entry.before = past.runs.get(step.number, {})
        live = pods.get(step.pod)
        if step.number in past.done:
            entry.stage = Stage.DONE
        elif live and standing_of(step, live).state is State.AS_PLANNED and is_ours(step, live, entry.times):
            entry.stage = Stage.PATCHED
        entry.is_as_planned = entry.stage is not Stage.OPEN
        found.append(entry)
    return found
