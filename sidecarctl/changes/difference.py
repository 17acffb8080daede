"""Two values to the edits between them, as few and as deep as possible."""

from collections.abc import Iterator, Sequence

from sidecarctl.facts.edits import Edit
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object, Value


def difference(before: Value, after: Value, path: Path = ()) -> list[Edit]:
    """The edits that make `after` of `before`; parts that both share are not looked into.

    Items of a list are identified by name if they have one, else by equality, else by their position between
    those. The order of keys does not count.
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
    start = 0  # items of `before` up to here are dealt with
    new: list[Value] = []  # items of `after` since then that are not in `before`
    for item in after:
        place = _place_of(item, before, start)
        if place is None:
            new.append(item)
            continue
        yield from _gap_edits(before[start:place], new, start, path)
        yield from _edits(before[place], item, (*path, place))
        start, new = place + 1, []
    yield from _gap_edits(before[start:], new, start, path)


def _gap_edits(old: Sequence[Value], new: Sequence[Value], start: int, path: Path) -> Iterator[Edit]:
    """The edits between two items that both lists have; `start` is the place of the first old one."""
    if len(old) == len(new) and not any(map(_name, (*old, *new))):
        for index, (before, after) in enumerate(zip(old, new, strict=True), start):
            yield from _edits(before, after, (*path, index))
        return
    for item in new:
        yield Edit("insert", (*path, start), item)
    for index in range(start, start + len(old)):
        yield Edit("remove", (*path, index))


def _place_of(item: Value, items: list[Value], start: int) -> int | None:
    """The position of an item, from an index: the same object, else one of its name, else an equal one."""
    for place in range(start, len(items)):
        if items[place] is item:
            return place
    name = _name(item)
    for place in range(start, len(items)):
        if _name(items[place]) == name if name is not None else items[place] == item:
            return place
    return None


def _name(item: Value) -> Value:
    return item.get("name") if isinstance(item, dict) else None
