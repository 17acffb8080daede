"""What a transformation makes of one object, and what there is to say about it."""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import ObjectReference, Place
from sidecarctl.facts.values import Object
from sidecarctl.inputs.manifest_objects import ManifestObject


class Outcome(StrEnum):
    """What became of an object."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    FAILED = "failed"
    OTHER = "other"  # nothing that the transformation has to do with


class Change(NamedTuple):
    """One object after a transformation.

    `after` is None when the object stays as it was. `summary` goes into the report's line, `decisions` into the
    lines that only a verbose report has.
    """

    outcome: Outcome
    after: Object | None = None
    summary: str = ""
    reason: Reason | None = None
    findings: tuple[Finding, ...] = ()
    decisions: tuple[str, ...] = ()


class ObjectResult(NamedTuple):
    """A change without the object; findings have their place.

    `exit_code` is that of the failure, if any. `place` is where the object begins; None for one that the
    transformation has nothing to do with, since finding it may take longer than reading it.
    """

    reference: ObjectReference
    change: Change
    exit_code: int = 0
    place: Place | None = None


Transform: TypeAlias = Callable[[ManifestObject], Change]
"""A transformation, as it is done to each object; raises SidecarctlError for an object that it fails at."""
