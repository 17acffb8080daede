"""The difference between an object as it was read and as it should become, and the edits of one collection in it."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from sidecarctl.facts.values import Path, Value


class Edit(NamedTuple):
    """A change; all paths refer to the object as it was read, regardless of other edits.

    - `set`: the member or item at `path` becomes `value`; a new key is added at the end.
    - `insert`: `path` ends in a list index; `value` goes before the item that had it (the length: after the
      last). Several inserts at one index keep their order.
    - `remove`: the member or item at `path` goes.
    """

    action: Literal["set", "insert", "remove"]
    path: Path
    value: Value = None


def applied(value: Value, edits: Iterable[Edit]) -> Value:
    """The value with all edits made; only changed branches are copied."""
    below: dict[str | int, list[Edit]] = {}
    here: list[Edit] = []
    for edit in edits:
        if not edit.path:
            return edit.value
        if len(edit.path) == 1:
            here.append(edit)
        else:
            below.setdefault(edit.path[0], []).append(edit._replace(path=edit.path[1:]))
    replaced: dict[str | int, Value] = {step: applied(value[step], inner) for step, inner in below.items()}
    replaced.update({edit.path[0]: edit.value for edit in here if edit.action == "set"})
    removed = {edit.path[0] for edit in here if edit.action == "remove"}
    if isinstance(value, dict):
        return {key: member for key, member in {**value, **replaced}.items() if key not in removed}
    return _changed_list(value, replaced, removed, [edit for edit in here if edit.action == "insert"])


def _changed_list(
    items: list[Value], replaced: dict[str | int, Value], removed: set[str | int], inserts: list[Edit]
) -> list[Value]:
    result: list[Value] = []
    for index, item in enumerate([*items, None]):
        result += [insert.value for insert in inserts if insert.path[0] == index]
        if index < len(items) and index not in removed:
            result.append(replaced.get(index, item))
    return result


def below(path: Path, branch: Path) -> bool:
    """Whether a path is that of a branch or leads further into it."""
    return path[: len(branch)] == branch


class Changes(NamedTuple):
    """The changes to the members or items of one collection.

    `values` are the new ones of members and items by key or index, `inserted` new items by the index that they
    go before, in order.
    """

    values: dict[str | int, Value]
    inserted: dict[int, list[Value]]
    removed: set[str | int]


def changes_of(edits: Iterable[Edit]) -> Changes:
    """The changes that edits of members or items of one collection make."""
    changes = Changes({}, {}, set())
    for edit in edits:
        step = edit.path[-1]
        if edit.action == "set":
            changes.values[step] = edit.value
        elif edit.action == "remove":
            changes.removed.add(step)
        elif isinstance(step, int):
            changes.inserted.setdefault(step, []).append(edit.value)
    return changes
