"""Transforming a document: run a task on each object, edit the text for all of them, verify and print the edit."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.engine.changes import difference, json_patch
from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.documents.writing import block_text
from sidecarctl.engine.facts.errors import InternalFaultError, SidecarctlError, input_error, placed
from sidecarctl.engine.facts.findings import Finding, ObjectReference, Severity, error, shown, warning
from sidecarctl.engine.facts.memory import LARGE, with_room_left
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Edit, Object, Path, Value, applied, below, identical
from sidecarctl.engine.inputs.objects import ManifestObject, in_namespace, objects_of
from sidecarctl.engine.report import Form, ObjectChange, ObjectResult, Outcome, Transform
from sidecarctl.engine.sidecarset.world import Located

if TYPE_CHECKING:  # text that does not change is not edited
    from sidecarctl.engine.documents.editing.document_edits import EditedText


class Transformed(NamedTuple):
    """A document after a transformation; `text` is None if nothing changed."""

    text: str | None
    value: Value
    edits: list[Edit]
    objects: list[ObjectResult]


def transformed(
    document: Document, file: str, transform: Transform, reader: Reader, *, proves: bool = True
) -> Transformed:
    """The document after running the task on each of its objects; `proves`: for a text that will be written.

    An object that fails stays unchanged, and so do all objects of a document whose text cannot be edited; their
    results have the findings, with file, line and column, and the exit code.
    """
    found = [in_namespace(item, reader.given) for item in objects_of(document.value)]
    watched = with_room_left if len(document.text) >= LARGE else iter
    attempts = [attempted(item, transform) for item in watched(found)]
    edits = [edit for attempt in watched(attempts) for edit in attempt.edits()]
    text, after = None, document.value
    if edits:
        from sidecarctl.engine.documents.editing.document_edits import edited_text, prove, refuse_uneditable

        try:
            after = value_after(document.value, attempts)
            edited = edited_text(document, edits)
            if proves:
                prove(reader, document, edited, after)
            else:
                refuse_uneditable(reader, document, edited, after, edits)
            text = edited.text
            if edited.rewritten or edited.written_out:
                attempts = [attempt.warned_of(edited) for attempt in attempts]
        except SidecarctlError as fault:
            text, after, edits = None, document.value, []
            attempts = [attempt.failed(fault) if attempt.change.after else attempt for attempt in attempts]
    return Transformed(text, after, edits, [attempt.result(document, file) for attempt in attempts])


class Attempt(NamedTuple):
    """An object and the result of the task."""

    found: ManifestObject
    change: ObjectChange
    exit_code: int = 0

    def edits(self) -> list[Edit]:
        """What the task changes in the document."""
        if self.change.after is None:
            return []
        return difference(self.found.manifest, self.change.after, self.found.path)

    def failed(self, fault: SidecarctlError) -> "Attempt":
        """The result of an object that failed."""
        return Attempt(self.found, ObjectChange(Outcome.FAILED, findings=tuple(fault.findings)), fault.exit_code)

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
        place = Located(self.found.manifest, self.found.reference, file, document, self.found.path).place
        findings = tuple(placed(self.change.findings, self.found.reference, place))
        change = self.change._replace(after=None, findings=findings)
        own_place = None if change.outcome is Outcome.OTHER else place(())
        return ObjectResult(self.found.reference, change, self.exit_code, own_place)


def attempted(found: ManifestObject, transform: Transform) -> Attempt:
    """The result of the task on an object, or why it failed."""
    try:
        return Attempt(found, transform(found))
    except SidecarctlError as fault:
        return Attempt(found, ObjectChange(Outcome.FAILED)).failed(fault)
    except RecursionError:
        too_deep = input_error(Reason.TOO_DEEP, "nested too deeply")
        return Attempt(found, ObjectChange(Outcome.FAILED)).failed(too_deep)


def value_after(value: Value, attempts: Iterable[Attempt]) -> Value:
    """The value of a document with the objects as they are after their attempts."""
    changed = [attempt for attempt in attempts if attempt.change.after is not None]
    return applied(value, [Edit("set", attempt.found.path, attempt.change.after) for attempt in changed])


def text_of(document: Document, result: Transformed) -> str:
    """The document's text after the task; the input text if nothing changed."""
    return document.prefix + (document.text if result.text is None else result.text)


def yaml_of(document: Document, result: Transformed) -> str:
    """The result as YAML: JSON becomes block style, YAML keeps its text."""
    if not document.is_json:
        return text_of(document, result)
    return "---\n" + block_text(result.value)


def json_of(document: Document, result: Transformed) -> str:
    """The document's value as JSON; nothing for an empty document."""
    del document
    return "" if result.value is None else json.dumps(result.value, indent=4, ensure_ascii=False) + "\n"


def names_of(document: Document, result: Transformed) -> str:
    """The name of each object, one per line, as kubectl prints it: `deployment.apps/web`."""
    del document
    return "".join(f"{shown(_name(found.reference))}\n" for found in objects_of(result.value))


def _name(reference: ObjectReference) -> str:
    group, _, version = reference.api_version.rpartition("/")
    kind = reference.kind.lower()
    return f"{kind}.{group}/{reference.name}" if group and version else f"{kind}/{reference.name}"


def patches_of(document: Document, result: Transformed, file: str, index: int) -> list[Object]:
    """`{file, index, target, patch}` for each object that the task applies to; `index` is that of the document.

    Paths of a patch begin at the document's root; it is empty if nothing changed. Each patch has been applied to
    verify that it produces the document after the task.
    """
    patches: list[Object] = []
    for found, own_result in zip(objects_of(document.value), result.objects, strict=True):
        if own_result.change.outcome is not Outcome.OTHER:
            own = [edit for edit in result.edits if below(edit.path, found.path)]
            target = {"apiVersion": found.reference.api_version, "kind": found.reference.kind}
            target |= {"namespace": found.reference.namespace} if found.reference.namespace else {}
            target |= {"name": found.reference.name}
            patches.append({"file": file, "index": index, "target": target, "patch": json_patch(document.value, own)})
    _prove([operation for patch in patches for operation in patch["patch"]], document.value, result.value)
    return patches


def _prove(patch: list[Object], before: Value, after: Value) -> None:
    """Apply a patch as others will; InternalFaultError if it does not produce the value after the task."""
    import jsonpatch  # not faster than our own edits, but an independent check

    apart = json.loads(json.dumps(before))  # an alias is the same object as its anchor, and would change too
    if patch and not identical(jsonpatch.apply_patch(apart, patch), after):
        message = "the JSON patch does not produce the expected result"
        raise InternalFaultError(error(Reason.UNPROVEN, message, hint="please report this with the manifest"))


WRITTEN: Mapping[Form, Callable[[Document, Transformed], str]] = {
    Form.TEXT: text_of,
    Form.YAML: yaml_of,
    Form.JSON: json_of,
    Form.NAME: names_of,
}
"""The writer of each form; JSON patches are not per document."""
