"""Transforming a part of a long list: as a list of its items alone, with places and paths as in the whole list."""

from sidecarctl.documents.list_parts import ListPart
from sidecarctl.documents.reading.document import Document
from sidecarctl.facts.errors import InternalFaultError, SidecarctlError, in_file
from sidecarctl.facts.findings import Finding, Place, error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.operations.report import Form, ObjectResult
from sidecarctl.operations.transforming.batches import ChunkResult, Transformation
from sidecarctl.operations.transforming.documents import Transformed, names_of, patches_of, transformed

FORMS = (Form.TEXT, Form.NAME, Form.JSONPATCH)
"""The forms that need not hold the whole list."""


def part_result(part: ListPart, transformation: Transformation, file: str, index: int) -> ChunkResult:
    """The part after the transformation; unchanged if it cannot be read. `index` is that of the list's document."""
    line = part.line - part.lead.count("\n")
    try:
        [document] = transformation.reader.documents_of(part.document, line)
        result = transformed(document, file, transformation.transform, transformation.reader)
    except SidecarctlError as fault:
        failures = tuple(_placed(item, part) for item in in_file(fault.findings, file))
        return ChunkResult(part.data, None, [], [], frozenset(), failures, fault.exit_code)
    return ChunkResult(
        data=_bytes(part, document, result, transformation.form),
        before=None if result.text is None else part.whole(part.text),
        objects=[_in_whole_list(item, part) for item in result.objects],
        patches=_patches(part, document, result, file, index) if transformation.form is Form.JSONPATCH else [],
        kinds=frozenset(("json" if document.is_json else "yaml",)),
    )


def _bytes(part: ListPart, document: Document, result: Transformed, form: Form) -> bytes:
    if form is Form.NAME:
        return names_of(document, result).encode()
    if form is not Form.TEXT:
        return b""
    if result.text is None:
        return part.data
    if not (result.text.startswith(part.lead) and result.text.endswith(part.trail)):
        message = "an edit of an item of a list changed what is around it"
        raise InternalFaultError(error(Reason.UNPROVEN, message, hint="please report this with the manifest"))
    return part.whole(result.text[len(part.lead) : len(result.text) - len(part.trail)]).encode()


def _patches(part: ListPart, document: Document, result: Transformed, file: str, index: int) -> list[Object]:
    """The patches of the objects, whose paths begin at the root of the whole list."""
    made = patches_of(document, result, file, index)
    for operation in (operation for item in made for operation in item["patch"]):
        _, items, place, *rest = operation["path"].split("/")
        operation["path"] = "/".join(["", items, str(int(place) + part.first), *rest])
    return made


def _in_whole_list(result: ObjectResult, part: ListPart) -> ObjectResult:
    """The result with places in the file; lines are counted so already."""
    findings = tuple(_placed(finding, part) for finding in result.change.findings)
    change = result.change._replace(findings=findings)
    return result._replace(change=change, place=_moved(result.place, part))


def _placed(finding: Finding, part: ListPart) -> Finding:
    return finding._replace(place=_moved(finding.place, part))


def _moved(place: Place | None, part: ListPart) -> Place | None:
    """A place in the file; only in the first line of JSON columns are counted from another character."""
    if place is None or place.line != part.line or place.column is None or "\n" in part.lead:
        return place
    return place._replace(column=place.column - len(part.lead) + part.column - 1)
