"""One pod during a push: its state in the cluster, what the plan expects, and whether it is ready."""

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.inputs.trimmed_pods import trimmed_pod
from sidecarctl.engine.plan_file.journal import ContainerRun
from sidecarctl.engine.rollout.kubelet import FATAL_WAITS
from sidecarctl.engine.rollout.predicates import half_done, is_consistent, is_ready, is_reset_due
from sidecarctl.engine.rollout.simulated_pods import MIRROR, SimulatedPod, condition_of
from sidecarctl.engine.rollout.targets import Target
from sidecarctl.features.push.plan import PushStep


class LivePod(NamedTuple):
    """One pod; `version` orders its states, 0 if that is not known. `runs` are all containers by name."""

    pod: SimulatedPod
    uid: str
    version: int
    runs: Mapping[str, ContainerRun]
    gates_are_open: bool

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name."""
        return self.pod.name

    @property
    def manifest(self) -> Object:
        """The trimmed pod."""
        return self.pod.manifest

    @property
    def why_left_alone(self) -> str:
        """Why no patch can help: the pod has ended, is being deleted, or is a mirror pod; else empty."""
        if MIRROR in self.pod.annotations:
            return "it is the mirror of a static pod"
        if (self.manifest["metadata"]).get("deletionTimestamp"):
            return "it is being deleted"
        return "" if self.pod.active else f"it has ended ({self.pod.phase})"

    def fresh(self) -> SimulatedPod:
        """A copy of the pod, for code that changes it."""
        return SimulatedPod(0, self.manifest)


def live_pod(manifest: Object) -> LivePod:
    """The pod of a manifest as the API server gives it."""
    metadata, status = manifest.get("metadata") or {}, manifest.get("status") or {}
    statuses = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
    return LivePod(
        pod=SimulatedPod(0, trimmed_pod(manifest, metadata.get("namespace") or "")),
        uid=metadata.get("uid") or "",
        version=resource_version(metadata.get("resourceVersion")),
        runs={item.get("name") or "": _run(item) for item in statuses if item},
        gates_are_open=_gates_are_open(manifest),
    )


def resource_version(text: str | None) -> int:
    """A resourceVersion as a number, which orders the states of one object; 0 if it is not a number."""
    return int(text) if text and text.isascii() and text.isdigit() else 0


def _run(status: Object) -> ContainerRun:
    waiting = (status.get("state") or {}).get("waiting") or {}
    return ContainerRun(
        status.get("image") or "",
        status.get("imageID") or "",
        bool(status.get("ready")),
        status.get("restartCount") or 0,
        waiting.get("reason") or "",
    )


def _gates_are_open(manifest: Object) -> bool:
    gates = (manifest.get("spec") or {}).get("readinessGates") or ()
    return all((condition_of(manifest, gate["conditionType"]) or {}).get("status") == "True" for gate in gates)


class State(StrEnum):
    """The state of a pod with respect to a step."""

    AS_BEFORE = "as before"
    AS_PLANNED = "as planned"
    OTHER = "other"  # neither: somebody changed it
    GONE = "gone"
    RECREATED = "recreated"
    LEFT_ALONE = "left alone"


class PodStanding(NamedTuple):
    """The state of a pod with respect to a step, and why: what differs, or why it is left alone."""

    state: State
    why: str = ""

    @property
    def is_skipped(self) -> bool:
        """Whether the pod of the step no longer exists."""
        return self.state in (State.GONE, State.RECREATED, State.LEFT_ALONE)


def standing_of(step: PushStep, live: LivePod | None) -> PodStanding:
    """What a pod is, seen from a step; None for one that does not exist."""
    if live is None:
        return PodStanding(State.GONE, "it is gone, or no longer has the labels that its SidecarSet selects")
    if step.patch.uid and live.uid != step.patch.uid:
        return PodStanding(State.RECREATED, f"it was created again, {_runs_now(step, live)}")
    if why := live.why_left_alone:
        return PodStanding(State.LEFT_ALONE, why)
    if _is_as_planned(step, live):
        return PodStanding(State.AS_PLANNED)
    differs = "; ".join(_differences(step, live))
    return PodStanding(State.OTHER, differs) if differs else PodStanding(State.AS_BEFORE)


def _runs_now(step: PushStep, live: LivePod) -> str:
    """Which of the planned images a recreated pod has."""
    if _is_as_planned(step, live):
        return "and is as planned"
    held = [f"{image.container} with {image_of(live, image.among, image.container)}" for image in step.patch.images]
    return f"and has {', '.join(held)}: the plan does not cover it" if held else "and the plan does not cover it"


def _is_as_planned(step: PushStep, live: LivePod) -> bool:
    if any(image_of(live, image.among, image.container) != image.after for image in step.patch.images):
        return False
    if step.is_reset:
        return bool(step.patch.images)
    return live.pod.hashes.recorded(step.set_name) == step.hash_after


def _differences(step: PushStep, live: LivePod) -> Iterator[str]:
    """The differences from what the plan expects; a new hash beside old images means that these were put back."""
    for image in step.patch.images:
        found = image_of(live, image.among, image.container)
        if found is None:
            yield f"it has no container {image.container}"
        elif found != image.before:
            yield f"the image of {image.container} is {found or 'empty'}, the plan expects {image.before or 'none'}"
    recorded = live.pod.hashes.recorded(step.set_name)
    if step.hash_before is not None and recorded not in (step.hash_before, step.hash_after):
        yield f"it records the hash {recorded or 'none'}, the plan expects {step.hash_before or 'none'}"


def image_of(live: LivePod, among: str, container: str) -> str | None:
    """The image of a container of the pod's spec; None if the pod has no such container."""
    images = live.pod.init_images if among == "initContainers" else live.pod.images
    return images.get(container)


def is_ours(step: PushStep, live: LivePod, times: Collection[str]) -> bool:
    """By the time that the pod records, which is one of those that our patches had; a reset records none."""
    if not times or step.is_reset:
        return bool(times)
    entry = live.pod.hashes.entries.get(step.set_name)
    return bool(entry and entry.update_timestamp in times)


class Health(StrEnum):
    """The health of a patched pod."""

    UPDATING = "updating"
    READY = "ready"
    FAILED = "failed"


class PodHealth(NamedTuple):
    """The health of a patched pod, and the reason."""

    health: Health
    why: str = ""


def health_of(step: PushStep, target: Target, live: LivePod, before: Mapping[str, ContainerRun]) -> PodHealth:
    """The health of a pod after a step; `before` are its containers as they ran when it was patched, if known."""
    if why := _fault(step, live, before):
        return PodHealth(Health.FAILED, why)
    if missing := _missing(step, target, live, before):
        return PodHealth(Health.UPDATING, missing)
    return PodHealth(Health.READY)


def _fault(step: PushStep, live: LivePod, before: Mapping[str, ContainerRun]) -> str:
    """Problems that the pod did not have before."""
    updated = {image.container for image in step.patch.images}
    others = _of_other_sets(step, live)
    for name, run in live.runs.items():
        then = before.get(name)
        if name in others:
            continue  # another SidecarSet may update it at the same time
        if run == then or (then is not None and not then.ready and name not in updated):
            continue  # nothing has happened yet; or it did not run before either, and was not updated
        if run.waiting in FATAL_WAITS:
            return f"container {name}: {run.waiting}"
        restarts = run.restarts - then.restarts if then else 0
        if restarts > (name in updated):
            times = "once" if restarts == 1 else f"{restarts} times"
            return f"container {name} has restarted {times}" + (", once for the update" if name in updated else "")
    return ""


def _of_other_sets(step: PushStep, live: LivePod) -> set[str]:
    """The containers of other SidecarSets that the pod records."""
    lists = {name: set(entry.sidecar_list or ()) for name, entry in live.pod.hashes.entries.items()}
    own = lists.pop(step.set_name, set())
    return {name for names in lists.values() for name in names} - own


def _missing(step: PushStep, target: Target, live: LivePod, before: Mapping[str, ContainerRun]) -> str:
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
