"""Findings about an input: one type for errors, warnings and notes, for all reports."""

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path, path_text
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import ObjectReference, Place
from sidecarctl.facts.text_enums import StrEnum


class Severity(StrEnum):
    """How much a finding matters: an error makes the command fail, a warning does so under `--strict`."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Finding(NamedTuple):
    """A finding: the message, the field, the object, the position, and a hint how to fix it.

    `rule` is the id of the validation rule that a finding comes from; empty for all others.
    """

    severity: Severity
    reason: Reason
    message: str
    path: Path = ()
    subject: ObjectReference | None = None
    place: Place | None = None
    hint: str = ""
    rule: str = ""

    def __str__(self) -> str:
        where = [str(part) for part in (self.place, self.subject, path_text(self.path)) if part]
        text = ": ".join([*where, self.message])
        return f"{text} ({self.hint})" if self.hint else text


def warning(reason: Reason, message: str, path: Path = (), *, hint: str = "") -> Finding:
    """A warning about a field; the caller that knows the object and the file adds them."""
    return Finding(Severity.WARNING, reason, message, path, hint=hint)


def error(reason: Reason, message: str, path: Path = (), *, hint: str = "") -> Finding:
    """An error about a field; the caller that knows the object and the file adds them."""
    return Finding(Severity.ERROR, reason, message, path, hint=hint)


def as_warning(finding: Finding) -> Finding:
    """The same, as something that does not make the command fail."""
    return finding._replace(severity=Severity.WARNING)


def note(reason: Reason, message: str, path: Path = ()) -> Finding:
    """A finding that asks for nothing."""
    return Finding(Severity.NOTE, reason, message, path)
