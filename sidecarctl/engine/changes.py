"""The differences between two values as edits of a text, for which the places of items count, and as JSON patches.

`kept` replaces a value without changing the text of what is equal to the API.
"""

from collections.abc import Iterable, Iterator, Sequence

from sidecarctl.engine.api.canonical import typed
from sidecarctl.engine.api.field_table import fields_of, item_type, value_type
from sidecarctl.engine.facts.values import Edit, Object, Path, Value, applied, pointer_text, value_at


def difference(before: Value, after: Value, path: Path = ()) -> list[Edit]:
    """The edits that turn `before` into `after`; shared parts are not examined.

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
        place = _index_of(item, before, start)
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


def _index_of(item: Value, items: list[Value], start: int) -> int | None:
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


_OPERATIONS = {"insert": "add", "remove": "remove"}


def json_patch(before: Value, edits: Iterable[Edit]) -> list[Object]:
    """The patch that makes the edits of an object as it was before; edits of a list in the order of its items.

    What is empty or null is added as a whole: the API server does not store it, so the object may not have it.
    """
    shifts: dict[Path, int] = {}  # how far the items of each list (by its path before) have moved so far
    operations = []
    for edit in _filling(before, edits):
        path = _moved(edit.path, shifts)
        name = _OPERATIONS.get(edit.action) or ("replace" if _exists(before, edit.path) else "add")
        operation = {"op": name, "path": pointer_text(path)}
        operations.append(operation if edit.action == "remove" else {**operation, "value": edit.value})
        if isinstance(edit.path[-1], int) and edit.action != "set":
            shifts[edit.path[:-1]] = shifts.get(edit.path[:-1], 0) + (1 if edit.action == "insert" else -1)
    return operations


def _filling(before: Value, edits: Iterable[Edit]) -> list[Edit]:
    """The edits, those of each empty collection inside as one that sets it."""
    inside: dict[Path, list[Edit]] = {}
    for edit in edits:
        around = edit.path[:-1]
        place = around if around and value_at(before, around) in ({}, []) else edit.path
        inside.setdefault(place, []).append(edit)
    return [edit for place, own in inside.items() for edit in _filled(before, place, own)]


def _filled(before: Value, place: Path, edits: list[Edit]) -> list[Edit]:
    if edits[0].path == place:
        return edits
    inner = [edit._replace(path=edit.path[len(place) :]) for edit in edits]
    return [Edit("set", place, applied(value_at(before, place), inner))]


def _moved(path: Path, shifts: dict[Path, int]) -> Path:
    return tuple(step + shifts.get(path[:at], 0) if isinstance(step, int) else step for at, step in enumerate(path))


def _exists(before: Value, path: Path) -> bool:
    """Whether there is something to replace: an item, or a member that is neither null nor empty."""
    around = value_at(before, path[:-1])
    return isinstance(around, list) or (around or {}).get(path[-1]) not in (None, {}, [])


KEYS = ("mountPath", "devicePath", "name", "containerPort")
"""The members that identify items of lists among their siblings."""


def identifying_key(item: Object) -> str | None:
    """The member that identifies an item among its siblings; None if it has none."""
    return next((key for key in KEYS if key in item), None)


_ABSENT = object()


def kept(existing: Value, wanted: Value, type_name: str) -> Value:
    """`wanted`, a value in typed form, reusing the equal parts of an existing value of the type.

    Returns the existing object itself if all of it is equal. Its null and unknown members stay.

    Source: docs/behavior/injection.md, "What is written", on typed form: `0.5` equals `500m`, `{}` nothing.
    """
    if existing is wanted or existing == wanted:
        return existing
    if existing is None:
        return wanted
    if isinstance(existing, dict) and isinstance(wanted, dict):
        return _kept_members(existing, wanted, type_name)
    if isinstance(existing, list) and isinstance(wanted, list):
        return _kept_items(existing, wanted, item_type(type_name) or "object")
    return existing if typed(existing, type_name) == wanted else wanted


def _kept_members(existing: Object, wanted: Object, type_name: str) -> Object:
    written = typed(existing, type_name)
    if written == wanted:
        return existing
    fields = fields_of(type_name)
    types = {field.name: field.type for field in fields} if fields else dict.fromkeys(wanted, value_type(type_name))
    result = {}
    for name, member in existing.items():
        value = wanted.get(name, _ABSENT)
        if written.get(name, _ABSENT) == value:
            result[name] = member
        elif value is not _ABSENT:
            result[name] = kept(member, value, types[name] or "object")
    added = {name: member for name, member in wanted.items() if name not in existing}
    return result | {name: member for name, member in added.items() if written.get(name, _ABSENT) != member}


def _kept_items(existing: list[Value], wanted: list[Value], item: str) -> list[Value]:
    rest = list(zip(existing, typed(existing, f"[]{item}"), strict=True))
    result = []
    for value in wanted:
        place = _place_of(value, [written for _, written in rest])
        entry, written = (None, None) if place is None else rest.pop(place)
        result.append(entry if written == value else kept(entry, value, item))
    unchanged = len(result) == len(existing) and all(map(_same, result, existing))
    return existing if unchanged else result


def _place_of(value: Value, candidates: list[Value]) -> int | None:
    """The place of an equal item, else of one of the same identity."""
    for place, candidate in enumerate(candidates):
        if candidate == value:
            return place
    if isinstance(value, dict):
        field = identifying_key(value)
        for place, candidate in enumerate(candidates):
            if field and candidate.get(field) == value[field]:
                return place
    return None


def _same(before: Value, after: Value) -> bool:
    return before is after or (not isinstance(before, dict | list) and before == after)
