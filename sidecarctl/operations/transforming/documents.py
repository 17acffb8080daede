"""Transforming a document: run a task on each object, edit the text for all of them, verify the edit."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sidecarctl.changes.difference import difference
from sidecarctl.documents.reading.document import Document, Reader
from sidecarctl.facts.edits import Edit, applied, below
from sidecarctl.facts.errors import SidecarctlError, input_error
from sidecarctl.facts.findings import Finding, Severity, warning
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.placing import placed
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place
from sidecarctl.facts.values import Value
from sidecarctl.inputs.manifest_objects import ManifestObject, objects_of
from sidecarctl.operations.transforming.object_changes import Change, ObjectResult, Outcome, Transform

if TYPE_CHECKING:  # text that does not change is not edited
    from sidecarctl.documents.editing.document_edits import EditedText


class Transformed(NamedTuple):
    """A document after a transformation; `text` is None if nothing changed."""

    text: str | None
    value: Value
    edits: list[Edit]
    objects: list[ObjectResult]


def transformed(
    document: Document, file: str, transform: Transform, reader: Reader, unconfirmed: list[Document] | None = None
) -> Transformed:
    """The document after running the task on each of its objects.

    To `unconfirmed`, if given, goes an unchanged document whose new lines the parser has yet to read: together with
    those of others that takes much less time. Then the caller has to `confirm` it before it uses the result.

    An object that fails stays unchanged, and so do all objects of a document whose text cannot be edited; their
    results have the findings, with file, line and column, and the exit code. InternalFaultError for a document that
    the line reader misread.
    """
    found = list(objects_of(document.value))
    attempts = [attempted(item, transform) for item in found]
    edits = [edit for attempt in attempts for edit in attempt.edits()]
    text, after = None, document.value
    if edits:
        from sidecarctl.documents.editing.document_edits import edited_text
        from sidecarctl.documents.editing.proof import prove

        try:
            after = _value_after(document.value, attempts)
            edited = edited_text(document, edits)
            prove(reader, document, edited.text, after)
            text = edited.text
            if edited.rewritten or edited.written_out:
                attempts = [attempt.warned_of(edited) for attempt in attempts]
        except SidecarctlError as fault:
            text, after, edits = None, document.value, []
            attempts = [attempt.failed(fault) if attempt.change.after else attempt for attempt in attempts]
    elif document.lines is not None:
        if unconfirmed is not None and reader.line_reader.knows_shape(document.lines):
            unconfirmed.append(document)
        else:
            from sidecarctl.documents.editing.proof import confirm

            confirm(reader, document)
    return Transformed(text, after, edits, [attempt.result(document, file) for attempt in attempts])


class Attempt(NamedTuple):
    """An object and the result of the task."""

    found: ManifestObject
    change: Change
    exit_code: int = 0

    def edits(self) -> list[Edit]:
        """What the task changes in the document."""
        if self.change.after is None:
            return []
        return difference(self.found.manifest, self.change.after, self.found.path)

    def failed(self, fault: SidecarctlError) -> "Attempt":
        """The result of an object that failed."""
        return Attempt(self.found, Change(Outcome.FAILED, findings=tuple(fault.findings)), fault.exit_code)

    def warned_of(self, edited: "EditedText") -> "Attempt":
        """The result with warnings about side effects of the edit on the text."""
        size = len(self.found.path)
        rewritten = "rewritten as a whole; comments in it are lost"
        lost = [warning(Reason.BRANCH_REWRITTEN, rewritten, path[size:]) for path in self._own(edited.rewritten)]
        out = "an alias or a merge key is expanded here and cannot be restored"
        expanded = [
            Finding(Severity.NOTE, Reason.NOT_REVERSIBLE, out, path[size:]) for path in self._own(edited.written_out)
        ]
        return self._replace(change=self.change._replace(findings=(*self.change.findings, *lost, *expanded)))

    def _own(self, paths: Iterable[Path]) -> list[Path]:
        return [path for path in paths if below(path, self.found.path)]

    def result(self, document: Document, file: str) -> ObjectResult:
        """The result without the object; it and its findings have file, line and column."""

        def place(path: Path) -> Place:
            return document.place((*self.found.path, *path))._replace(file=file)

        findings = tuple(placed(self.change.findings, self.found.reference, place))
        change = self.change._replace(after=None, findings=findings)
        own_place = None if change.outcome is Outcome.OTHER else place(())
        return ObjectResult(self.found.reference, change, self.exit_code, own_place)


def attempted(found: ManifestObject, transform: Transform) -> Attempt:
    """The result of the task on an object, or why it failed."""
    try:
        return Attempt(found, transform(found))
    except SidecarctlError as fault:
        return Attempt(found, Change(Outcome.FAILED)).failed(fault)
    except RecursionError:
        too_deep = input_error(Reason.TOO_DEEP, "nested too deeply")
        return Attempt(found, Change(Outcome.FAILED)).failed(too_deep)


def _value_after(value: Value, attempts: list[Attempt]) -> Value:
    changed = [attempt for attempt in attempts if attempt.change.after is not None]
    return applied(value, [Edit("set", attempt.found.path, attempt.change.after) for attempt in changed])
