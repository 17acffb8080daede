"""The simulated kubelet: how a patched pod changes.

docs/behaviour/rollout.md, "Simulating to the end".
"""

from collections.abc import Collection, Mapping
from functools import lru_cache

from sidecarctl.facts.digests import sha256
from sidecarctl.rollout.pods.simulated_pods import ContainerStatus, SimulatedPod


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


def finish_update(pod: SimulatedPod, *, fails: bool, assume_ready: bool, mended: Collection[str] = ()) -> bool:
    """Let the statuses follow the spec; returns whether phase or readiness changed.

    A pod that fails loses readiness if a status changed. An unready pod stays unready, except with `assume_ready`,
    or if the new images repair (`mended`) all its unready containers.
    """
    unready = {name for name, status in pod.statuses.items() if not status.ready}
    changed = {
        name: ContainerStatus(pod.images[name], image_id(pod.images[name]), status.ready and not fails)
        for name, status in pod.statuses.items()
        if pod.images.get(name, status.image) != status.image
    }
    if changed:
        pod.statuses = _with_statuses(tuple(pod.statuses.items()), tuple(changed.items()))
    if fails:
        return bool(changed) and _lose_readiness(pod)
    is_mended = bool(unready) and unready <= set(mended) and pod.status_count == pod.container_count
    return (assume_ready or is_mended) and _become_ready(pod)


@lru_cache(maxsize=1024)  # the pods of a workload share them
def _with_statuses(
    present: tuple[tuple[str, ContainerStatus], ...], changed: tuple[tuple[str, ContainerStatus], ...]
) -> Mapping[str, ContainerStatus]:
    return dict((*present, *changed))


def _lose_readiness(pod: SimulatedPod) -> bool:
    was_ready, pod.ready = pod.ready, False
    return was_ready


def _become_ready(pod: SimulatedPod) -> bool:
    """Make the pod Ready, even if it had no statuses yet because nothing was running."""
    started = {name: ContainerStatus(image, image_id(image), ready=True) for name, image in pod.images.items()}
    known = {name: status._replace(ready=True) for name, status in pod.statuses.items()}
    pod.statuses, pod.status_count = {**started, **known}, pod.container_count
    if pod.ready and pod.phase == "Running":
        return False
    pod.ready, pod.ready_time, pod.phase = True, "", "Running"
    return True


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
