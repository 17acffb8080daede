"""The two patches that a pod can get.

Source: docs/behaviour/rollout.md, "Cold upgrade of one pod", "Hot upgrade of one pod".
"""

from sidecarctl.rollout.pods.simulated_pods import SimulatedPod
from sidecarctl.rollout.pods.targets import Target
from sidecarctl.rollout.round.cold_upgrade import upgrade_container
from sidecarctl.rollout.round.hot_upgrade import reset_pairs, upgrade_pair
from sidecarctl.rollout.round.pod_changes import PodChange
from sidecarctl.rollout.round.update_records import record_hashes, record_images


def upgrade(target: Target, pod: SimulatedPod) -> PodChange:
    """Bring a pod to the target.

    Raises ImpossibleError (MetadataPatchFailed) where patchPodMetadata cannot be merged.
    """
    change = PodChange(pod)
    for container in target.containers:
        if container.hot:
            upgrade_pair(change, target, container, pod)
        else:
            upgrade_container(change, container, pod)
    record_hashes(change, target, pod)
    record_images(change, target, pod, change.containers)
    if target.metadata_patches:
        change.patch_metadata(target.metadata_patches)
    return change


def reset(target: Target, pod: SimulatedPod) -> PodChange:
    """Empty the idle halves of the hot pairs; hashes and metadata stay."""
    change = PodChange(pod)
    reset_pairs(change, target, pod)
    record_images(change, target, pod, change.containers)
    return change
