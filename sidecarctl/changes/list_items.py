"""By what the items of a list are told apart, as the API does it: mounts by where they are, most others by name."""

from collections.abc import Sequence

from sidecarctl.facts.values import Object, Value

_KEYS = ("mountPath", "devicePath", "name", "containerPort")


def identifying_key(item: Object) -> str | None:
    """The member that tells an item from its siblings; None where it has none of those that do."""
    return next((key for key in _KEYS if key in item), None)


def paired_by_key(before: Sequence[Value], after: Sequence[Value]) -> tuple[dict[Value, Object], ...] | None:
    """Both lists with their items by what tells them apart; None where items have nothing of their own that does."""
    for key in _KEYS:
        lists = [
            {item[key]: item for item in items if isinstance(item, dict) and isinstance(item.get(key), str | int)}
            for items in (before, after)
        ]
        if [len(by_key) for by_key in lists] == [len(before), len(after)]:
            return tuple(lists)
    return None
