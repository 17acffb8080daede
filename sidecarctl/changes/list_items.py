"""The identity of list items, as in the API: mounts by path, most others by name."""

from collections.abc import Sequence

from sidecarctl.facts.values import Object, Value

_KEYS = ("mountPath", "devicePath", "name", "containerPort")


def identifying_key(item: Object) -> str | None:
    """The member that identifies an item among its siblings; None if it has none."""
    return next((key for key in _KEYS if key in item), None)


def paired_by_key(before: Sequence[Value], after: Sequence[Value]) -> tuple[dict[Value, Object], ...] | None:
    """Both lists with their items by identity; None if an item has no identity."""
    for key in _KEYS:
        lists = [
            {item[key]: item for item in items if isinstance(item, dict) and isinstance(item.get(key), str | int)}
            for items in (before, after)
        ]
        if [len(by_key) for by_key in lists] == [len(before), len(after)]:
            return tuple(lists)
    return None
