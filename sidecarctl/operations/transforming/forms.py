"""The output forms of a transformed document: the edited text, or another form."""

import json
from collections.abc import Callable, Mapping
from enum import StrEnum

from sidecarctl.documents.reading.document import Document
from sidecarctl.documents.writing.yaml_text import block_text
from sidecarctl.facts.edits import below
from sidecarctl.facts.errors import InternalFaultError
from sidecarctl.facts.findings import error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import ObjectReference
from sidecarctl.facts.values import Object, Value, identical
from sidecarctl.inputs.manifest_objects import objects_of
from sidecarctl.operations.transforming.documents import Transformed
from sidecarctl.operations.transforming.object_changes import Outcome


class Form(StrEnum):
    """The form for stdout. `text` is the edited input text."""

    TEXT = "text"
    YAML = "yaml"
    JSON = "json"
    JSONPATCH = "jsonpatch"
    NAME = "name"


def text_of(document: Document, result: Transformed) -> str:
    """The document's text after the task; the input text if nothing changed."""
    return document.prefix + (document.text if result.text is None else result.text)


def yaml_of(document: Document, result: Transformed) -> str:
    """The same as YAML: JSON becomes block style, YAML keeps its text."""
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
    return "".join(f"{_name(found.reference)}\n" for found in objects_of(result.value))


def _name(reference: ObjectReference) -> str:
    group, _, version = reference.api_version.rpartition("/")
    kind = reference.kind.lower()
    return f"{kind}.{group}/{reference.name}" if group and version else f"{kind}/{reference.name}"


def patches_of(document: Document, result: Transformed, file: str, index: int) -> list[Object]:
    """`{file, index, target, patch}` for each object that the task applies to; `index` is that of the document.

    Paths of a patch begin at the document's root; it is empty if nothing changed. Each patch has been applied to
    verify that it produces the document after the task.
    """
    from sidecarctl.changes.json_patch import json_patch  # few runs ask for patches

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
    import jsonpatch  # not faster than our own edits, but not ours

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
