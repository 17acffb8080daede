"""The simulated kubelet: how a patched pod changes.

docs/behavior/rollout.md, "Simulating to the end".
"""

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import NamedTuple

from sidecarctl.engine.facts.start_up import sha256
from sidecarctl.engine.rollout.predicates import Eligibility, is_consistent
from sidecarctl.engine.rollout.round.update_order import OrderedPod
from sidecarctl.engine.rollout.simulated_pods import (
    ContainerStatus,
    Evaluated,
    SharedMapping,
    SimulatedPod,
    shared_mapping,
)
from sidecarctl.engine.rollout.targets import Target


class UpdatesInFlight:
    """The pods being updated, and when each update ends; another patch restarts the update."""

    def __init__(self, duration: int) -> None:
        self._duration = max(duration, 1)
        self._ends: dict[int, int] = {}
        self._ending: dict[int, list[int]] = {}

    def __bool__(self) -> bool:
        return bool(self._ends)

    def begin(self, index: int, step: int) -> None:
        """An update that lasts the duration, starting with this step."""
        end = step + self._duration - 1
        self._ends[index] = end
        self._ending.setdefault(end, []).append(index)

    def ended(self, step: int) -> list[int]:
        """The pods whose update ends in this step."""
        ended = [index for index in self._ending.pop(step, ()) if self._ends.get(index) == step]
        for index in ended:
            self._ends.pop(index, None)
        return list(dict.fromkeys(ended))


class Finished(NamedTuple):
    """A pod after its update: statuses, how many the API lists, phase, readiness."""

    statuses: SharedMapping[ContainerStatus]
    status_count: int
    phase: str
    ready: bool


class Kubelet:
    """Lets statuses follow the spec; equal pods stay equal.

    An unready pod stays unready, except with `assume_ready`, or if new images repair all its unready containers.
    """

    def __init__(self, *, assume_ready: bool) -> None:
        self._assume_ready = assume_ready
        self._finished: dict[tuple[bool, frozenset[str]], Evaluated[Finished]] = {}

    def finish_update(self, pod: SimulatedPod, *, fails: bool, mended: frozenset[str] = frozenset()) -> bool:
        """End the update of a pod, whose `mended` images work; returns whether phase or readiness changed.

        A pod that fails loses readiness if a status changed.
        """
        finished = self._finished.get((fails, mended))
        if finished is None:
            finished = Evaluated(partial(_finished, fails=fails, mended=mended, assume_ready=self._assume_ready))
            self._finished[fails, mended] = finished
        was = pod.phase, pod.ready
        pod.statuses, pod.status_count, pod.phase, pod.ready = finished.of(pod)
        has_changed = was != (pod.phase, pod.ready)
        if has_changed and pod.ready:
            pod.ready_time = ""
        return has_changed


def _finished(pod: SimulatedPod, *, fails: bool, assume_ready: bool, mended: frozenset[str]) -> Finished:
    unready = {name for name, status in pod.statuses.items() if not status.ready}
    changed = {
        name: ContainerStatus(pod.images[name], image_id(pod.images[name]), status.ready and not fails)
        for name, status in pod.statuses.items()
        if pod.images.get(name, status.image) != status.image
    }
    statuses = shared_mapping({**pod.statuses, **changed}.items()) if changed else pod.statuses
    if fails:
        return Finished(statuses, pod.status_count, pod.phase, pod.ready and not changed)
    is_mended = bool(unready) and unready <= mended and pod.status_count == pod.container_count
    if assume_ready or is_mended:
        return _ready(pod, statuses)
    return Finished(statuses, pod.status_count, pod.phase, pod.ready)


def _ready(pod: SimulatedPod, statuses: Mapping[str, ContainerStatus]) -> Finished:
    """The pod Ready, even if it had no statuses yet because nothing was running."""
    started = {name: ContainerStatus(image, image_id(image), ready=True) for name, image in pod.images.items()}
    known = {name: status._replace(ready=True) for name, status in statuses.items()}
    return Finished(shared_mapping((started | known).items()), pod.container_count, "Running", ready=True)


@lru_cache(maxsize=1024)
def image_id(image: str) -> str:
    """The imageID of an image in the simulated cluster."""
    if "@sha256:" in image:
        return f"docker-pullable://{image}"
    return (
        f"docker-pullable://{_without_tag(image)}@sha256:{sha256(image.encode(errors='surrogatepass')).hexdigest()}"
    )


def _without_tag(image: str) -> str:
    repository, colon, tag = image.rpartition(":")
    return repository if colon and "/" not in tag else image


def restarting(target: Target, member: OrderedPod) -> frozenset[str]:
    """The sidecars of a pod that an earlier patch is restarting; none if no update is in flight.

    Those of other SidecarSets count where they keep the pod from being ready.
    """
    progress, pod = member.progress, member.pod
    if progress.available and progress.eligibility is not Eligibility.BUSY:
        return frozenset()
    if pod.container_count != pod.status_count or pod.update_states is None:
        return frozenset()  # no restart of a sidecar would change that
    stale = {name for name in target.names if name in pod.statuses and not is_consistent(target, pod, (name,))}
    return frozenset((stale | _unready_since(pod)) - _failing(pod))


def _unready_since(pod: SimulatedPod) -> set[str]:
    """The sidecars that updates of any SidecarSet replaced and that are not ready, if all other containers are."""
    states = (pod.update_states or {}).values()
    replaced = {name for state in states if state for name in state.last_image_ids or {}}
    unready = {name for name, status in pod.statuses.items() if not status.ready}
    return unready if unready <= replaced else set()


FATAL_WAITS = frozenset(
    {
        "CrashLoopBackOff",
        "ImagePullBackOff",
        "InvalidImageName",
        "ErrImageNeverPull",
        "CreateContainerConfigError",
        "CreateContainerError",
    }
)
"""Reasons for which a container waits, and that waiting does not resolve."""


def _failing(pod: SimulatedPod) -> set[str]:
    listed = (pod.manifest.get("status") or {}).get("unready") or ()
    waiting = {item.get("name"): (item.get("state") or {}).get("waiting") or {} for item in listed}
    return {name for name, wait in waiting.items() if name and wait.get("reason") in FATAL_WAITS}


def finish_begun(pod: SimulatedPod, restarted: frozenset[str], *, fails: bool) -> bool:
    """Let the restarted sidecars run the images of the spec, ready unless the pod fails; whether readiness changed.

    A running pod becomes Ready with them if all its other containers are ready.
    """
    changed = {
        name: ContainerStatus(pod.images[name], image_id(pod.images[name]), ready=not fails)
        for name in restarted
        if name in pod.images
    }
    pod.statuses = shared_mapping({**pod.statuses, **changed}.items())
    was_ready = pod.ready
    if fails:
        pod.ready = False
    elif all(status.ready for status in pod.statuses.values()):
        pod.ready = pod.phase == "Running" or was_ready
    return pod.ready is not was_ready
