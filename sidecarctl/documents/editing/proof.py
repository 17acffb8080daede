"""Proof before anything is written: the edited text is read again and must be the intended value."""

from sidecarctl.documents.lines.read_lines import ReadLines
from sidecarctl.documents.reading.document import Document, Reader
from sidecarctl.documents.reading.text_lines import with_last_break
from sidecarctl.facts.errors import InputError, InternalFaultError
from sidecarctl.facts.findings import error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Value, identical


def prove(reader: Reader, document: Document, text: str, intended: Value) -> None:
    """Read the text that shall replace the document's; InternalFaultError where it is not the intended value.

    By the parser, unless that knows shape and lines of the text (docs/proof.md).
    """
    source = with_last_break(text)
    if document.lines is not None and not document.prefix:
        read = reader.line_reader.read(source, reader.limits.depth)
        if read is not None and identical(read.value, intended):
            _confirm(reader, read, source, known=reader.line_reader.proves(read, source))
            return
    try:
        values = [again.value for again in reader.parsed(document.prefix + text)]
    except InputError as fault:
        raise _unproven(f"it cannot be read: {fault}") from fault
    if len(values) != 1 or not identical(values[0], intended):
        raise _unproven("it reads as something else")


def confirm(reader: Reader, document: Document) -> None:
    """The same for a document that stays as it came, where it was read by lines."""
    if read := document.lines:
        _confirm(reader, read, with_last_break(document.text), known=reader.line_reader.knows(read))


def _confirm(reader: Reader, read: ReadLines, source: str, *, known: bool) -> None:
    if not known and not reader.line_reader.confirms(read, source, reader.limits):
        raise _unproven("its lines read as something else")


def _unproven(why: str) -> InternalFaultError:
    message = f"the edited text is not what it should be: {why}"
    return InternalFaultError(error(Reason.UNPROVEN, message, hint="please report this, with the manifest"))
