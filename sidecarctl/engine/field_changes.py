"""The differences between two values as fields that people compare: what items are counts, not where they are."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecarctl.engine.changes import KEYS
from sidecarctl.engine.facts.values import Object, Path, Value, path_text


def paired_by_key(before: Sequence[Value], after: Sequence[Value]) -> tuple[dict[Value, Object], ...] | None:
    """Both lists with their items by identity; None if an item has no identity."""
    for key in KEYS:
        lists = [
            {item[key]: item for item in items if isinstance(item, dict) and isinstance(item.get(key), str | int)}
            for items in (before, after)
        ]
        if [len(by_key) for by_key in lists] == [len(before), len(after)]:
            return tuple(lists)
    return None


class FieldChange(NamedTuple):
    """A field with its value before and after, None if it is absent.

    `text` is its path as people read it, `spec.containers[log-agent].image`; `path` the same in steps, `place` with
    the indices that items have in the value before (of new items still their names). `is_order`: the list has the
    same items in another order; the values are the names.
    """

    text: str
    path: Path
    before: Value
    after: Value
    is_order: bool = False
    place: Path = ()


class _Position(NamedTuple):
    """How to reach a field, in the three forms that a change uses."""

    text: str = ""
    path: Path = ()
    place: Path = ()

    def member(self, key: str) -> "_Position":
        step = path_text((key,))
        text = f"{self.text}{step}" if step.startswith("[") or not self.text else f"{self.text}.{step}"
        return _Position(text, (*self.path, key), (*self.place, key))

    def item(self, name: str | int, place: str | int) -> "_Position":
        return _Position(f"{self.text}[{name}]", (*self.path, name), (*self.place, place))

    def change(self, before: Value, after: Value, *, is_order: bool = False) -> FieldChange:
        return FieldChange(self.text, self.path, before, after, is_order, self.place)


def field_changes(before: Value, after: Value, *, whole_lists: bool = False) -> Iterator[FieldChange]:
    """Every difference, in the order of the fields before, then of those that are new.

    Items without identity are compared by position; with `whole_lists`, the list is compared as a whole.
    """
    return _changes(before, after, _Position(), whole_lists=whole_lists)


def _changes(before: Value, after: Value, at: _Position, *, whole_lists: bool) -> Iterator[FieldChange]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in (*before, *(key for key in after if key not in before)):
            yield from _changes(before.get(key), after.get(key), at.member(key), whole_lists=whole_lists)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _list_changes(before, after, at, whole_lists=whole_lists)
    elif type(before) is not type(after) or before != after:
        yield at.change(before, after)


def _list_changes(
    before: list[Value], after: list[Value], at: _Position, *, whole_lists: bool
) -> Iterator[FieldChange]:
    paired = paired_by_key(before, after)
    if paired is None:
        if not whole_lists:
            yield from _by_place(before, after, at)
        elif before != after:
            yield at.change(before, after)
        return
    old, new = paired
    for index, (name, item) in enumerate(old.items()):
        yield from _changes(item, new.get(name), at.item(str(name), index), whole_lists=whole_lists)
    for name in (name for name in new if name not in old):
        yield from _changes(None, new[name], at.item(str(name), str(name)), whole_lists=whole_lists)
    if [name for name in old if name in new] != [name for name in new if name in old]:
        yield at.change(list(old), list(new), is_order=True)


def _by_place(before: list[Value], after: list[Value], at: _Position) -> Iterator[FieldChange]:
    for index in range(max(len(before), len(after))):
        old, new = (items[index] if index < len(items) else None for items in (before, after))
        yield from _changes(old, new, at.item(index, index), whole_lists=False)
