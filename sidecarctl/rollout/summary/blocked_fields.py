"""What keeps a pod from being updated in place: the fields that injection would write otherwise now.

docs/behaviour/rollout.md, "Predicates on a pod".
"""

from collections.abc import Iterator
from typing import NamedTuple

from sidecarctl.changes.field_changes import field_changes
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Value


class FieldDifference(NamedTuple):
    """A field of the pod that differs: what it holds, and what injection would write; None where it is absent."""

    path: Path
    now: Value
    new: Value


def differences(now: Value, new: Value, path: Path = ()) -> Iterator[FieldDifference]:
    """The fields in which two values differ to the API, for which absent and empty are the same."""
    for change in field_changes(now, new, whole_lists=True):
        if not change.is_order and change.before != change.after and (change.before or change.after):
            yield FieldDifference((*path, *change.place), change.before, change.after)
