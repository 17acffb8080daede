"""The fields in which two objects differ, down to the innermost ones; items of lists are told by their names."""

from collections.abc import Iterator
from typing import NamedTuple

from sidecarctl.facts.paths import Path, path_text
from sidecarctl.facts.values import Object, Value


class FieldChange(NamedTuple):
    """A field with its value before and after, None where it is absent.

    `text` is its path as people read it, `spec.containers[log-agent].image`; `path` the same in steps. `is_order`:
    the list has the same items in another order, of which the values are the names.
    """

    text: str
    path: Path
    before: Value
    after: Value
    is_order: bool = False


def field_changes(before: Value, after: Value, text: str = "", path: Path = ()) -> Iterator[FieldChange]:
    """Every difference, in the order of the fields before, then of those that are new."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in (*before, *(key for key in after if key not in before)):
            step = path_text((key,))
            deeper = f"{text}{step}" if step.startswith("[") or not text else f"{text}.{step}"
            yield from field_changes(before.get(key), after.get(key), deeper, (*path, key))
    elif isinstance(before, list) and isinstance(after, list):
        yield from _list_changes(before, after, text, path)
    elif type(before) is not type(after) or before != after:
        yield FieldChange(text, path, before, after)


def _list_changes(before: list[Value], after: list[Value], text: str, path: Path) -> Iterator[FieldChange]:
    old, new = _by_name(before), _by_name(after)
    if old is None or new is None:
        yield from _by_place(before, after, text, path)
        return
    for name in (*old, *(name for name in new if name not in old)):
        yield from field_changes(old.get(name), new.get(name), f"{text}[{name}]", (*path, name))
    kept = [name for name in old if name in new]
    if kept != [name for name in new if name in old]:
        yield FieldChange(text, path, list(old), list(new), is_order=True)


def _by_place(before: list[Value], after: list[Value], text: str, path: Path) -> Iterator[FieldChange]:
    for index in range(max(len(before), len(after))):
        old, new = (items[index] if index < len(items) else None for items in (before, after))
        yield from field_changes(old, new, f"{text}[{index}]", (*path, index))


def _by_name(items: list[Value]) -> dict[str, Object] | None:
    """The items by what names them; None for a list whose items have no names of their own."""
    for key in ("name", "mountPath", "devicePath"):
        named: dict[str, Object] = {item[key]: item for item in items if isinstance(item, dict) and _names(item, key)}
        if len(named) == len(items):
            return named
    return None


def _names(item: Object, key: str) -> bool:
    return isinstance(item.get(key), str)
