"""Reads a list of very many objects, JSON or YAML, item by item, with only one of them in memory at a time.

A dump of a cluster (`kubectl get -o json`) is one JSON object of hundreds of megabytes.

A YAML list is cut by lines: under `items:` at the margin each line that begins with a dash begins an item, as kubectl
writes them. A text in which such a line means something else does not parse once it is cut, and is then read whole.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.documents.reading.json_text import (
    JSON_BREAK,
    RefusedJsonError,
    exceeds_depth,
    json_layout,
    json_value,
)
from sidecarctl.engine.documents.reading.streams import DocumentLimits, NotAListError
from sidecarctl.engine.documents.reading.text_lines import line_starts
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.findings import Place
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path, Value

_OF_NUMBERS = "0123456789.eE+-"
"""If one of these characters follows, or none, a number may continue in the next block."""
_MANAGED = ' "managedFields": [\n'
_NO_BLANK = frozenset('{}[],:"')
_BLANKS = lazy_pattern(r"[ \t\n\r]*")


class JsonItem(Document):
    """An item of a list as a document; paths begin at the list, as `("items", 3, "metadata")`."""

    def __init__(self, text: str, value: Value, start: "_Position") -> None:
        super().__init__("", text, start.line, value, partial(json_layout, text), is_json=True)
        self._column = start.column

    def place(self, path: Path) -> Place:
        """Line and column in the file of the value at a path, or of the nearest value around it."""
        place = super().place(path[2:])
        return place._replace(column=(place.column or 1) + self._column) if place.line == self.line else place


class StreamedItem(NamedTuple):
    """An item of a list and its place there; `around` holds the list's own members before its items."""

    document: JsonItem
    place: int
    around: Object


def list_items(blocks: Iterable[bytes], limits: DocumentLimits) -> Iterator[StreamedItem]:
    """The items of the lists that a stream consists of, one list after another.

    Raises NotAListError, also after some items have come, where the text is no such list, or an item is larger or
    deeper than the limits allow.
    """
    window = _Window(blocks, limits.size)
    while window.peek():
        yield from _items_of_list(window, limits.depth - 2)  # that of the list around an item and its `items`


def _items_of_list(window: "_Window", depth: int) -> Iterator[StreamedItem]:
    around: Object = {}
    has_items = False
    for key in _members(window):
        if key == "items" and window.peek() == "[":
            has_items = True
            for place, _ in enumerate(_elements(window, "[", "]")):
                yield StreamedItem(window.item(depth), place, around)
        else:
            around[key] = window.value()
    if not has_items or not str(around.get("kind", "")).endswith("List"):
        raise NotAListError("no list")


def _members(window: "_Window") -> Iterator[str]:
    """The keys of an object; the caller reads the value of each."""
    for _ in _elements(window, "{", "}"):
        key = window.value()
        window.expect(":")
        if not isinstance(key, str):
            raise NotAListError("a key must be a string")
        yield key


def _elements(window: "_Window", start: str, end: str) -> Iterator[None]:
    """Stop before each element of an object or list, for the caller to read it."""
    window.expect(start)
    if window.passes(end):
        return
    while True:
        yield
        if window.passes(","):
            continue
        if window.passes(end):
            return
        raise NotAListError("expected ,")


class _Position(NamedTuple):
    """The number of a line, and the characters before a position in it."""

    line: int
    column: int

    def after(self, text: str) -> "_Position":
        """The position behind a text that begins here."""
        breaks = text.count("\n") if "\r" not in text else len(line_starts(text, JSON_BREAK)) - 1
        if not breaks:
            return _Position(self.line, self.column + len(text))
        return _Position(self.line + breaks, len(text) - max(text.rfind("\n"), text.rfind("\r")) - 1)


class _Window:
    """The part of a stream that is looked at; its character `_known` is at `_position` in the file."""

    def __init__(self, blocks: Iterable[bytes], size_limit: int) -> None:
        self._texts = codecs.iterdecode(blocks, "utf-8-sig")
        self._limit = size_limit
        self._text = ""
        self._at = 0
        self._known = 0
        self._position = _Position(1, 0)

    def peek(self) -> str:
        """The next character that is not a blank; empty at the end of the stream."""
        while True:
            if self._text[self._at : self._at + 1] in _NO_BLANK:
                return self._text[self._at]
            blanks = _BLANKS.match(self._text, self._at)
            self._at = blanks.end() if blanks else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._extend(1):
                return ""

    def expect(self, character: str) -> None:
        """Skip a character that must come next."""
        if not self.passes(character):
            raise NotAListError(f"expected {character}")

    def passes(self, character: str) -> bool:
        """Skip a character if it comes next."""
        comes = self.peek() == character
        self._at += comes
        return comes

    def item(self, depth: int) -> JsonItem:
        """The next value with its text and position; NotAListError if it is too large or nested too deep."""
        self.peek()
        start = self._locate(self._at)
        value = self.value()
        text = self._text[self._known : self._at]
        if len(text) > self._limit:
            raise NotAListError("an item is too large")
        if exceeds_depth(text, value, depth):
            raise NotAListError("an item is nested too deep")
        return JsonItem(text, value, start)

    def _locate(self, at: int) -> _Position:
        """Where a character is that is not before the last one that was located."""
        self._position = self._position.after(self._text[self._known : at])
        self._known = at
        return self._position

    def value(self) -> Value:
        """The next value."""
        self.peek()
        wanted = 1
        while True:
            try:
                value, end = json_value(self._text, self._at)
            except (ValueError, RecursionError) as fault:
                if isinstance(fault, RefusedJsonError | RecursionError) or not self._extend(wanted):
                    raise NotAListError(str(fault)) from None
            else:
                following = self._text[end : end + 1]
                if (following and following not in _OF_NUMBERS) or not self._extend(1):
                    self._at = end
                    return value
            wanted *= 2  # so that a value of many blocks is not parsed again for each of them

    def _extend(self, blocks: int) -> bool:
        """Read some more blocks; False at the end of the stream."""
        try:
            more = [text for _, text in zip(range(blocks), self._texts, strict=False)]
        except UnicodeDecodeError as fault:
            raise NotAListError(str(fault)) from None
        done = self._at
        if done > self._known and self._text[done - 1] == "\r":
            done -= 1  # of a line break whose second half may come now
        self._locate(done)
        self._text = _without_managed_fields(self._text[done:] + "".join(more))
        self._at -= done
        self._known = 0
        if len(self._text) > self._limit + (1 << 22):
            raise NotAListError("an item is too large")
        return bool(more)


def _without_managed_fields(text: str) -> str:
    """The text with lists of managed fields emptied, which are half of a dump, and which nothing asks for.

    So far as no list is in them: then the next closing bracket ends them, if it is none of a string. The first
    character of a line is not, because no string of JSON goes over lines.
    """
    at = text.find(_MANAGED)
    parts: list[str] = []
    done = 0
    while at >= 0:
        start = at + len(_MANAGED) - 1
        end = text.find("]", start)
        is_plain = end > 0 and text.find("[", start, end) < 0 and text[text.rfind("\n", at, end) : end].isspace()
        parts.append(text[done:start])
        if is_plain:
            parts.append("\n" * text.count("\n", start, end))  # what follows stays in its line
        done = end if is_plain else start
        at = text.find(_MANAGED, done)
    return "".join([*parts, text[done:]]) if parts else text


_ITEMS = b"items:"
_AT_MARGIN = lazy_pattern(rb"^[^ \n\r#][^\n]*\n?", re.MULTILINE)
_OTHER = (b"---", b"...", b"%", b"\xef\xbb\xbf")


def yaml_list_items(blocks: Iterable[bytes], reader: Reader) -> Iterator[Document]:
    """The items of the list that a stream is: each a document that is a list of this item alone.

    Raises NotAListError, also after some items have come, where the stream is no such list; it may still be YAML.
    """
    around: list[bytes] = []
    item: list[bytes] = []
    line, begin, is_inside, size, lines_around = 1, 0, False, 0, 0
    for run in _runs(blocks):
        if run.startswith(_OTHER):
            raise NotAListError("several documents")
        is_item = run.startswith((b"- ", b"-\n", b"-\r"))
        lines = run.count(b"\n")
        if is_inside and not is_item and run[:1] in b" \n\r#":
            item.append(run)
            size += len(run)
        elif is_inside and is_item:
            yield from _item(item, begin, reader)
            item, begin, size = [run], line, 0
        else:
            if is_inside:
                yield from _item(item, begin, reader)
                item = []
            is_inside = run.rstrip() == _ITEMS
            around.append(b"items: []\n" if is_inside else run)
            begin = line
            lines_around += lines
        line += lines
        if size > reader.limits.size or lines_around > _LINES_AROUND:
            raise NotAListError("not a list of items")
    if is_inside:
        yield from _item(item, begin, reader)
    _check(b"".join(around), reader)


_LINES_AROUND = 1000
"""Lines that may precede and follow the items of a list; a document with other lines is not a list."""


def _item(lines: list[bytes], begin: int, reader: Reader) -> Iterator[Document]:
    """The item of some lines; comments alone are none."""
    try:
        document = reader.documents_of(b"".join(lines).decode(), begin)[0]
    except (InputError, UnicodeDecodeError) as fault:
        raise NotAListError(str(fault)) from None
    if document.value is None:
        return
    if not isinstance(document.value, list) or len(document.value) != 1:
        raise NotAListError("an item is not valid on its own")
    yield document


def _check(around: bytes, reader: Reader) -> None:
    try:
        value = reader.documents_of(around.decode())[0].value
    except (InputError, UnicodeDecodeError) as fault:
        raise NotAListError(str(fault)) from None
    if not isinstance(value, dict) or not str(value.get("kind")).endswith("List") or value.get("items") != []:
        raise NotAListError("no list")


def _runs(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a text: each that begins at the margin, and together those between two of them."""
    held = b""
    for block in blocks:
        text = held + block
        end = text.rfind(b"\n") + 1
        yield from _runs_of(text[:end])
        held = text[end:]
    yield from _runs_of(held)


def _runs_of(lines: bytes) -> Iterator[bytes]:
    at = 0
    for found in _AT_MARGIN.finditer(lines):
        if at < found.start():
            yield lines[at : found.start()]
        yield found[0]
        at = found.end()
    if at < len(lines):
        yield lines[at:]
