"""Predicates on a pod, its progress in a rollout, and the counts of pods by progress.

Source: docs/behavior/rollout.md, "Predicates on a pod".
"""

from collections import Counter
from collections.abc import Collection, Iterator
from enum import IntEnum, auto
from functools import lru_cache
from typing import NamedTuple

from sidecarctl.engine.api.text_forms import parse_time
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.rollout.targets import SidecarContainer, Target
from sidecarctl.engine.sidecarset.defaults import ImageReference, parse_image


def is_updated(target: Target, pod: SimulatedPod) -> bool:
    """Whether the recorded hash is the hash of the SidecarSet."""
    return pod.records.hashes.recorded(target.name) == target.hash


def is_upgradable(target: Target, pod: SimulatedPod) -> bool:
    """Whether only images differ, the only field that Kubernetes updates in place."""
    return pod.records.hashes_without_image.recorded(target.name) == target.hash_without_image


def is_busy(target: Target, pod: SimulatedPod) -> bool:
    """Whether an update is in flight: a ready sidecar is not consistent."""
    for name in target.names:
        status = pod.statuses.get(name)
        if status and status.ready and not is_consistent(target, pod, (name,)):
            return True
    return False


def is_ready(target: Target, pod: SimulatedPod) -> bool:
    """Whether the pod runs, is Ready, and the idle half of every HotUpgrade pair has the empty image, if any."""
    return is_running_and_ready(pod) and not any(container.empty_image for container in half_done(target, pod))


def is_running_and_ready(pod: SimulatedPod) -> bool:
    """Phase Running and condition Ready."""
    return pod.ready and pod.phase == "Running"


def working_half(container: SidecarContainer, pod: SimulatedPod) -> str:
    """The working half of a HotUpgrade pair: the first if the pod records it, else the second."""
    first, second = container.halves
    return first if pod.working_containers.get(container.name) == first else second


def idle_half(container: SidecarContainer, pod: SimulatedPod) -> str:
    """The other half of a HotUpgrade pair."""
    first, second = container.halves
    return second if pod.working_containers.get(container.name) == first else first


def other_images(target: Target, pod: SimulatedPod) -> Iterator[tuple[str, str, str]]:
    """The containers with another image than the SidecarSet has: name, image now, and that of the SidecarSet.

    The idle half of a hot pair may have any until its reset.
    """
    for container in target.containers:
        name = _with_image(container, pod)
        now = pod.images.get(name)
        if now is not None and now != container.image:
            yield name, now, container.image


def _with_image(container: SidecarContainer, pod: SimulatedPod) -> str:
    """Which container of a pod has the image of one of the SidecarSet; of a hot pair whose record is lost, either."""
    if not container.hot:
        return container.name
    if container.name in pod.working_containers:
        return working_half(container, pod)
    return next((half for half in container.halves if pod.images.get(half) == container.image), container.halves[0])


def half_done(target: Target, pod: SimulatedPod) -> list[SidecarContainer]:
    """The HotUpgrade containers whose idle half does not have the empty image."""
    return [
        container
        for container in target.hot
        if pod.images.get(idle_half(container, pod), "") != container.empty_image
    ]


def is_reset_due(target: Target, pod: SimulatedPod) -> bool:
    """Whether a hot upgrade has progressed so far that the idle halves can be emptied ("One round", step 2)."""
    if not half_done(target, pod):
        return False
    idle = {idle_half(container, pod) for container in target.hot}
    if not is_consistent(target, pod, target.names - idle):
        return False
    return is_running_and_ready(pod) or all(status.ready for name, status in pod.statuses.items() if name not in idle)


def is_updating(target: Target, pod: SimulatedPod, *, consistent: bool) -> bool:
    """Whether an update of the pod is under way; an inconsistent pod that was never updated may only be starting."""
    states = pod.update_states
    was_updated = states is None or target.name in states
    return not consistent and (pod.ready or was_updated)


def is_consistent(target: Target, pod: SimulatedPod, names: Collection[str] | None = None) -> bool:
    """Whether the statuses show the images of the spec, for these containers (default: all of the set)."""
    if pod.container_count != pod.status_count:
        return False
    names = target.names if names is None else names
    for name, image in pod.images.items():
        if name in names:
            if not _digest(image):
                return _is_update_complete(target, pod, names)
            if not _runs_digest(pod, name, image):
                return False
    return True


def _is_update_complete(target: Target, pod: SimulatedPod, names: Collection[str]) -> bool:
    """Whether no container still runs the image from before its update."""
    states = pod.update_states
    if states is None:
        return False
    state = states.get(target.name)
    for name, image_id in ((state and state.last_image_ids) or {}).items():
        status = pod.statuses.get(name) if name in names else None
        if status and status.image_id == image_id and status.image != pod.images.get(name, ""):
            return False
    return True


def same_image(target: Target, pod: SimulatedPod) -> str:
    """The container whose update never ends: it restarted after the patch, and still has the same imageID.

    Its old and its new image are one image under two tags. Empty for none; without times it cannot be known.
    """
    return next((name for name in unchanged(pod, target.name, restarted=True) if name in target.names), "")


def unchanged(pod: SimulatedPod, set_name: str, *, restarted: bool) -> list[str]:
    """The containers that a SidecarSet has updated in place, and that have the imageID of before.

    `restarted`: those that are known to have restarted since, else the others.
    """
    state, entry = (pod.update_states or {}).get(set_name), pod.hashes.entries.get(set_name)
    started = (pod.manifest.get("status") or {}).get("started") or {}
    times = [parse_time(text or "") for text in (state and state.update_timestamp, entry and entry.update_timestamp)]
    patched = max(filter(None, times), default=None)
    found = []
    for name, image_id in ((state and state.last_image_ids) or {}).items():
        status, begun = pod.statuses.get(name), parse_time(started.get(name) or "")
        is_same = status and status.image_id == image_id and status.image != pod.images.get(name, "")
        if is_same and bool(patched and begun and begun > patched) == restarted:
            found.append(name)
    return found


def _runs_digest(pod: SimulatedPod, name: str, image: str) -> bool:
    status = pod.statuses.get(name)
    if status is None:
        return False
    _, scheme, rest = status.image_id.partition("://")
    running = _reference(rest.split("://")[0] if scheme else status.image_id)
    wanted = _reference(image)
    if running is None or wanted is None or running.repository != wanted.repository:
        return False
    return running.digest == wanted.digest if running.digest else running.tag == wanted.tag


def _digest(image: str) -> str:
    if "@" not in image:
        return ""
    reference = _reference(image)
    return reference.digest if reference else ""


@lru_cache(maxsize=4096)
def _reference(image: str) -> ImageReference | None:
    return parse_image(image)


class Eligibility(IntEnum):  # numbers, because they are hashed for every pod
    """What the next round can do with a pod; only candidates are waiting pods."""

    UPDATED = auto()
    NOT_SELECTED = auto()
    NOT_UPGRADABLE = auto()
    BUSY = auto()
    CANDIDATE = auto()


class PodProgress(NamedTuple):
    """What a round needs to know about a pod."""

    eligibility: Eligibility
    consistent: bool
    ready: bool
    reset_due: bool

    @property
    def available(self) -> bool:
        """Whether it counts among readyPods of the status."""
        return self.consistent and self.ready

    @property
    def holds_budget(self) -> bool:
        """Whether it counts against maxUnavailable."""
        return self.eligibility is Eligibility.UPDATED and not (self.consistent and self.ready)


class StatusCounts(NamedTuple):
    """The counts of a SidecarSet status: numbers of pods; ready means consistent and ready."""

    matched: int
    updated: int
    ready: int
    updated_ready: int


def progress_of(target: Target, pod: SimulatedPod, *, selected: bool) -> PodProgress:
    """The current progress of a pod; `selected`: the selector of updateStrategy allows its update."""
    return PodProgress(
        _eligibility(target, pod, selected=selected),
        is_consistent(target, pod),
        is_ready(target, pod),
        bool(target.hot) and is_reset_due(target, pod),
    )


def _eligibility(target: Target, pod: SimulatedPod, *, selected: bool) -> Eligibility:
    if is_updated(target, pod):
        return Eligibility.UPDATED
    if not selected:
        return Eligibility.NOT_SELECTED
    if not is_upgradable(target, pod):
        return Eligibility.NOT_UPGRADABLE
    return Eligibility.BUSY if is_busy(target, pod) else Eligibility.CANDIDATE


def status_counts(tally: Counter[PodProgress]) -> StatusCounts:
    """The status of a SidecarSet from the progress of its pods (docs/behavior/rollout.md, "One round", step 0)."""
    updated = ready = updated_ready = 0
    for progress, number in tally.items():
        if progress.eligibility is Eligibility.UPDATED:
            updated += number
        if progress.available:
            ready += number
            updated_ready += number if progress.eligibility is Eligibility.UPDATED else 0
    return StatusCounts(tally.total(), updated, ready, updated_ready)


def number_at(tally: Counter[PodProgress], eligibility: Eligibility) -> int:
    """The number of pods of an eligibility."""
    return sum(number for progress, number in tally.items() if progress.eligibility is eligibility)


def number_holding_budget(tally: Counter[PodProgress]) -> int:
    """U: pods that are updated, but not consistent or not ready."""
    return sum(number for progress, number in tally.items() if progress.holds_budget)
