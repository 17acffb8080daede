"""A JSON list of very many objects, read item by item: only one of them is held at a time.

A dump of a cluster (`kubectl get -o json`) is one JSON object of hundreds of megabytes. Duplicate keys are
not looked for, because that takes longer than all the rest.
"""

import codecs
import json
from collections.abc import Iterable, Iterator
from typing import NoReturn

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.values import Object, Value

_OF_NUMBERS = "0123456789.eE+-"
"""Where one of these follows, or nothing yet, a number may go on in the next block."""
_MANAGED = ' "managedFields": [\n'
_NO_BLANK = frozenset('{}[],:"')
_BLANKS = lazy_pattern(r"[ \t\n\r]*")


class StreamedItem(NamedTuple):
    """An item of a list and its place there; `around` holds the list's own members before its items."""

    value: Value
    place: int
    around: Object


class NotAListError(ValueError):
    """The text is not JSON, or not one object with `items`; it has to be read as a whole."""


def _refuse_constant(word: str) -> NoReturn:
    raise NotAListError(word)  # NaN and Infinity are no JSON


_SCAN = json.JSONDecoder(parse_constant=_refuse_constant).raw_decode


def list_items(blocks: Iterable[bytes], size_limit: int) -> Iterator[StreamedItem]:
    """The items of the lists that a stream consists of, one list after another.

    Raises NotAListError, also after some items have come, where the text is no such list, or an item has more than
    `size_limit` characters.
    """
    window = _Window(blocks, size_limit)
    while window.peek():
        yield from _items_of_list(window)


def _items_of_list(window: "_Window") -> Iterator[StreamedItem]:
    around: Object = {}
    has_items = False
    for key in _members(window):
        if key == "items" and window.peek() == "[":
            has_items = True
            for place, _ in enumerate(_elements(window, "[", "]")):
                yield StreamedItem(window.value(), place, around)
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


class _Window:
    """The part of a stream that is looked at."""

    def __init__(self, blocks: Iterable[bytes], size_limit: int) -> None:
        self._texts = codecs.iterdecode(blocks, "utf-8-sig")
        self._limit = size_limit
        self._text = ""
        self._at = 0

    def peek(self) -> str:
        """The next character that is no blank; empty at the end of the stream."""
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
        """Go past a character that has to come next."""
        if not self.passes(character):
            raise NotAListError(f"expected {character}")

    def passes(self, character: str) -> bool:
        """Go past a character, if it comes next."""
        comes = self.peek() == character
        self._at += comes
        return comes

    def value(self) -> Value:
        """The next value."""
        self.peek()
        wanted = 1
        while True:
            try:
                value, end = _SCAN(self._text, self._at)
            except (ValueError, RecursionError) as fault:
                if isinstance(fault, RecursionError) or not self._extend(wanted):
                    raise NotAListError(str(fault)) from None
            else:
                following = self._text[end : end + 1]
                if (following and following not in _OF_NUMBERS) or not self._extend(1):
                    self._at = end
                    return value
            wanted *= 2  # so that a value of many blocks is not parsed again for each of them

    def _extend(self, blocks: int) -> bool:
        """Look further by some blocks; False at the end of the stream."""
        try:
            more = [text for _, text in zip(range(blocks), self._texts, strict=False)]
        except UnicodeDecodeError as fault:
            raise NotAListError(str(fault)) from None
        self._text = _without_managed_fields(self._text[self._at :] + "".join(more))
        self._at = 0
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
        done = end if is_plain else start
        at = text.find(_MANAGED, done)
    return "".join([*parts, text[done:]]) if parts else text
