"""What the SidecarSets of a pod inject together, computed once for all such pods, and the lists it is merged into.

Source: docs/behavior/injection.md, "Pod metadata first" and "Then the pod is assembled".
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.changes import kept
from sidecarctl.engine.facts.errors import ImpossibleError, impossible, naming
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.pod.pod_view import PodView, is_injected
from sidecarctl.engine.injection.pod.set_plan import SetPlan
from sidecarctl.engine.injection.pod.sidecars import Sidecar, static_containers
from sidecarctl.engine.releases.feature_gates import SORTS_CONTAINERS
from sidecarctl.engine.releases.release import DEFAULT, Release


class Slot(NamedTuple):
    """The place of one container in a queue; `half` counts the containers of its sidecar.

    `container` is what goes there, None if that depends on the pod.
    """

    name: str
    plan: SetPlan
    sidecar: Sidecar
    half: int
    container: Object | None


Queue = Sequence[tuple[Slot, Object]]


class Placed(NamedTuple):
    """A list of containers after injection, the same object when nothing changed.

    `replaced`: the queued ones that took the place of one of the pod, by its place in the pod's own list.
    """

    containers: list[Value] | None
    new: list[Slot]
    replaced: Mapping[int, Slot]


def placed_containers(present: list[Value] | None, queue: Queue) -> Placed:
    """A pod's containers or initContainers with all queued ones at their places."""
    places = {name_of(container): place for place, container in enumerate(present or ())}
    replaced: dict[int, Slot] = {}
    wanted: dict[int, Object] = {}
    first: list[Value] = []
    last: list[Value] = []
    new: list[Slot] = []
    for slot, container in queue:
        place = places.get(slot.name)
        if place is not None:
            replaced[place], wanted[place] = slot, container
            continue
        new.append(slot)
        (first if slot.sidecar.goes_first else last).append(container)
    middle = _with_replaced(present, wanted) if present and wanted else present
    return Placed([*first, *(middle or ()), *last] if new else middle, new, replaced)


def appended(present: list[Value] | None, queue: Queue) -> Placed:
    """A pod's initContainers with all queued ones after them, as old releases put them: none is replaced."""
    containers = [*(present or ()), *(container for _, container in queue)] if queue else present
    return Placed(containers, [slot for slot, _ in queue], {})


def _with_replaced(present: list[Value], wanted: Mapping[int, Object]) -> list[Value]:
    """The list with other containers at some places, each keeping the text of what is equal."""
    changed = {
        place: container
        for place, queued in wanted.items()
        if (container := kept(present[place], queued, "core.Container")) is not present[place]
    }
    return [changed.get(place, item) for place, item in enumerate(present)] if changed else present


def with_volumes(present: list[Value] | None, queued: tuple[Value, ...]) -> list[Value] | None:
    """A pod's volumes with the queued volumes whose names are new; the same object if there are none."""
    if not queued:
        return present
    names = {name_of(item) for item in present or ()}
    added = [item for item in queued if name_of(item) not in names]
    return [*(present or ()), *added] if added else present


def with_pull_secrets(present: list[Value] | None, queued: tuple[Value, ...]) -> list[Value] | None:
    """A pod's pull secrets, the first of each name, then those queued; the same object when nothing changes."""
    if present:
        own = first_of_each_name(present)
        present = present if len(own) == len(present) else own
    return with_volumes(present, queued)


def first_of_each_name(items: Iterable[Value]) -> list[Value]:
    """The items without those whose name an earlier one has."""
    found: dict[str, Value] = {}
    for item in items:
        found.setdefault(name_of(item), item)
    return list(found.values())


def name_of(item: Value) -> str:
    """The name of a list's item; empty if it has none."""
    return (item or {}).get("name") or ""


Patches = Iterable[Iterable[Object]]
"""The patchPodMetadata of each set, in the order of the sets."""


def patched_annotations(annotations: Mapping[str, Value] | None, patches: Patches) -> dict[str, str]:
    """A pod's annotations after all patches, new keys last; ImpossibleError (MetadataPatchFailed) if one fails."""
    patched = {key: value or "" for key, value in (annotations or {}).items()}
    for items in patches:
        for item in items:
            policy = item.get("patchPolicy") or "Retain"
            for key, value in (item.get("annotations") or {}).items():
                _patch(patched, key, value or "", policy)
    return patched


def _patch(annotations: dict[str, str], key: str, value: str, policy: str) -> None:
    if policy == "Retain":
        annotations.setdefault(key, value)
    elif policy == "Overwrite" or (policy == "MergePatchJson" and not annotations.get(key)):
        annotations[key] = value
    elif policy == "MergePatchJson":
        annotations[key] = _merged(key, annotations[key], value)


def _merged(key: str, present: str, value: str) -> str:
    from sidecarctl.engine.sidecarset.json_merge import merge  # few patches merge

    try:
        return merge(present, value)
    except ValueError as problem:
        raise impossible(
            Reason.METADATA_PATCH_FAILED,
            f"cannot merge the patch of annotation {key}: {problem}",
            ("metadata", "annotations", key),
            hint="MergePatchJson requires a JSON object or list in the SidecarSet, and non-null JSON on the pod",
        ) from problem


def made_alone(patches: Patches) -> Mapping[str, Value]:
    """The result of the patches on no annotations at all; empty if they cannot be merged with each other."""
    try:
        return patched_annotations({}, patches)
    except ImpossibleError:
        return {}


def patched_keys(patches: Patches) -> dict[str, bool]:
    """The keys that are patched, each with whether patches only add it if it is missing."""
    keys: dict[str, bool] = {}
    for items in patches:
        for item in items:
            adds = (item.get("patchPolicy") or "Retain") == "Retain"
            keys |= {key: keys.get(key, True) and adds for key in item.get("annotations", {})}
    return keys


class PodPlan:
    """The queues of several sets, in the order in which they are injected."""

    def __init__(
        self, plans: Sequence[SetPlan], feature_gates: Collection[str] = (), release: Release = DEFAULT
    ) -> None:
        self.plans = tuple(plans)
        self.release = release
        self.init_queue = _by_name(_slots((plan, sidecar) for plan in plans for sidecar in plan.init_sidecars))
        queue = _slots((plan, sidecar) for plan in plans for sidecar in plan.sidecars)
        is_sorted = release.sort_gate and SORTS_CONTAINERS in feature_gates
        self.queue = _by_name(queue) if is_sorted else queue
        self.volumes = tuple(first_of_each_name(volume for plan in plans for volume in plan.volumes))
        self.pull_secrets = tuple(first_of_each_name(secret for plan in plans for secret in plan.pull_secrets))
        self.volume_names = frozenset(map(name_of, self.volumes))
        self.secret_names = frozenset(map(name_of, self.pull_secrets))
        self.patches = tuple(plan.patches for plan in plans if plan.patches)
        self.merges = any(item.get("patchPolicy") == "MergePatchJson" for items in self.patches for item in items)
        self.patched_keys = patched_keys(self.patches).keys()
        self.patched_alone = made_alone(self.patches)
        owned = [(plan, sidecar) for plan in plans for sidecar in plan.all_sidecars]
        sidecars = [sidecar for _, sidecar in owned]
        self.dynamic = tuple((plan, sidecar) for plan, sidecar in owned if not sidecar.is_static)
        self.sidecar_names = frozenset(sidecar.name for sidecar in sidecars)
        self.hot_names = tuple(sidecar.name for sidecar in sidecars if sidecar.is_hot)
        self.has_policies = any(sidecar.policy is not None for sidecar in sidecars)
        self.has_false_marks = not all(is_injected({"env": sidecar.env}) for sidecar in sidecars)
        self.repeats_names = _repeats(self.init_queue) or _repeats(self.queue)
        self._queued_names = frozenset(slot.name for slot in self.queue)
        self.crashes = tuple(naming(plan.reference, [plan.crash])[0] for plan in plans if plan.crash)
        self.transfers = tuple((plan, transfer) for plan, sidecar in owned for transfer in sidecar.transfers)

    @property
    def queues_anything(self) -> bool:
        """Whether there is a container to inject; without one only metadata is patched."""
        return bool(self.init_queue or self.queue)

    def transfers_from_sidecars(self, pod: PodView) -> bool:
        """Whether a transferEnv names one of the containers that this plan injects."""
        return any(transfer.source(pod) in self._queued_names for _, transfer in self.transfers)


def _slots(owned: Iterable[tuple[SetPlan, Sidecar]]) -> tuple[Slot, ...]:
    return tuple(slot for plan, sidecar in owned for slot in _slots_of(plan, sidecar))


def _slots_of(plan: SetPlan, sidecar: Sidecar) -> Iterator[Slot]:
    containers = static_containers(sidecar) if sidecar.is_static else [None] * len(sidecar.halves)
    for half, container in enumerate(containers):
        yield Slot(sidecar.halves[half].name, plan, sidecar, half, container)


def _by_name(slots: tuple[Slot, ...]) -> tuple[Slot, ...]:
    return tuple(sorted(slots, key=lambda slot: slot.name))


def _repeats(slots: tuple[Slot, ...]) -> bool:
    return len({slot.name for slot in slots}) < len(slots)
