"""Pods as the simulation sees them: read once, then changed by patches and by the simulated kubelet.

Source: docs/behaviour/rollout.md, "Predicates on a pod".
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.references import ObjectReference
from sidecarctl.facts.values import Object, Value
from sidecarctl.sidecarset.annotations.inplace_update_state import States, read_states
from sidecarctl.sidecarset.annotations.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INPLACE_UPDATE_STATE,
    WORKING_CONTAINERS,
    HashAnnotation,
    read_hashes,
    read_working_containers,
)
from sidecarctl.sidecarset.matching import DEFAULT_NAMESPACE

_Read = TypeVar("_Read")


class PodName(NamedTuple):
    """Which pod."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class ContainerStatus(NamedTuple):
    """An entry of status.containerStatuses."""

    image: str
    image_id: str
    ready: bool


class UpgradableCondition(NamedTuple):
    """The condition `SidecarSetUpgradable`; `message` is JSON, set name to whether it can be updated."""

    status: str
    reason: str
    message: str


class SimulatedPod:
    """One pod.

    `index` is its position in the input. `images` holds spec.containers by name, in order; `init_images` the
    initContainers. `statuses` holds containerStatuses by name. `manifest` is unchanged from the input.
    `alike` keeps what was read from lists that several pods share, by the identity of the list.
    """

    __slots__ = (
        "_read",
        "annotations",
        "condition",
        "container_count",
        "images",
        "index",
        "init_images",
        "labels",
        "manifest",
        "name",
        "phase",
        "ready",
        "ready_time",
        "status_count",
        "statuses",
    )

    def __init__(self, index: int, manifest: Object, alike: dict[int, Any] | None = None) -> None:
        metadata = manifest.get("metadata") or {}
        spec, status = manifest.get("spec") or {}, manifest.get("status") or {}
        self.index = index
        self.manifest = manifest
        self.name = PodName(metadata.get("namespace") or DEFAULT_NAMESPACE, metadata.get("name") or "")
        self.labels = _texts(metadata.get("labels"))
        self.annotations = _texts(metadata.get("annotations"))
        containers, statuses = spec.get("containers") or (), status.get("containerStatuses") or ()
        alike = {} if alike is None else alike
        self.images: Mapping[str, str] = _of(alike, containers, _images)
        self.init_images: Mapping[str, str] = _of(alike, spec.get("initContainers") or (), _images)
        self.container_count = len(containers)
        self.statuses: Mapping[str, ContainerStatus] = _of(alike, statuses, _statuses)
        self.status_count = len(statuses)
        self.phase: str = status.get("phase") or ""
        ready = condition_of(manifest, "Ready") or {}
        self.ready = ready.get("status") == "True"
        self.ready_time: str = ready.get("lastTransitionTime") or ""
        self.condition = _upgradable_condition(manifest)
        self._read: dict[str, tuple[str, Value]] | None = None

    @property
    def reference(self) -> ObjectReference:
        """The pod, as findings name it."""
        return ObjectReference("v1", "Pod", *self.name)

    @property
    def active(self) -> bool:
        """Whether it has not ended and is not being deleted."""
        metadata = self.manifest.get("metadata") or {}
        return self.phase not in ("Succeeded", "Failed") and not metadata.get("deletionTimestamp")

    def image_of(self, container: str) -> str:
        """The image of a container, as a patch finds it: initContainers are searched first."""
        image = self.init_images.get(container)
        return image if image is not None else self.images.get(container, "")

    @property
    def hashes(self) -> HashAnnotation:
        """The current value of its hash annotation."""
        return self._reading(HASH, read_hashes)

    @property
    def hashes_without_image(self) -> HashAnnotation:
        """The current value of its hash-without-image annotation."""
        return self._reading(HASH_WITHOUT_IMAGE, read_hashes)

    @property
    def update_states(self) -> States | None:
        """Its in-place update state by SidecarSet; None if it cannot be read."""
        return self._reading(INPLACE_UPDATE_STATE, read_states)

    @property
    def working_containers(self) -> Mapping[str, str]:
        """The working half of each HotUpgrade container."""
        return self._reading(WORKING_CONTAINERS, read_working_containers)

    def remember(self, key: str, text: str, value: Value) -> None:
        """Cache the parsed value of a new annotation text."""
        self._read = {**(self._read or {}), key: (text, value)}

    def note_readings(self) -> None:
        """Parse the hash annotations, which are about to be used several times."""
        self._read = {
            key: (text, read_hashes(text))
            for key in (HASH, HASH_WITHOUT_IMAGE)
            if (text := self.annotations.get(key)) is not None
        }

    def forget(self) -> None:
        """Drop the cache: for very many pods the memory costs more than parsing again."""
        self._read = None

    def _reading(self, key: str, read: Callable[[str | None], _Read]) -> _Read:
        text = self.annotations.get(key)
        noted = self._read and self._read.get(key)
        if noted and noted[0] == text:
            value: _Read = noted[1]
            return value
        return read(text)


def condition_of(manifest: Object, kind: str) -> Object | None:
    """The first of the pod's conditions of a type."""
    for condition in (manifest.get("status") or {}).get("conditions") or ():
        if condition and condition.get("type") == kind:
            found: Object = condition
            return found
    return None


def _texts(mapping: Object | None) -> Mapping[str, str]:
    """Labels or annotations; the API treats null as an empty text."""
    if not mapping:
        return {}
    if None in mapping.values():
        return {key: value or "" for key, value in mapping.items()}
    return mapping


def _of(alike: dict[int, Any], items: Sequence[Object], read: Callable[[Sequence[Object]], _Read]) -> _Read:
    """What `read` makes of a list, once for each list; the pods keep the lists, and so their identities."""
    found: _Read | None = alike.get(id(items))
    if found is None:
        found = alike[id(items)] = read(items)
    return found


def _images(containers: Sequence[Object]) -> dict[str, str]:
    return {item.get("name") or "": item.get("image") or "" for item in containers if item}


def _statuses(statuses: Sequence[Object]) -> dict[str, ContainerStatus]:
    return {
        item.get("name") or "": _status(item.get("image") or "", item.get("imageID") or "", bool(item.get("ready")))
        for item in statuses
        if item
    }


_status = lru_cache(maxsize=65536)(ContainerStatus)
"""Pods of one image share these."""


def _upgradable_condition(manifest: Object) -> UpgradableCondition | None:
    found = condition_of(manifest, "SidecarSetUpgradable")
    if found is None:
        return None
    return UpgradableCondition(found.get("status") or "", found.get("reason") or "", found.get("message") or "")
