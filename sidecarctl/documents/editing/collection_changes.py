"""The edits of one collection, grouped by action."""

from collections.abc import Iterable

from sidecarctl.facts.edits import Edit
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Value


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
