"""A document: its text, its value, and where in the text each part of the value stands."""

import re
from typing import NamedTuple

from sidecarctl.documents.events import DEFAULT_PARSER, Event, Parser, parse
from sidecarctl.documents.json_text import JsonText, json_events, read_json
from sidecarctl.documents.layout import Layout
from sidecarctl.documents.limits import DEFAULT_LIMITS, Limits
from sidecarctl.documents.problems import problem
from sidecarctl.documents.reading import read_value
from sidecarctl.documents.streams import Chunk
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place
from sidecarctl.facts.values import Value

# A byte order mark, at the start of a file or (of a file that was appended) of a later document.
_BEFORE_BOM = re.compile("(?:---[ \t]*(?:#[^\r\n]*)?\r?\n)?\ufeff")


class Document:
    """One document of a stream, never changed.

    `text` is what was parsed, `prefix` a byte order mark in front of it (with the marker line before that, if
    any); together they are the document's text in the file. `value` is None for a document without content.
    """

    def __init__(self, prefix: str, text: str, line: int, value: Value, events: list[Event] | None) -> None:
        self.prefix = prefix
        self.text = text
        self.line = line
        self.value = value
        self.is_json = events is None
        self._events = events
        self._layout: Layout | None = None

    @property
    def layout(self) -> Layout:
        """Where in `text` the parts of the value stand."""
        if self._layout is None:
            self._layout = Layout(self.text, self._events or json_events(self.text))
        return self._layout

    def place(self, path: Path) -> Place:
        """Line and column in the file of the value at a path, or of the nearest value around it."""
        return _further_down(self.layout.place(path), self.line - 1)


class Reader(NamedTuple):
    """How documents are read: with which limits, by which parser."""

    limits: Limits = DEFAULT_LIMITS
    parser: Parser = DEFAULT_PARSER

    def documents(self, chunk: Chunk) -> list[Document]:
        """The documents of a chunk: one, or several for JSON values one after another.

        Raises InputError with line and column in the file.
        """
        return self.documents_of(_decoded(chunk), chunk.line)

    def documents_of(self, text: str, line: int = 1) -> list[Document]:
        """The same for text; `line` is the number of its first line."""
        before = _BEFORE_BOM.match(text)
        prefix, text = (text[: before.end()], text[before.end() :]) if before else ("", text)
        try:
            if text.lstrip()[:1] in ("{", "["):
                values = read_json(text)
                if values is not None:
                    return _json_documents(prefix, values, line)
            events = parse(text, self.limits, self.parser)
            return [Document(prefix, text, line, read_value(text, events, self.limits), events)]
        except InputError as fault:
            raise _moved(fault, line - 1 + prefix.count("\n")) from None


def _json_documents(prefix: str, values: list[JsonText], line: int) -> list[Document]:
    documents = []
    for text, value in values:
        documents.append(Document(prefix, text, line, value, None))
        line += text.count("\n")
        prefix = ""
    return documents


def _decoded(chunk: Chunk) -> str:
    try:
        return chunk.data.decode()
    except UnicodeDecodeError as fault:
        at = fault.start
    if chunk.data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise problem(Reason.NOT_UTF8, "this is UTF-16", "", 0, hint="save it as UTF-8")
    text, message = chunk.data[:at].decode(), f"the byte 0x{chunk.data[at]:02x} is no UTF-8"
    raise _moved(problem(Reason.NOT_UTF8, message, text, len(text)), chunk.line - 1)


def _moved(fault: InputError, lines: int) -> InputError:
    """The same error further down in the file."""
    return InputError(
        *(
            finding._replace(place=_further_down(finding.place, lines)) if finding.place else finding
            for finding in fault.findings
        )
    )


def _further_down(place: Place, lines: int) -> Place:
    return place._replace(line=(place.line or 1) + lines)
