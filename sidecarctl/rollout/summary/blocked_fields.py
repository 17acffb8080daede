"""What keeps a pod from being updated in place: the fields that injection would write otherwise now.

docs/behaviour/rollout.md, "Predicates on a pod".
"""

from collections.abc import Iterator
from typing import NamedTuple

from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Value


class FieldDifference(NamedTuple):
    """A field of the pod that differs: what it holds, and what injection would write; None where it is absent."""

    path: Path
    now: Value
    new: Value


def differences(now: Value, new: Value, path: Path = ()) -> Iterator[FieldDifference]:
    """The fields in which two values differ, down to the innermost; items of lists are told by their names."""
    if isinstance(now, dict) and isinstance(new, dict):
        for key in [*now, *(key for key in new if key not in now)]:
            yield from differences(now.get(key), new.get(key), (*path, key))
    elif isinstance(now, list) and isinstance(new, list):
        yield from _list_differences(now, new, path)
    elif now != new and (now or new):  # absent and empty are the same to the API
        yield FieldDifference(path, now, new)


def _list_differences(now: list[Value], new: list[Value], path: Path) -> Iterator[FieldDifference]:
    names, new_names = [list(map(_name, items)) for items in (now, new)]
    if None in names or None in new_names or len(set(names)) < len(names):
        if now != new:
            yield FieldDifference(path, now, new)
        return
    for index, (name, item) in enumerate(zip(names, now, strict=True)):
        other = new[new_names.index(name)] if name in new_names else None
        yield from differences(item, other, (*path, index))
    for name, item in zip(new_names, new, strict=True):
        if name not in names:
            yield FieldDifference((*path, str(name)), None, item)


def _name(item: Value) -> Value:
    """What tells an item from the others of its list."""
    if not isinstance(item, dict):
        return None
    if "mountPath" in item:
        return item["mountPath"]
    return item.get("containerPort") if "containerPort" in item else item.get("name")
