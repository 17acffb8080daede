"""Pods as the simulation sees them: read once, then changed by patches and by the simulated kubelet.

Equal pods share the parsed annotations and are evaluated once (`Evaluated`): a rollout has very many pods, and most
pods of a workload are equal.

Source: docs/behavior/rollout.md, "Predicates on a pod".
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar

from sidecarctl.engine.api.label_selectors import as_labels
from sidecarctl.engine.facts.findings import ObjectReference
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.inplace_update_state import States, read_states
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INPLACE_UPDATE_STATE,
    WORKING_CONTAINERS,
    HashAnnotation,
    likened,
    parsed_annotation,
    read_alike,
    read_hashes,
    read_working_containers,
)
from sidecarctl.engine.sidecarset.sets import DEFAULT_NAMESPACE


class Records:
    """The readings of a pod's annotations; pods whose records differ only in the times of hashes share them.

    `hashes` and `hashes_without_image` have other times than the pod. `update_states` is None if it cannot be read;
    `working_containers` names the working half of each HotUpgrade container.
    """

    __slots__ = ("hashes", "hashes_without_image", "texts", "update_states", "working_containers")

    def __init__(self, hashes: str, without_image: str, states: str | None, working: str | None) -> None:
        self.texts = {
            HASH: hashes,
            HASH_WITHOUT_IMAGE: without_image,
            INPLACE_UPDATE_STATE: states,
            WORKING_CONTAINERS: working,
        }
        self.hashes: HashAnnotation = read_alike(hashes)
        self.hashes_without_image: HashAnnotation = read_alike(without_image)
        self.update_states: States | None = read_states(states)
        self.working_containers: Mapping[str, str] = read_working_containers(working)

    def changed(self, annotations: Mapping[str, str]) -> "Records":
        """The records after a change of these annotations."""
        return _changed(self, *map(annotations.get, self.texts))


_shared_records = lru_cache(maxsize=4096)(Records)


def records_of(annotations: Mapping[str, str]) -> Records:
    """The records in annotations."""
    return _shared_records(
        likened(annotations.get(HASH) or ""),
        likened(annotations.get(HASH_WITHOUT_IMAGE) or ""),
        annotations.get(INPLACE_UPDATE_STATE),
        annotations.get(WORKING_CONTAINERS),
    )


@lru_cache(maxsize=1024)  # an update writes the same on all equal pods
def _changed(records: Records, hashes: str | None, without_image: str | None, *others: str | None) -> Records:
    texts = (None if hashes is None else likened(hashes), None if without_image is None else likened(without_image))
    changes = zip((*texts, *others), records.texts.values(), strict=True)
    return _shared_records(*[present if new is None else new for new, present in changes])


_Read = TypeVar("_Read")
_Member = TypeVar("_Member")


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


MIRROR = "kubernetes.io/config.mirror"
"""The annotation of the mirror of a static pod, which the kubelet runs from a file on its node."""
MIRRORED = (
    "the mirror of a static pod: Kruise counts and patches it as any other, but the kubelet never runs what is added "
    "to it; once patched it counts toward maxUnavailable for good"
)
"""What an injected mirror is."""


class UpgradableCondition(NamedTuple):
    """The condition `SidecarSetUpgradable`; `message` is JSON, set name to whether it can be updated."""

    status: str
    reason: str
    message: str


class SimulatedPod:
    """One pod.

    `index` is its position in the input. `images` holds spec.containers by name, in order; `init_images` the
    initContainers. `statuses` holds containerStatuses by name. `manifest` is unchanged from the input.
    `records` are the readings of its annotations, which change with them (`annotate`).
    `alike` keeps what was read from lists that several pods share, by the identity of the list.
    """

    __slots__ = (
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
        "records",
        "status_count",
        "statuses",
    )

    def __init__(self, index: int, manifest: Object, alike: dict[int, Any] | None = None) -> None:
        metadata = manifest.get("metadata") or {}
        spec, status = manifest.get("spec") or {}, manifest.get("status") or {}
        self.index = index
        self.manifest = manifest
        self.name = PodName(metadata.get("namespace") or DEFAULT_NAMESPACE, metadata.get("name") or "")
        self.labels = as_labels(metadata.get("labels"))
        self.annotations = as_labels(metadata.get("annotations"))
        self.records = records_of(self.annotations)
        containers, statuses = spec.get("containers") or (), status.get("containerStatuses") or ()
        alike = {} if alike is None else alike
        self.images: SharedMapping[str] = _of(alike, containers, _images)
        self.init_images: SharedMapping[str] = _of(alike, spec.get("initContainers") or (), _images)
        self.container_count = len(containers)
        self.statuses: SharedMapping[ContainerStatus] = _of(alike, statuses, _statuses)
        self.status_count = len(statuses)
        self.phase: str = status.get("phase") or ""
        ready = condition_of(manifest, "Ready") or {}
        self.ready = ready.get("status") == "True"
        self.ready_time: str = ready.get("lastTransitionTime") or ""
        self.condition = _upgradable_condition(manifest)

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

    def annotate(self, annotations: Mapping[str, str]) -> None:
        """Set some annotations."""
        self.annotations = {**self.annotations, **annotations}
        self.records = self.records.changed(annotations)

    @property
    def hashes(self) -> HashAnnotation:
        """The current value of its hash annotation, with its own times."""
        return read_hashes(self.annotations.get(HASH))

    @property
    def hashes_without_image(self) -> HashAnnotation:
        """The current value of its hash-without-image annotation, with its own times."""
        return read_hashes(self.annotations.get(HASH_WITHOUT_IMAGE))

    @property
    def update_states(self) -> States | None:
        """Its in-place update state by SidecarSet; None if it cannot be read."""
        return self.records.update_states

    @property
    def working_containers(self) -> Mapping[str, str]:
        """The working half of each HotUpgrade container."""
        return self.records.working_containers


def condition_of(manifest: Object, kind: str) -> Object | None:
    """The first of the pod's conditions of a type."""
    for condition in (manifest.get("status") or {}).get("conditions") or ():
        if condition and condition.get("type") == kind:
            found: Object = condition
            return found
    return None


@lru_cache(maxsize=1024)
def upgradable_sets(message: str) -> Mapping[str, bool]:
    """What the condition `SidecarSetUpgradable` says of each SidecarSet; none for a message that cannot be read."""
    try:
        found = parsed_annotation(message)
    except ValueError:
        return {}
    members = found.items() if isinstance(found, dict) else ()
    return {name: said for name, said in members if isinstance(said, bool)}


def _of(alike: dict[int, Any], items: Sequence[Object], read: Callable[[Sequence[Object]], _Read]) -> _Read:
    """What `read` makes of a list, once for each list; the pods keep the lists, and so their identities."""
    found: _Read | None = alike.get(id(items))
    if found is None:
        found = alike[id(items)] = read(items)
    return found


class SharedMapping(Mapping[str, _Member]):
    """A mapping that nothing changes, so that it can be a key; like an OrderedDict, it equals others in its order."""

    __slots__ = ("_hash", "_items", "_members")

    def __init__(self, items: tuple[tuple[str, _Member], ...]) -> None:
        self._items = items
        self._members = dict(items)
        self._hash = hash(items)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self._items == other._items if isinstance(other, SharedMapping) else super().__eq__(other)

    def __getitem__(self, key: str) -> _Member:
        return self._members[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


def shared_mapping(items: Iterable[tuple[str, _Member]]) -> SharedMapping[_Member]:
    """The mapping with these items, the same one for the same items."""
    found: SharedMapping[_Member] = _mapping(tuple(items))
    return found


_mapping = lru_cache(maxsize=4096)(SharedMapping)  # the pods of a workload share them


def _images(containers: Sequence[Object]) -> SharedMapping[str]:
    return shared_mapping((item.get("name") or "", item.get("image") or "") for item in containers if item)


def _statuses(statuses: Sequence[Object]) -> SharedMapping[ContainerStatus]:
    return shared_mapping((item.get("name") or "", _status(item)) for item in statuses if item)


def _status(item: Object) -> ContainerStatus:
    return ContainerStatus(item.get("image") or "", item.get("imageID") or "", bool(item.get("ready")))


def _upgradable_condition(manifest: Object) -> UpgradableCondition | None:
    found = condition_of(manifest, "SidecarSetUpgradable")
    if found is None:
        return None
    return UpgradableCondition(found.get("status") or "", found.get("reason") or "", found.get("message") or "")


MOST_RESULTS = 1 << 14
"""How many results are kept; if all pods differ, none of them helps."""

_Result = TypeVar("_Result")


class Evaluated(Generic[_Result]):
    """The results of a function over pods, computed once for equal ones.

    The function may look at what predicates look at: images, statuses, phase, readiness, records.
    """

    def __init__(self, evaluate: Callable[[SimulatedPod], _Result]) -> None:
        self.evaluate = evaluate
        self.known: dict[Hashable, tuple[_Result]] = {}

    def of(self, pod: SimulatedPod) -> _Result:
        """The result for the current state of a pod."""
        likeness = (
            pod.records,
            pod.images,
            pod.init_images,
            pod.statuses,
            pod.container_count,
            pod.status_count,
            pod.phase,
            pod.ready,
        )
        known = self.known.get(likeness)
        if known is None:
            if len(self.known) >= MOST_RESULTS:
                self.known.clear()
            known = self.known[likeness] = (self.evaluate(pod),)
        return known[0]
