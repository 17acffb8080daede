"""A pod as a PodUnavailableBudget sees it: ready, consistent, exempt.

Source: docs/behavior/pod-unavailable-budget.md, "Ready and consistent".
"""

from collections.abc import Iterator, Mapping

from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.sidecarset.defaults import parse_image
from sidecarctl.engine.sidecarset.pod_annotations import (
    INJECTED_LIST,
    INPLACE_UPDATE_STATE,
    injected_sets,
    parsed_annotation,
)

RELATED = "pub.kruise.io/related-pub"
OLD_RELATED = "kruise.io/related-pub"
_NO_PROTECT = "pub.kruise.io/no-protect"
UNAVAILABLE_LABEL = "unavailable-pod.kruise.io/"
_GRACE = "apps.kruise.io/inplace-update-grace"
_WORKLOAD_STATE = "apps.kruise.io/inplace-update-state"
_NEXT = ("nextContainerImages", "nextContainerRefMetadata", "nextContainerResources")
_TRUE = frozenset(("1", "t", "T", "true", "True", "TRUE"))
_INJECTED = {"name": "IS_INJECTED", "value": "true"}


def related_budget(annotations: Mapping[str, str], release: Release = DEFAULT) -> str:
    """The name of the budget that a pod's annotations give; empty if none."""
    return (release.budget_fields and annotations.get(RELATED)) or annotations.get(OLD_RELATED) or ""


def is_exempt(pod: SimulatedPod, release: Release = DEFAULT) -> bool:
    """Whether the annotation no-protect of the pod is true; a label of that name means nothing."""
    said = pod.annotations.get(_NO_PROTECT, "")
    return said in _TRUE if release.budget_fields else said == "true"


def is_ready_for_budget(pod: SimulatedPod, release: Release = DEFAULT) -> bool:
    """Whether the pod runs, is Ready, is not being deleted, and has no label that takes it out of service."""
    if pod.phase != "Running" or not pod.ready or not pod.active:
        return False
    return not release.budget_labels or not any(key.startswith(UNAVAILABLE_LABEL) for key in pod.labels)


def is_consistent_for_budget(pod: SimulatedPod) -> bool:
    """Whether the statuses show the images of the spec, as far as in-place updates and digests show."""
    if not all(_runs_digest(pod, name, image) for name, image in pod.images.items() if "@" in image):
        return False
    if pod.images and all("@" in image for image in pod.images.values()):
        return True
    return _sidecars_are_done(pod) and _workload_update_is_done(pod)


def _runs_digest(pod: SimulatedPod, name: str, image: str) -> bool:
    wanted, status = parse_image(image), pod.statuses.get(name)
    if wanted is None or not wanted.digest:
        return True
    running = parse_image(status.image_id.rpartition("://")[2]) if status else None
    return running is not None and (running.repository, running.digest) == (wanted.repository, wanted.digest)


def _sidecars_are_done(pod: SimulatedPod) -> bool:
    """Whether no sidecar still runs the image from before its update by a SidecarSet."""
    if not pod.annotations.get(INJECTED_LIST) or INPLACE_UPDATE_STATE not in pod.annotations:
        return True
    sidecars = set(_sidecars(pod))
    if not sidecars:
        return True
    states = pod.update_states
    if states is None:
        return False
    noted: dict[str, str] = {}
    for name in sorted(injected_sets(pod.annotations[INJECTED_LIST])):
        state = states.get(name)
        noted |= (state.last_image_ids if state else None) or {}
    return not any(_still_runs(pod, name, noted[name], pod.images[name]) for name in sidecars & noted.keys())


def _sidecars(pod: SimulatedPod) -> Iterator[str]:
    """The containers that were injected; of a trimmed pod, which has no variables, all of them may be."""
    for container in (pod.manifest.get("spec") or {}).get("containers") or ():
        if container and ("env" not in container or _INJECTED in container["env"]) and container.get("name"):
            yield container["name"]


def _workload_update_is_done(pod: SimulatedPod) -> bool:
    """Whether no in-place update of the pod's own workload is in progress."""
    if pod.annotations.get(_GRACE):
        return False
    text = pod.annotations.get(_WORKLOAD_STATE)
    if not text:
        return True
    try:
        state = parsed_annotation(text)
    except ValueError:
        return False
    if not isinstance(state, dict) or any(state.get(member) for member in _NEXT):
        return False
    noted: Object = state.get("lastContainerStatuses") or {}
    return not any(
        name not in pod.statuses or _still_runs(pod, name, _image_id(status), pod.images.get(name, ""))
        for name, status in noted.items()
    )


def _image_id(status: Value) -> str:
    return str(status.get("imageID") or "") if isinstance(status, dict) else ""


def _still_runs(pod: SimulatedPod, name: str, image_id: str, image: str) -> bool:
    status = pod.statuses.get(name)
    return status is not None and status.image_id == image_id and _tagged(status.image) != _tagged(image)


def _tagged(image: str) -> str:
    return image if ":" in image else f"{image}:latest"
