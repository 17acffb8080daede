"""Proof before anything is written: the edited text is read again and must be the intended value."""

from sidecarctl.documents.reading.document import Document, Reader
from sidecarctl.documents.reading.text_lines import with_last_break
from sidecarctl.facts.errors import InputError, InternalFaultError
from sidecarctl.facts.findings import error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place
from sidecarctl.facts.values import Value, identical

_REPORT = "please report this, with the manifest"


def prove(reader: Reader, document: Document, text: str, intended: Value) -> None:
    """Read the text that shall replace the document's; InternalFaultError where it is not the intended value.

    By the parser, unless that knows shape and lines of the text (docs/proof.md).
    """
    source = with_last_break(text)
    if document.lines is not None and not document.prefix:
        read = reader.line_reader.read(source, reader.limits.depth, to_keep=False)
        if read is not None and identical(read.value, intended):
            lines = reader.line_reader
            if lines.proves(read, source) or lines.confirms(read, source, reader.limits):
                return
            raise _unproven("the parser reads it otherwise than its lines were read")
    try:
        values = [again.value for again in reader.parsed(document.prefix + text)]
    except InputError as fault:
        raise _unproven(f"it cannot be read: {fault}") from fault
    if len(values) != 1 or not identical(values[0], intended):
        raise _unproven("it reads as something else")


def confirm(reader: Reader, document: Document) -> None:
    """The same for a document that stays as it came, where it was read by lines."""
    read = document.lines
    if read is None or reader.line_reader.knows(read):
        return
    if not reader.line_reader.confirms(read, with_last_break(document.text), reader.limits):
        message = "the parser reads this document otherwise than its lines were read"
        raise InternalFaultError(
            error(Reason.UNPROVEN, message, hint=_REPORT)._replace(place=Place("", document.line, 1))
        )


def _unproven(why: str) -> InternalFaultError:
    message = f"the edited text is not what it should be: {why}"
    return InternalFaultError(error(Reason.UNPROVEN, message, hint=_REPORT))
