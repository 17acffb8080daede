"""Where the queued containers stand in a pod.

Source: docs/behaviour/injection.md, "Then the pod is assembled".
"""

from collections.abc import Sequence
from typing import NamedTuple

from sidecarctl.changes.kept_values import kept
from sidecarctl.facts.values import Object, Value
from sidecarctl.injection.build.pod_plan import Slot
from sidecarctl.injection.build.volumes_and_pull_secrets import name_of

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


def _replaced(present: list[Value], replacing: dict[int, tuple[Slot, Object]]) -> list[Value]:
    """The list with some containers replaced, each keeping the text of what is equal."""
    changed = {
        place: container
        for place, (_, wanted) in replacing.items()
        if (container := kept(present[place], wanted, "core.Container")) is not present[place]
    }
    return [changed.get(place, item) for place, item in enumerate(present)] if changed else present
