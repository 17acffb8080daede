"""Whether a live pod is as the plan expects it before a step, or already as the step leaves it."""

from collections.abc import Iterator
from enum import StrEnum

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.push.plan.planned import Step
from sidecarctl.push.pods.live_pods import LivePod


class State(StrEnum):
    """What a pod is, seen from a step."""

    AS_BEFORE = "as before"
    AS_PLANNED = "as planned"
    OTHER = "other"  # neither: somebody has changed it
    GONE = "gone"
    RECREATED = "recreated"
    LEFT_ALONE = "left alone"


class Standing(NamedTuple):
    """What a pod is, and in words why: what differs, why it is left alone."""

    state: State
    why: str = ""

    @property
    def is_skipped(self) -> bool:
        """Whether there is no pod any more that the step is about."""
        return self.state in (State.GONE, State.RECREATED, State.LEFT_ALONE)


def standing_of(step: Step, live: LivePod | None) -> Standing:
    """What a pod is, seen from a step; None for one that does not exist."""
    if live is None:
        return Standing(State.GONE, "it does not exist any more")
    if step.patch.uid and live.uid != step.patch.uid:
        return Standing(State.RECREATED, "it was created again, and so injected again")
    if why := live.why_left_alone:
        return Standing(State.LEFT_ALONE, why)
    if _is_as_planned(step, live):
        return Standing(State.AS_PLANNED)
    differs = "; ".join(_differences(step, live))
    return Standing(State.OTHER, differs) if differs else Standing(State.AS_BEFORE)


def _is_as_planned(step: Step, live: LivePod) -> bool:
    if any(image_of(live, image.among, image.container) != image.after for image in step.patch.images):
        return False
    if step.is_reset:
        return bool(step.patch.images)
    return live.pod.hashes.recorded(step.set_name) == step.hash_after


def _differences(step: Step, live: LivePod) -> Iterator[str]:
    """What is not as the plan expects it."""
    for image in step.patch.images:
        found = image_of(live, image.among, image.container)
        if found is None:
            yield f"it has no container {image.container}"
        elif found != image.before:
            yield f"the image of {image.container} is {found or 'empty'}, the plan expects {image.before or 'none'}"
    recorded = live.pod.hashes.recorded(step.set_name)
    if step.hash_before is not None and recorded != step.hash_before:
        yield f"it records the hash {recorded or 'none'}, the plan expects {step.hash_before or 'none'}"


def image_of(live: LivePod, among: str, container: str) -> str | None:
    """The image of a container of the pod's spec; None if the pod has no such container."""
    images = live.pod.init_images if among == "initContainers" else live.pod.images
    return images.get(container)
