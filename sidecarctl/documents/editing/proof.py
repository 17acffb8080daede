"""Verification before writing: the edited text is parsed again and must equal the intended value."""

from sidecarctl.documents.reading.document import Document, Reader
from sidecarctl.documents.reading.text_lines import with_last_break
from sidecarctl.facts.errors import InputError, InternalFaultError, impossible
from sidecarctl.facts.findings import error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place
from sidecarctl.facts.values import Value, identical

_REPORT = "please report this with the manifest"

_MOST = 1000
"""Characters of a key that certainly can be read: YAML has them stop, with their quotes, at 1,024."""


def prove(reader: Reader, document: Document, text: str, intended: Value) -> None:
    """Read the text that will replace the document's; InternalFaultError if it is not the intended value.

    The parser reads it, unless it knows the shape and the lines of the text (docs/proof.md).
    """
    if document.lines is not None and not document.prefix:
        reader.note_worth()
        if reader.proofs_by_lines.is_tried() and _proven_by_lines(reader, with_last_break(text), intended):
            return
    try:
        values = [again.value for again in reader.parsed(document.prefix + text)]
    except InputError as fault:
        if longest := _longest_key(intended):
            message = f"a key of {longest:,} characters is too long for a YAML flow mapping"
            hint = f"use at most {_MOST:,} characters; no name in the Kubernetes API is longer than 317"
            raise impossible(Reason.CANNOT_EDIT, message, hint=hint) from fault
        raise _unproven(f"parsing failed: {fault}") from fault
    if len(values) != 1 or not identical(values[0], intended):
        raise _unproven("it parses to a different object")


def _proven_by_lines(reader: Reader, source: str, intended: Value) -> bool:
    """Whether both readers read the intended value; InternalFaultError if only the line reader does."""
    lines = reader.line_reader
    read = lines.read(source, reader.limits.depth, to_keep=False)
    if read is None or not identical(read.value, intended):
        reader.proofs_by_lines.ended(in_vain=True)
        return False
    known = lines.proves(read, source)
    reader.proofs_by_lines.ended(in_vain=not known)
    if not known and not lines.confirms(read, source, reader.limits):
        raise _unproven("the parser and the line reader disagree")
    return True


def confirm(reader: Reader, document: Document) -> None:
    """The same for an unchanged document that the line reader read."""
    read = document.lines
    if read is not None and not reader.confirms(read, with_last_break(document.text)):
        message = "the parser and the line reader disagree about this document"
        raise InternalFaultError(
            error(Reason.UNPROVEN, message, hint=_REPORT)._replace(place=Place("", document.line, 1))
        )


def _longest_key(value: Value) -> int:
    """The length of the longest key that is too long for a flow mapping; 0 if there is none."""
    members = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    own = max(map(len, value), default=0) if isinstance(value, dict) else 0
    return max([own if own > _MOST else 0, *map(_longest_key, members)])


def _unproven(why: str) -> InternalFaultError:
    message = f"the edited text failed verification: {why}"
    return InternalFaultError(error(Reason.UNPROVEN, message, hint=_REPORT))
