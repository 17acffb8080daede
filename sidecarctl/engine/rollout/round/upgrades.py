"""The two patches that a pod can get: a cold or hot upgrade of its containers, and the reset of HotUpgrade pairs.

A cold upgrade replaces an image. A hot upgrade updates one half of a pair; later the other half is emptied.

Source: docs/behavior/rollout.md, "Cold upgrade of one pod", "Hot upgrade of one pod".
"""

from collections.abc import Iterable
from functools import partial

from sidecarctl.engine.rollout.predicates import half_done, idle_half, is_consistent, working_half
from sidecarctl.engine.rollout.round.pod_changes import PodChange, is_alone, record_hashes, record_images
from sidecarctl.engine.rollout.simulated_pods import Evaluated, SimulatedPod
from sidecarctl.engine.rollout.targets import SidecarContainer, Target
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    VERSION_ALT_PREFIX,
    VERSION_PREFIX,
    WORKING_CONTAINERS,
    read_working_containers,
    write_working_containers,
)


def upgrade(target: Target, pod: SimulatedPod) -> PodChange:
    """Update a pod to the target.

    Raises ImpossibleError (MetadataPatchFailed) if patchPodMetadata cannot be merged.
    """
    change = _with_images(target, pod)
    record_hashes(change, target, pod)
    record_images(change, target, pod, change.containers)
    if target.metadata_patches:
        change.patch_metadata(target.metadata_patches)
    return change


def changes_an_image(target: Target, pod: SimulatedPod) -> bool:
    """Whether the upgrade of a pod changes more than annotations."""
    return _with_images(target, pod).changes_spec


def _with_images(target: Target, pod: SimulatedPod) -> PodChange:
    change = PodChange(pod)
    for container in target.containers:
        if container.hot:
            _upgrade_hot(change, target, container, pod)
        else:
            _upgrade_cold(change, container, pod)
    return change


class Upgrades:
    """The upgrades of pods to a target; what equal pods have in common is computed once."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._cold = Evaluated(partial(_cold_upgrade, target))

    def of(self, pod: SimulatedPod) -> PodChange:
        """The change of a pod (`upgrade`), computed once for equal pods."""
        if self._target.hot:
            return upgrade(self._target, pod)  # it depends on annotations of every pod
        change = PodChange(pod)
        alike = self._cold.of(pod)
        if HASH not in alike.annotations:
            record_hashes(change, self._target, pod)
        change.take_over(alike)
        if self._target.metadata_patches:
            change.patch_metadata(self._target.metadata_patches)
        return change


def _cold_upgrade(target: Target, pod: SimulatedPod) -> PodChange:
    """The images, and what is recorded of them; and the hashes, if they do not depend on times in the pod."""
    change = PodChange(pod)
    if is_alone(target, pod):
        record_hashes(change, target, pod)
    for container in target.containers:
        _upgrade_cold(change, container, pod)
    record_images(change, target, pod, change.containers)
    change.complete_images()
    return change


def reset(target: Target, pod: SimulatedPod) -> PodChange:
    """Empty the idle halves of HotUpgrade pairs; metadata are kept, and so are hashes except in old releases."""
    change = PodChange(pod)
    _reset_pairs(change, target, pod)
    if target.release.reset_writes_hash:
        record_hashes(change, target, pod)
    record_images(change, target, pod, change.containers)
    return change


def _upgrade_cold(change: PodChange, container: SidecarContainer, pod: SimulatedPod) -> None:
    """Set the image if it differs; nothing else of a container can change in place."""
    if pod.image_of(container.name) != container.image:
        change.set_image(container.name, container.image)


def _upgrade_hot(change: PodChange, target: Target, container: SidecarContainer, pod: SimulatedPod) -> None:
    """Give the half to be replaced the new image, unless the other half already has it."""
    chosen = _half_to_replace(target, container, pod)
    other = _other(container, chosen)
    if pod.image_of(other) == container.image:
        if target.rolls_back and pod.images.get(chosen, "") != container.empty_image:
            _give_up(change, target, container, pod, chosen)
        return
    change.set_image(chosen, container.image)
    _let_work(change, container, chosen)
    version = _version(target, container, pod)
    change.annotate(VERSION_PREFIX + chosen, version)
    change.annotate(VERSION_ALT_PREFIX + chosen, change.annotation(VERSION_PREFIX + other))
    change.annotate(VERSION_ALT_PREFIX + other, version)


def _give_up(change: PodChange, target: Target, container: SidecarContainer, pod: SimulatedPod, half: str) -> None:
    """In a rollback: empty the new half that never ran, and let the earlier one work, which never stopped.

    Kruise has no such step. It would leave the pod not ready, because of the half that does not run.
    """
    other = _other(container, half)
    change.set_image(half, container.empty_image)
    _let_work(change, container, other)
    change.annotate(VERSION_PREFIX + other, _version(target, container, pod))
    change.annotate(VERSION_PREFIX + half, "0")
    change.annotate(VERSION_ALT_PREFIX + other, "0")


def _let_work(change: PodChange, container: SidecarContainer, half: str) -> None:
    working = read_working_containers(change.annotation(WORKING_CONTAINERS))
    change.annotate(WORKING_CONTAINERS, write_working_containers({**working, container.name: half}))


def _reset_pairs(change: PodChange, target: Target, pod: SimulatedPod) -> None:
    """Give the idle half of every half-upgraded pair the empty image."""
    for container in half_done(target, pod):
        idle, working = idle_half(container, pod), working_half(container, pod)
        change.set_image(idle, container.empty_image)
        change.annotate(VERSION_PREFIX + idle, "0")
        change.annotate(VERSION_ALT_PREFIX + working, "0")


def _half_to_replace(target: Target, container: SidecarContainer, pod: SimulatedPod) -> str:
    """The empty half; else the half that does not run while the other does; else the idle half."""
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
    """The resourceVersion of the SidecarSet; if absent, or lower than allowed, one above the highest of the pair."""
    own = target.resource_version
    if own and not target.raises_versions:
        return own
    recorded = (pod.annotations.get(VERSION_PREFIX + half) or "" for half in container.halves)
    least = max(_numbers(recorded), default=0) + 1
    return own if own and max(_numbers((own,)), default=least) >= least else str(least)


def _numbers(texts: Iterable[str]) -> Iterable[int]:
    return (int(text) for text in texts if text.isascii() and text.isdigit() and len(text) <= 20)
