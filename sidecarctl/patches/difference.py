"""Two values to the edits between them, as few and as deep as possible."""

from collections.abc import Iterator

from sidecarctl.facts.edits import Edit
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object, Value


def difference(before: Value, after: Value, path: Path = ()) -> list[Edit]:
    """The edits that make `after` of `before`; parts that both share are not looked into.

    Items of a list are told by their name where they have one, else by their place.
    """
    return list(_edits(before, after, path))


def _edits(before: Value, after: Value, path: Path) -> Iterator[Edit]:
    if before is after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _mapping_edits(before, after, path)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _list_edits(before, after, path)
    elif type(before) is not type(after) or before != after:
        yield Edit("set", path, after)


def _mapping_edits(before: Object, after: Object, path: Path) -> Iterator[Edit]:
    for key, value in before.items():
        if key not in after:
            yield Edit("remove", (*path, key))
        elif value is not after[key]:
            yield from _edits(value, after[key], (*path, key))
    for key, value in after.items():
        if key not in before:
            yield Edit("set", (*path, key), value)


def _list_edits(before: list[Value], after: list[Value], path: Path) -> Iterator[Edit]:
    matched = 0  # items of `before` up to here are kept, changed or removed
    for item in after:
        place = _place_of(item, before, matched)
        if place is None:
            yield Edit("insert", (*path, matched), item)
            continue
        for gone in range(matched, place):
            yield Edit("remove", (*path, gone))
        yield from _edits(before[place], item, (*path, place))
        matched = place + 1
    for gone in range(matched, len(before)):
        yield Edit("remove", (*path, gone))


def _place_of(item: Value, items: list[Value], start: int) -> int | None:
    """Where an item stands, from a place on: the same object, else one of its name, else an equal one."""
    for place in range(start, len(items)):
        if items[place] is item:
            return place
    name = item.get("name") if isinstance(item, dict) else None
    for place in range(start, len(items)):
        other = items[place]
        if other.get("name") == name if name is not None and isinstance(other, dict) else other == item:
            return place
    return None
