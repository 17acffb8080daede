"""A document: its text, its value, and the position of each part of the value in the text."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from itertools import chain, islice
from math import inf
from typing import TYPE_CHECKING

from sidecarctl.documents.reading.events import DEFAULT_PARSER, Event, Parser, from_events
from sidecarctl.documents.reading.layout import Layout
from sidecarctl.documents.reading.limits import DEFAULT_LIMITS, Limits
from sidecarctl.documents.reading.patience import IN_VAIN, LEFT_OUT, Patience
from sidecarctl.documents.reading.problems import problem
from sidecarctl.documents.reading.streams import Chunk
from sidecarctl.documents.reading.text_lines import with_last_break
from sidecarctl.documents.reading.values import read_value
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.paths import Path
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place
from sidecarctl.facts.values import Value

if TYPE_CHECKING:
    from sidecarctl.documents.lines.line_reader import LineReader
    from sidecarctl.documents.lines.read_lines import ReadLines
    from sidecarctl.documents.reading.json_places import JsonPlaces
    from sidecarctl.documents.reading.json_text import JsonText

# A byte order mark, at the start of a file or (of a file that was appended) of a later document.
_BEFORE_BOM = lazy_pattern("(?:---[ \t]*(?:#[^\r\n]*)?\r?\n)?\ufeff+")
# A `...` that ends no document, for which the parsers have no event. The lines before it are taken but once
# (`*+`): with CRLF they come apart in two ways each, which would take forever to try.
_LONE_END = lazy_pattern(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n?|\n))*+\.\.\.(?:[ \t][^\r\n]*)?[\r\n]*\Z")
# Of a longer document the events are not held in memory but made again when it has to be edited.
_KEPT_EVENTS = 16_384
# Characters read before it is worth while to make ready for reading by lines.
_LINES_AFTER = 16_384


class Document:
    """One document of a stream, never changed.

    `prefix` is a byte order mark (with the marker line before it, if any), `text` what follows; together they
    are the document's text in the file. `value` is None for a document without content, `lines` for one that was
    not read by lines.
    """

    def __init__(  # noqa: PLR0913 - all that there is to know of a document
        self,
        prefix: str,
        text: str,
        line: int,
        value: Value,
        layout: Callable[[], Layout],
        *,
        is_json: bool = False,
        lines: "ReadLines | None" = None,
    ) -> None:
        self.prefix = prefix
        self.text = text
        self.line = line
        self.value = value
        self.is_json = is_json
        self.lines = lines
        self._layout = layout

    @cached_property
    def layout(self) -> Layout:
        """The positions of the parts of the value in the text (which ends with a line break there in any case)."""
        return self._layout()

    @cached_property
    def _json_places(self) -> "JsonPlaces":
        from sidecarctl.documents.reading.json_places import JsonPlaces

        return JsonPlaces(self.text)

    def place(self, path: Path) -> Place:
        """Line and column in the file of the value at a path, or of the nearest value around it."""
        place = None
        if self.is_json:
            place = self._json_places.place(path)
        elif self.lines is not None:
            from sidecarctl.documents.lines.places import place_by_lines

            place = place_by_lines(self.lines, path)
        return _further_down(place or self.layout.place(path), self.line - 1 + self.prefix.count("\n"))


# Strings and comments of YAML are matched too, so that what is in them is skipped.
_COMMENT = r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|#[^\n]*|(?<=[\s,{\[\]}])(//|/\*)"


class Reader:
    """How documents are read: with which limits, by which parser, and from how many characters on by lines.

    Only what is long, or many, is read faster by lines than it takes to make ready for that. `proofs_by_lines` says
    whether edited texts are read so, too.
    """

    def __init__(
        self, limits: Limits = DEFAULT_LIMITS, parser: Parser = DEFAULT_PARSER, *, lines_after: float = _LINES_AFTER
    ) -> None:
        self.limits = limits
        self.parser = parser
        self._until_lines = lines_after
        self._in_vain = 0
        self._size_in_vain = 0
        self.proofs_by_lines = Patience()

    def with_limits(self, limits: Limits) -> "Reader":
        """The same with other limits."""
        return Reader(limits, self.parser, lines_after=self._until_lines)

    @cached_property
    def line_reader(self) -> "LineReader":
        """What reads by lines, with all that it has learned so far."""
        from sidecarctl.documents.lines.line_reader import LineReader

        return LineReader(self.parser)

    def documents(self, chunk: Chunk, *, confirmed: bool = True) -> list[Document]:
        """The documents of a chunk: one, or several for JSON values one after another.

        What is read by lines is confirmed by the parser, unless the caller does so itself (`proof`).

        Raises InputError with line and column in the file.
        """
        return self.documents_of(_decoded(chunk), chunk.line, confirmed=confirmed)

    def documents_of(self, text: str, line: int = 1, *, confirmed: bool = True) -> list[Document]:
        """The same for text; `line` is the number of its first line. Raises InputError alike."""
        before = _BEFORE_BOM.match(text) if "\ufeff" in text else None
        prefix, text = (text[: before.end()], text[before.end() :]) if before else ("", text)
        try:
            if text.lstrip()[:1] in ("{", "["):
                from sidecarctl.documents.reading.json_text import read_json

                values = read_json(text, self.limits.depth)
                if values is not None:
                    return _json_documents(prefix, values, line)
                _refuse_json_comments(text)
            if self._until_lines > 0:
                self._until_lines -= len(text)
                return [self._parsed(prefix, text, line)]
            return [self._by_lines(prefix, text, line, confirmed=confirmed)]
        except InputError as fault:
            raise _moved(fault, line - 1 + prefix.count("\n")) from None

    def confirms(self, read: "ReadLines", source: str) -> bool:
        """Whether the parser reads what was read by lines as well, as far as is known, or else as it does now."""
        lines = self.line_reader
        if lines.knows(read):
            self.note_worth()
            return True
        self._in_vain += 1
        self._size_in_vain += len(source)
        if self._in_vain == IN_VAIN:
            self._until_lines = LEFT_OUT * self._size_in_vain
            self.note_worth()
        return lines.confirms(read, source, self.limits)

    def note_worth(self) -> None:
        """A document was read faster by lines than it would have been without."""
        self._in_vain = self._size_in_vain = 0

    def parsed(self, text: str, line: int = 1) -> list[Document]:
        """The documents of a text, by the parser alone. Raises InputError as `documents_of`."""
        return Reader(self.limits, self.parser, lines_after=inf).documents_of(text, line)

    def _by_lines(self, prefix: str, text: str, line: int, *, confirmed: bool) -> Document:
        """The document, by lines if it can be read by them, and is confirmed where that is asked for."""
        source = with_last_break(text)
        read = self.line_reader.read(source, self.limits.depth)
        if read is None or (confirmed and not self.confirms(read, source)):
            return self._parsed(prefix, text, line)
        return Document(prefix, text, line, read.value, partial(_layout_again, source, self.parser), lines=read)

    def _parsed(self, prefix: str, text: str, line: int) -> Document:
        source = with_last_break(text)
        if "..." in text and _LONE_END.match(text):
            return Document(prefix, text, line, None, partial(Layout, source, []))

        first_line = line + prefix.count("\n")

        def read(events: Iterator[Event]) -> tuple[Value, list[Event] | None]:
            kept = list(islice(events, _KEPT_EVENTS))
            if len(kept) < _KEPT_EVENTS:
                return read_value(source, kept, self.limits, first_line), kept
            return read_value(source, chain(kept, events), self.limits, first_line), None

        parser = self.parser if "\\/" not in source else partial(_without_slash_escapes, self.parser)
        value, kept = from_events(source, parser, read)
        if kept:
            return Document(prefix, text, line, value, partial(Layout, source, kept))
        return Document(prefix, text, line, value, partial(_layout_again, source, self.parser))


def _refuse_json_comments(text: str) -> None:
    """InputError for JSON with comments, which YAML takes for parts of keys; kubectl refuses it."""
    found = next((found for found in re.finditer(_COMMENT, text) if found[1]), None)
    if found and text.lstrip()[1:].lstrip()[:1] in ('"', "/"):
        message = "comments are not allowed in JSON; kubectl rejects them too"
        raise problem(Reason.SYNTAX, message, text, found.start(1))


def _without_slash_escapes(parser: Parser, text: str) -> Iterator[Event]:
    """The events; InputError at an escape that JSON and the C parser know, and Kubernetes' YAML does not."""
    for event in parser(text):
        if getattr(event, "style", None) == '"':
            start, end = event.start_mark.index, event.end_mark.index
            if found := re.search(r"(?<!\\)(?:\\\\)*(\\/)", text[start:end]):
                message = "Kubernetes rejects the escape \\/ in YAML"
                raise problem(
                    Reason.SYNTAX, message, text, start + found.start(1), hint="write / without the backslash"
                )
        yield event


def _layout_again(source: str, parser: Parser) -> Layout:
    return Layout(source, from_events(source, parser, list))


def _json_documents(prefix: str, values: "list[JsonText]", line: int) -> list[Document]:
    documents = []
    for text, value in values:
        documents.append(Document(prefix, text, line, value, partial(_json_layout, text), is_json=True))
        line += text.count("\n")
        prefix = ""
    return documents


def _json_layout(text: str) -> Layout:
    from sidecarctl.documents.reading.json_text import json_events

    return Layout(text, json_events(text))


def _decoded(chunk: Chunk) -> str:
    try:
        return chunk.data.decode()
    except UnicodeDecodeError as fault:
        at = fault.start
    if chunk.data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise problem(Reason.NOT_UTF8, "the file is UTF-16", "", 0, hint="save it as UTF-8")
    text, message = chunk.data[:at].decode(), f"the byte 0x{chunk.data[at]:02x} is not valid UTF-8"
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
