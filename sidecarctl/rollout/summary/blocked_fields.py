"""Why a pod cannot be updated in place: the fields that injection would now write differently.

docs/behaviour/rollout.md, "Predicates on a pod".
"""

from collections.abc import Iterator

from sidecarctl.changes.field_changes import field_changes
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Value


class FieldDifference(NamedTuple):
    """A field of the pod that differs: its value, and what injection would write; None if absent."""

    path: Path
    now: Value
    new: Value


def differences(now: Value, new: Value, path: Path = ()) -> Iterator[FieldDifference]:
    """The fields in which two values differ for the API, which treats absent and empty as equal."""
    for change in field_changes(now, new, whole_lists=True):
        if not change.is_order and change.before != change.after and (change.before or change.after):
            yield FieldDifference((*path, *change.place), change.before, change.after)
