"""A document transformed: a task done to each object, the text edited for all of them, the edit proven."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.documents.document import Document, Reader
from sidecarctl.facts.edits import Edit, applied, below
from sidecarctl.facts.errors import SidecarctlError, input_error
from sidecarctl.facts.findings import Finding, Severity, warning
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Value
from sidecarctl.inputs.manifest_objects import ManifestObject, objects_of
from sidecarctl.operations.transforming.object_changes import Change, ObjectReport, Outcome, Transform
from sidecarctl.patches.difference import difference

if TYPE_CHECKING:  # text that does not change is not edited
    from sidecarctl.documents.editing import EditedText


class Transformed(NamedTuple):
    """A document after a task; `text` is None where nothing changed."""

    text: str | None
    value: Value
    edits: list[Edit]
    reports: list[ObjectReport]


def transformed(document: Document, file: str, transform: Transform, reader: Reader) -> Transformed:
    """The document with the task done to each of its objects.

    An object that fails stays as it came, and so do all objects of a document whose text cannot be edited; their
    reports carry the findings, with file, line and column, and the exit code.
    """
    found = list(objects_of(document.value))
    attempts = [attempted(one, transform) for one in found]
    edits = [edit for attempt in attempts for edit in attempt.edits()]
    text, after = None, document.value
    if edits:
        from sidecarctl.documents.editing import edited_text
        from sidecarctl.documents.proof import prove

        try:
            after = _value_after(document.value, attempts)
            edited = edited_text(document, edits)
            prove(reader, document, edited.text, after)
            text = edited.text
            attempts = [attempt.warned_of(edited) for attempt in attempts]
        except SidecarctlError as fault:
            text, after, edits = None, document.value, []
            attempts = [attempt.failed(fault) if attempt.change.after else attempt for attempt in attempts]
    return Transformed(text, after, edits, [attempt.report(document, file) for attempt in attempts])


class Attempt(NamedTuple):
    """An object, and what came of the task."""

    found: ManifestObject
    change: Change
    exit_code: int = 0

    def edits(self) -> list[Edit]:
        """What the task changes in the document."""
        if self.change.after is None:
            return []
        return difference(self.found.manifest, self.change.after, self.found.path)

    def failed(self, fault: SidecarctlError) -> "Attempt":
        """The same object, for which something failed."""
        return Attempt(self.found, Change(Outcome.FAILED, findings=tuple(fault.findings)), fault.exit_code)

    def warned_of(self, edited: "EditedText") -> "Attempt":
        """The same, with what an edit did to its text that a reader may miss."""
        size = len(self.found.path)
        anew = "written anew as a whole; comments in it are lost"
        lost = [warning(Reason.BRANCH_REWRITTEN, anew, path[size:]) for path in self._own(edited.rewritten)]
        out = "an alias or a merge key is written out here; nothing brings it back"
        expanded = [
            Finding(Severity.NOTE, Reason.NOT_REVERSIBLE, out, path[size:]) for path in self._own(edited.written_out)
        ]
        return self._replace(change=self.change._replace(findings=(*self.change.findings, *lost, *expanded)))

    def _own(self, paths: Iterable[Path]) -> list[Path]:
        return [path for path in paths if below(path, self.found.path)]

    def report(self, document: Document, file: str) -> ObjectReport:
        """What there is to say, with file, line and column."""
        subject, path = self.found.reference, self.found.path
        located = tuple(
            finding._replace(
                subject=finding.subject or subject,
                place=finding.place or document.place((*path, *finding.path))._replace(file=file),
            )
            for finding in self.change.findings
        )
        return ObjectReport(subject, self.change._replace(after=None, findings=located), self.exit_code)


def attempted(found: ManifestObject, transform: Transform) -> Attempt:
    """The task done to an object, or why it failed."""
    try:
        return Attempt(found, transform(found))
    except SidecarctlError as fault:
        return Attempt(found, Change(Outcome.FAILED)).failed(fault)
    except RecursionError:
        too_deep = input_error(Reason.TOO_DEEP, "nested too deeply to be worked on")
        return Attempt(found, Change(Outcome.FAILED)).failed(too_deep)


def _value_after(value: Value, attempts: list[Attempt]) -> Value:
    changed = [attempt for attempt in attempts if attempt.change.after is not None]
    return applied(value, [Edit("set", attempt.found.path, attempt.change.after) for attempt in changed])
