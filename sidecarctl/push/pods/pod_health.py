"""How a patched pod fares: it is being updated, it is ready, it has failed.

Ready is what the rollout calls consistent and ready, on the new image besides.
"""

from collections.abc import Mapping
from enum import StrEnum

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.push.plan.planned import Step
from sidecarctl.push.pods.live_pods import ContainerRun, LivePod
from sidecarctl.rollout.pods.predicates import half_done, is_consistent, is_ready, is_reset_due
from sidecarctl.rollout.pods.targets import Target

_FATAL = frozenset(
    {
        "CrashLoopBackOff",
        "ImagePullBackOff",
        "InvalidImageName",
        "ErrImageNeverPull",
        "CreateContainerConfigError",
        "CreateContainerError",
    }
)
"""Why a container waits that will not run by waiting longer."""


class Health(StrEnum):
    """How a patched pod fares."""

    UPDATING = "updating"
    READY = "ready"
    FAILED = "failed"


class PodHealth(NamedTuple):
    """How a patched pod fares, and why."""

    health: Health
    why: str = ""


def health_of(step: Step, target: Target, live: LivePod, before: Mapping[str, ContainerRun]) -> PodHealth:
    """How a pod fares after a step; `before` are its containers as they ran when it was patched, if that is known."""
    if why := _fault(step, live, before):
        return PodHealth(Health.FAILED, why)
    if missing := _missing(step, target, live, before):
        return PodHealth(Health.UPDATING, missing)
    return PodHealth(Health.READY)


def _fault(step: Step, live: LivePod, before: Mapping[str, ContainerRun]) -> str:
    """What went wrong that was not wrong before."""
    updated = {image.container for image in step.patch.images}
    for name, run in live.runs.items():
        then = before.get(name)
        if run == then or (then is not None and not then.ready and name not in updated):
            continue  # nothing has happened yet; or it did not run before either, and is not what was updated
        if run.waiting in _FATAL:
            return f"container {name}: {run.waiting}"
        restarts = run.restarts - then.restarts if then else 0
        if restarts > (name in updated):
            times = "once" if restarts == 1 else f"{restarts} times"
            return f"container {name} has restarted {times}" + (", once for the update" if name in updated else "")
    return ""


def _missing(step: Step, target: Target, live: LivePod, before: Mapping[str, ContainerRun]) -> str:
    for image in step.patch.images:
        if image.among == "containers" and not _runs_new(
            live.runs.get(image.container), before, image.container, image.after
        ):
            return f"container {image.container} does not run {image.after} yet"
    pod = live.pod
    if not step.is_reset and half_done(target, pod):
        return "" if is_reset_due(target, pod) else "the new half is not ready"
    if not is_consistent(target, pod):
        return "its containers do not run the images of its spec"
    if not is_ready(target, pod):
        return "it is not ready"
    return "" if live.gates_are_open else "a readiness gate is not open"


def _runs_new(run: ContainerRun | None, before: Mapping[str, ContainerRun], name: str, image: str) -> bool:
    """By the image's text or its digest; else by another imageID than before, as statuses may name another tag.

    Where nothing is known of before, the pod's consistency has to do.
    """
    if run is None:
        return False
    _, at, digest = image.rpartition("@")
    if run.image == image or (at and run.image_id.endswith(f"@{digest}")):
        return True
    then = before.get(name)
    return bool(run.image_id) and (then is None or bool(then.image_id and run.image_id != then.image_id))
