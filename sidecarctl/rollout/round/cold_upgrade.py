"""The cold upgrade of a container: its image is replaced (docs/behaviour/rollout.md)."""

from sidecarctl.rollout.pods.simulated_pods import SimulatedPod
from sidecarctl.rollout.pods.targets import SidecarContainer
from sidecarctl.rollout.round.pod_changes import PodChange


def upgrade_container(change: PodChange, container: SidecarContainer, pod: SimulatedPod) -> None:
    """Set the image where it differs; nothing else of a container can change in place."""
    if pod.image_of(container.name) != container.image:
        change.set_image(container.name, container.image)
