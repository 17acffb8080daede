"""The result of a transformation for an object, and findings about it."""

from collections.abc import Callable
from typing import TypeAlias

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import ObjectReference, Place
from sidecarctl.facts.text_enums import StrEnum
from sidecarctl.facts.values import Object
from sidecarctl.inputs.manifest_objects import ManifestObject


class Outcome(StrEnum):
    """The outcome of an object."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    FAILED = "failed"
    OTHER = "other"  # nothing that the transformation has to do with


class Change(NamedTuple):
    """An object after a transformation.

    `after` is None if the object is unchanged. `summary` goes into the line of the report, `decisions` into the
    additional lines of a verbose report.
    """

    outcome: Outcome
    after: Object | None = None
    summary: str = ""
    reason: Reason | None = None
    findings: tuple[Finding, ...] = ()
    decisions: tuple[str, ...] = ()


class ObjectResult(NamedTuple):
    """A change without the object; findings have places.

    `exit_code` is that of the failure, if any. `place` is where the object begins; None for an object that the
    transformation does not apply to, since finding its place may take longer than reading it.
    """

    reference: ObjectReference
    change: Change
    exit_code: int = 0
    place: Place | None = None


Transform: TypeAlias = Callable[[ManifestObject], Change]
"""A transformation of one object; SidecarctlError if it fails."""
