"""The lists of a pod that sets add to: containers at their places, volumes and pull secrets, each name once.

Source: docs/behaviour/injection.md, "Then the pod is assembled".
"""

from collections.abc import Iterable, Sequence

from sidecarctl.changes.kept_values import kept
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object, Value
from sidecarctl.injection.build.set_plan import SetPlan
from sidecarctl.injection.containers.sidecars import Sidecar


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


class Replaced(NamedTuple):
    """A queued container that took the place of one of the pod, and that one as it was."""

    slot: Slot
    place: int
    before: Object


class Placed(NamedTuple):
    """A list of containers after injection, the same object when nothing changed."""

    containers: list[Value] | None
    new: list[Slot]
    replaced: list[Replaced]


def placed(present: list[Value] | None, queue: Queue) -> Placed:
    """A pod's containers or initContainers with all queued ones at their places."""
    places = {name_of(container): place for place, container in enumerate(present or ())}
    replacing: dict[int, tuple[Slot, Object]] = {}
    first: list[Value] = []
    last: list[Value] = []
    new: list[Slot] = []
    for slot, container in queue:
        place = places.get(slot.name)
        if place is not None:
            replacing[place] = slot, container
            continue
        new.append(slot)
        (first if slot.sidecar.goes_first else last).append(container)
    if present is None or not replacing:
        return Placed([*first, *(present or ()), *last] if new else present, new, [])
    middle = _replaced(present, replacing)
    containers = [*first, *middle, *last] if new else middle
    return Placed(
        containers, new, [Replaced(slot, place, present[place] or {}) for place, (slot, _) in replacing.items()]
    )


def appended(present: list[Value] | None, queue: Queue) -> Placed:
    """A pod's initContainers with all queued ones after them, as old releases put them: none is replaced."""
    containers = [*(present or ()), *(container for _, container in queue)] if queue else present
    return Placed(containers, [slot for slot, _ in queue], [])


def _replaced(present: list[Value], replacing: dict[int, tuple[Slot, Object]]) -> list[Value]:
    """The list with some containers replaced, each keeping the text of what is equal."""
    changed = {
        place: container
        for place, (_, wanted) in replacing.items()
        if (container := kept(present[place], wanted, "core.Container")) is not present[place]
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
