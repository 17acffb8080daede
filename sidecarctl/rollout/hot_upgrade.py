"""The hot upgrade of a container pair: one half is upgraded, later the other is emptied.

docs/behaviour/rollout.md, "Hot upgrade of one pod".
"""

from collections.abc import Iterable

from sidecarctl.rollout.pod_changes import PodChange
from sidecarctl.rollout.pods import SimulatedPod
from sidecarctl.rollout.predicates import half_done, idle_half, is_consistent, working_half
from sidecarctl.rollout.targets import SidecarContainer, Target
from sidecarctl.sidecarset.pod_annotations import (
    VERSION_ALT_PREFIX,
    VERSION_PREFIX,
    WORKING_CONTAINERS,
    read_working_containers,
    write_working_containers,
)


def upgrade_pair(change: PodChange, target: Target, container: SidecarContainer, pod: SimulatedPod) -> None:
    """Give the half that is to be replaced the new image, unless the other one carries it already."""
    chosen = _half_to_replace(target, container, pod)
    other = _other(container, chosen)
    if pod.image_of(other) == container.image:
        return
    change.set_image(chosen, container.image)
    working = read_working_containers(change.annotation(WORKING_CONTAINERS))
    change.annotate(WORKING_CONTAINERS, write_working_containers({**working, container.name: chosen}))
    version = _version(target, container, pod)
    change.annotate(VERSION_PREFIX + chosen, version)
    change.annotate(VERSION_ALT_PREFIX + chosen, change.annotation(VERSION_PREFIX + other))
    change.annotate(VERSION_ALT_PREFIX + other, version)


def reset_pairs(change: PodChange, target: Target, pod: SimulatedPod) -> None:
    """Give the idle half of every pair that is half done the empty image."""
    for container in half_done(target, pod):
        idle, working = idle_half(container, pod), working_half(container, pod)
        change.set_image(idle, container.empty_image)
        change.annotate(VERSION_PREFIX + idle, "0")
        change.annotate(VERSION_ALT_PREFIX + working, "0")


def _half_to_replace(target: Target, container: SidecarContainer, pod: SimulatedPod) -> str:
    """The empty half; else the one that does not run when the other does; else the idle one."""
    for half in container.halves:
        if pod.images.get(half, "") == container.empty_image:
            return half
    first, second = container.halves
    first_runs, second_runs = _runs(target, first, pod), _runs(target, second, pod)
    if first_runs != second_runs:
        return second if first_runs else first
    return idle_half(container, pod)


def _runs(target: Target, half: str, pod: SimulatedPod) -> bool:
    status = pod.statuses.get(half)
    return status is not None and status.ready and is_consistent(target, pod, (half,))


def _other(container: SidecarContainer, half: str) -> str:
    first, second = container.halves
    return second if half == first else first


def _version(target: Target, container: SidecarContainer, pod: SimulatedPod) -> str:
    """The set's resourceVersion; where that is absent, or must not go back, at least one above the pair's highest."""
    own = target.resource_version
    if own and not target.raises_versions:
        return own
    recorded = (pod.annotations.get(VERSION_PREFIX + half) or "" for half in container.halves)
    least = max(_numbers(recorded), default=0) + 1
    return own if own and max(_numbers((own,)), default=least) >= least else str(least)


def _numbers(texts: Iterable[str]) -> Iterable[int]:
    return (int(text) for text in texts if text.isascii() and text.isdigit() and len(text) <= 20)
