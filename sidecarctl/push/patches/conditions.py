"""The condition SidecarSetUpgradable of pods, written through the status subresource where that is asked for.

It is written after the patches: writing it again changes nothing, so a push that was killed makes up for it.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import ObjectReference
from sidecarctl.facts.values import Object
from sidecarctl.kubectl.proxy.answers import NoAnswerError
from sidecarctl.kubectl.proxy.api_paths import pod_path
from sidecarctl.kubectl.proxy.client import STRATEGIC_PATCH, Requests
from sidecarctl.plan_file.reading import PlannedCondition
from sidecarctl.push.patches.answers import shortened
from sidecarctl.push.plan.planned import PushPlan
from sidecarctl.push.pods.live_pods import live_pod
from sidecarctl.push.steps.step_progress import Stage, StepProgress
from sidecarctl.rollout.round.upgradable_condition import TYPE, mark


def write_conditions(
    client: Requests, plan: PushPlan, progress: Iterable[StepProgress], stamp: str, workers: int
) -> list[Finding]:
    """Write those that the finished rounds bring; what could not be written as warnings."""
    with ThreadPoolExecutor(workers) as pool:
        found = pool.map(lambda entry: _written(client, entry, stamp), _due(plan, progress))
        return [finding for finding in found if finding is not None]


def _due(plan: PushPlan, progress: Iterable[StepProgress]) -> Iterator[PlannedCondition]:
    """Those of pods that were patched, and those of pods that cannot be, in rounds that have begun."""
    stages = {(entry.step.set_name, entry.step.patch.round, entry.step.pod): entry.stage for entry in progress}
    begun = {
        (set_name, number) for (set_name, number, _), stage in stages.items() if stage not in (Stage.OPEN, Stage.SENT)
    }
    for entry in plan.conditions:
        stage = stages.get((entry.set_name, entry.round, (entry.namespace, entry.name)))
        if stage in (Stage.PATCHED, Stage.DONE) or (stage is None and (entry.set_name, entry.round) in begun):
            yield entry


def _written(client: Requests, entry: PlannedCondition, stamp: str) -> Finding | None:
    path = pod_path(entry.namespace, entry.name)
    try:
        answer = client.get(path)
        if answer.status == 404 or (answer.is_good and entry.uid not in ("", answer.body["metadata"]["uid"])):
            return None  # gone, or created again
        if answer.is_good:
            patch = _patch(answer.body, entry, stamp)
            if patch is None:
                return None
            answer = client.patch(f"{path}/status", patch, STRATEGIC_PATCH)
        return None if answer.is_good else _failed(entry, shortened(answer.message))
    except NoAnswerError as fault:
        return _failed(entry, str(fault))
    except SidecarctlError as fault:
        return _failed(entry, fault.findings[0].message)


def _patch(manifest: Object, entry: PlannedCondition, stamp: str) -> Object | None:
    """The patch of the pod as it is; None where the condition says so already."""
    pod = live_pod(manifest).fresh()
    is_refused = f'"{entry.set_name}":false' in entry.condition["message"].replace(" ", "")
    change = mark(pod, entry.set_name, upgradable=not is_refused)
    if change is None:
        return None
    same = change.before is not None and change.before.status == change.after.status
    moment = {} if same else {"lastTransitionTime": stamp}
    condition = {"type": TYPE, **change.after._asdict(), **moment}
    return {"metadata": {"uid": manifest["metadata"]["uid"]}, "status": {"conditions": [condition]}}


def _failed(entry: PlannedCondition, why: str) -> Finding:
    subject = ObjectReference("v1", "Pod", entry.namespace, entry.name)
    return warning(Reason.CONDITION_UNWRITTEN, f"its condition was not written: {why}")._replace(subject=subject)
