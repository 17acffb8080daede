"""The plain data of a manifest, paths to its values, and edits."""

from collections.abc import Iterable
from itertools import starmap
from typing import Any, Literal, NamedTuple, TypeAlias

from sidecarctl.engine.facts.start_up import lazy_pattern

Value: TypeAlias = Any
"""A JSON value: dict, list, str, int, float, bool or None. Foreign data; it is checked where it is used."""

Object: TypeAlias = dict[str, Value]
"""A JSON object: a manifest or a branch of one. Never changed in place; only changed branches are copied."""

Path: TypeAlias = tuple[str | int, ...]
"""Keys and list indices from the object's root; `()` is the root itself."""

_PLAIN_KEY = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_NUMBER = lazy_pattern(r"([0-9]+)")


def identical(left: Value, right: Value) -> bool:
    """Whether two values are the same; 1, 1.0 and true differ, and key order does not count."""
    return left == right and _same_types(left, right)


def _same_types(left: Value, right: Value) -> bool:
    """Whether equal values have equal types throughout; nothing but a string equals a string."""
    if left is right:
        return True
    if isinstance(left, dict):
        others = [(value, right[key]) for key, value in left.items() if not isinstance(value, str)]
        return all(starmap(_same_types, others))
    if isinstance(left, list):
        return all(map(_same_types, left, right))
    return type(left) is type(right)


def path_text(path: Path) -> str:
    """The path as users read it: `spec.containers[0].env[1].name`, `metadata.labels[example.com/team]`."""
    text = ""
    for step in path:
        if isinstance(step, str) and _PLAIN_KEY.match(step):
            text += f".{step}" if text else step
        else:
            text += f"[{step}]"
    return text


def value_at(value: Value, path: Path) -> Value:
    """The value at a path; None if any step of it is absent or of another shape."""
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step] if isinstance(value, list) and -len(value) <= step < len(value) else None
    return value


def pointer_text(path: Path) -> str:
    """The path as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def natural(name: str) -> tuple[tuple[str | int, ...], str]:
    """The key of a name for `sorted`: numbers in it count as numbers."""
    parts = _NUMBER.split(name)
    return tuple(int(part) if index % 2 else part for index, part in enumerate(parts)), name


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
    """Whether a path leads to a branch or into it."""
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
