"""What a task makes of one object, and what there is to say about it."""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import ObjectReference
from sidecarctl.facts.values import Object
from sidecarctl.inputs.manifest_objects import ManifestObject


class Outcome(StrEnum):
    """What became of an object."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    FAILED = "failed"
    OTHER = "other"  # nothing that the task has to do with


class Change(NamedTuple):
    """One object after a task.

    `after` is None when the object stays as it came. `summary` goes into the report's line, `decisions` into the
    lines that only a verbose report has.
    """

    outcome: Outcome
    after: Object | None = None
    summary: str = ""
    reason: Reason | None = None
    findings: tuple[Finding, ...] = ()
    decisions: tuple[str, ...] = ()


class ObjectReport(NamedTuple):
    """A change without the object; findings have their place. `exit_code` is that of the failure, if any."""

    reference: ObjectReference
    change: Change
    exit_code: int = 0


Transform: TypeAlias = Callable[[ManifestObject], Change]
"""A task, as it is done to each object; raises SidecarctlError for an object that it fails at."""
