"""A document: its text, its value, and the position of each part of the value in the text."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSequence
from functools import cached_property, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from sidecarctl.engine.documents.reading.events import from_events, in_blocks
from sidecarctl.engine.documents.reading.layout import Layout
from sidecarctl.engine.documents.reading.libyaml import Event
from sidecarctl.engine.documents.reading.nodes import nodes_of, note_scalars
from sidecarctl.engine.documents.reading.streams import DEFAULT_LIMITS, Chunk, DocumentLimits
from sidecarctl.engine.documents.reading.text_lines import error_at, place_at, with_last_break
from sidecarctl.engine.documents.reading.values import read_value
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.findings import Place
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Path, Value

if TYPE_CHECKING:
    from sidecarctl.engine.documents.reading.json_text import JsonPlaces

# A byte order mark, at the start of a file or (of a file that was appended) of a later document.
_BEFORE_BOM = lazy_pattern("(?:---[ \t]*(?:#[^\r\n]*)?\r?\n)?\ufeff+")
# A `...` that ends no document, for which the parsers have no event. The lines before it are matched only once
# (`*+`): with CRLF they come apart in two ways each, which would take forever to try.
_LONE_END = lazy_pattern(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n?|\n))*+\.\.\.(?:[ \t][^\r\n]*)?[\r\n]*\Z")
# Of a longer document the events are not held in memory but made again when it has to be edited.
_KEPT_EVENTS = 16_384
_BEFORE_ROOT = 3  # the events of the stream and the document, and the first one of the value


class Document:
    """One document of a stream, never changed.

    `prefix` is a byte order mark (with the marker line before it, if any), `text` what follows; together they
    are the document's text in the file. `value` is None for a document without content. `root` is the character that
    the value begins at, if that is known without a layout.
    """

    def __init__(
        self,
        prefix: str,
        text: str,
        line: int,
        value: Value,
        layout: Callable[[], Layout],
        *,
        is_json: bool = False,
    ) -> None:
        self.prefix = prefix
        self.text = text
        self.line = line
        self.value = value
        self.is_json = is_json
        self._layout = layout
        self.root: int | None = None

    def __getstate__(self) -> dict[str, Any]:
        """What another process gets; it computes positions again when it needs them."""
        return {name: value for name, value in vars(self).items() if name not in {"layout", "_json_places"}}

    @cached_property
    def layout(self) -> Layout:
        """The positions of the parts of the value in the text (which ends with a line break there in any case)."""
        return self._layout()

    @cached_property
    def _json_places(self) -> "JsonPlaces":
        from sidecarctl.engine.documents.reading.json_text import JsonPlaces

        return JsonPlaces(self.text)

    def place(self, path: Path) -> Place:
        """Line and column in the file of the value at a path, or of the nearest value around it."""
        return _further_down(self._place(path), self.line - 1 + self.prefix.count("\n"))

    def _place(self, path: Path) -> Place:
        if self.is_json:
            return self._json_places.place(path)
        if self.root is not None and not path:  # every object is asked for it, and few for the rest of the layout
            return place_at(self.text, self.root)
        return self.layout.place(path)


class GivenNamespace(NamedTuple):
    """The namespace that a deployment gives the objects of a file, and what says so, such as `clusters/eu/shop.yaml`.

    It goes to objects without one; if it `replaces`, to every object that has a namespace.
    """

    name: str
    origin: str
    replaces: bool = False


class Reader(NamedTuple):
    """How documents are read.

    - `scalars`: takes the places of those that are read, if given.
    - `like`: the value that is expected, if any, so that a large one is not held twice.
    - `for_edits`: the documents keep their events, so that those that are edited need not be parsed again.
    - `given`: the namespace of their objects, where they are deployed into another than the text says.
    - `known`: texts that were parsed before, and their documents, whose values nobody changes.
    """

    limits: DocumentLimits = DEFAULT_LIMITS
    scalars: MutableSequence[int] | None = None
    like: Value = None
    for_edits: bool = False
    given: GivenNamespace | None = None
    known: Mapping[Chunk, list[Document]] = {}

    def documents(self, chunk: Chunk) -> list[Document]:
        """The documents of a chunk: one, or several for JSON values one after another.

        Raises InputError with line and column in the file.
        """
        is_plain = self.scalars is None and self.like is None and not self.for_edits
        if is_plain and self.known and (known := self.known.get(chunk)):
            return known
        return self.documents_of(_decoded(chunk), chunk.line)

    def documents_of(self, text: str, line: int = 1) -> list[Document]:
        """The documents of a text; `line` is the number of its first line. InputError for what is no YAML or JSON."""
        before = _BEFORE_BOM.match(text) if "\ufeff" in text else None
        prefix, text = (text[: before.end()], text[before.end() :]) if before else ("", text)
        try:
            if text.lstrip()[:1] in ("{", "["):
                from sidecarctl.engine.documents.reading.json_text import json_comment, note_json_scalars, read_json

                values = read_json(text, self.limits.depth)
                if values is not None:
                    if self.scalars is not None:
                        note_json_scalars(text, self.scalars)
                    return list(_json_documents(prefix, values, line))
                if (comment := json_comment(text, self.limits.depth)) is not None:
                    message = "comments are not allowed in JSON; kubectl rejects them too"
                    raise error_at(Reason.SYNTAX, message, text, comment)
            return [self._parsed(prefix, text, line)]
        except InputError as fault:
            raise _moved(fault, line - 1 + prefix.count("\n")) from None

    def _parsed(self, prefix: str, text: str, line: int) -> Document:
        source = with_last_break(text)
        if "..." in text and _LONE_END.match(text):
            return Document(prefix, text, line, None, partial(_layout, source, ()))

        first_line = line + prefix.count("\n")

        def read(events: Iterator[Event]) -> tuple[Value, list[Event] | None, int | None]:
            looked_at = self._looked_at(source, events)
            most = _KEPT_EVENTS if self.for_edits else _BEFORE_ROOT
            kept = list(islice(looked_at, most))
            root = kept[2][4] if len(kept) > 2 else None
            if len(kept) < most:
                return read_value(source, kept, self.limits, first_line, self.like), kept, root
            rest = chain(_released(kept), looked_at)
            return read_value(source, rest, self.limits, first_line, self.like), None, root

        value, kept, root = from_events(source, read)
        layout = partial(_layout, source, kept) if kept else partial(_layout_again, source)
        document = Document(prefix, text, line, value, layout)
        document.root = root
        return document

    def _looked_at(self, text: str, events: Iterator[Event]) -> Iterator[Event]:
        """The events as they come, checked in passing."""
        has_slashes, places = "\\/" in text, self.scalars
        if not has_slashes and places is None:
            return events
        if places is not None:
            del places[:]  # a text that is read once more, in another way, starts over

        def block_by_block() -> Iterator[list[Event]]:
            for block in in_blocks(events):
                if has_slashes:
                    _refuse_slash_escapes(text, block)
                if places is not None:
                    note_scalars(block, places)
                yield block

        return chain.from_iterable(block_by_block())


def _released(events: list[Event]) -> Iterator[Event]:
    """The events; they are released once all are taken."""
    yield from events
    events.clear()


def _refuse_slash_escapes(text: str, events: Iterable[Event]) -> None:
    """InputError at an escape that JSON and libyaml know, and Kubernetes' YAML does not."""
    for kind, _, _, _, start, end in events:
        if kind == '"' and (found := re.search(r"(?<!\\)(?:\\\\)*(\\/)", text[start:end])):
            message, hint = "Kubernetes rejects the escape \\/ in YAML", "write / without the backslash"
            raise error_at(Reason.SYNTAX, message, text, start + found.start(1), hint=hint)


def _layout(source: str, events: Iterable[Event]) -> Layout:
    return Layout(source, nodes_of(source, events))


def _layout_again(source: str) -> Layout:
    return from_events(source, partial(_layout, source))


def _json_documents(prefix: str, values: Iterable[tuple[str, Value]], line: int) -> Iterator[Document]:
    from sidecarctl.engine.documents.reading.json_text import json_layout  # as above

    for text, value in values:
        yield Document(prefix, text, line, value, partial(json_layout, text), is_json=True)
        line += text.count("\n")
        prefix = ""


# The encodings, in which every other byte of ASCII text is null, or three of four: with a mark, and without.
_MARKS = {b"\xff\xfe\0\0": "UTF-32", b"\0\0\xfe\xff": "UTF-32", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_NULLS = lazy_pattern(
    rb"(?P<UTF_32>[^\0]\0\0\0[^\0]\0\0\0|\0\0\0[^\0]\0\0\0[^\0])|(?P<UTF_16>[^\0]\0[^\0]\0|\0[^\0]\0[^\0])"
)


def _decoded(chunk: Chunk) -> str:
    if encoding := _other_encoding(chunk.data[:8]):
        raise error_at(Reason.NOT_UTF8, f"the file is {encoding}", "", 0, hint="save it as UTF-8")
    try:
        return chunk.data.decode()
    except UnicodeDecodeError as fault:
        at = fault.start
    text, message = chunk.data[:at].decode(), f"the byte 0x{chunk.data[at]:02x} is not valid UTF-8"
    raise _moved(error_at(Reason.NOT_UTF8, message, text, len(text)), chunk.line - 1)


def _other_encoding(start: bytes) -> str:
    """The encoding of a text that is not UTF-8, by its first bytes; empty if they do not show it."""
    if marked := next((name for mark, name in _MARKS.items() if start.startswith(mark)), ""):
        return marked
    found = _NULLS.match(start) if b"\0" in start else None
    return (found.lastgroup or "").replace("_", "-") if found else ""


def _moved(fault: InputError, lines: int) -> InputError:
    """The error, moved further down in the file."""
    return InputError(
        *(
            finding._replace(place=_further_down(finding.place, lines)) if finding.place else finding
            for finding in fault.findings
        )
    )


def _further_down(place: Place, lines: int) -> Place:
    return place._replace(line=(place.line or 1) + lines)
