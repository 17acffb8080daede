"""Edits as a JSON patch (RFC 6902), whose operations see what those before them did."""

from collections.abc import Iterable

from sidecarctl.facts.edits import Edit
from sidecarctl.facts.paths import Path, pointer_text, value_at
from sidecarctl.facts.values import Object, Value

_OPERATIONS = {"insert": "add", "remove": "remove"}


def json_patch(before: Value, edits: Iterable[Edit]) -> list[Object]:
    """The patch that makes the edits of an object as it was before; edits of a list in the order of its items."""
    shifts: dict[Path, int] = {}  # how far the items of each list (by its path before) have moved so far
    operations = []
    for edit in edits:
        path = _moved(edit.path, shifts)
        name = _OPERATIONS.get(edit.action) or ("replace" if _exists(before, edit.path) else "add")
        operation = {"op": name, "path": pointer_text(path)}
        operations.append(operation if edit.action == "remove" else {**operation, "value": edit.value})
        if isinstance(edit.path[-1], int) and edit.action != "set":
            shifts[edit.path[:-1]] = shifts.get(edit.path[:-1], 0) + (1 if edit.action == "insert" else -1)
    return operations


def _moved(path: Path, shifts: dict[Path, int]) -> Path:
    return tuple(step + shifts.get(path[:at], 0) if isinstance(step, int) else step for at, step in enumerate(path))


def _exists(before: Value, path: Path) -> bool:
    around = value_at(before, path[:-1])
    return isinstance(around, list) or path[-1] in (around or ())
