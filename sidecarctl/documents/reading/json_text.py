"""JSON by a JSON parser, far faster than as YAML; events are made of a text that must be edited."""

import json
import re
from bisect import bisect
from functools import cached_property

from sidecarctl.documents.reading.events import (
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamStartEvent,
)
from sidecarctl.documents.reading.scalars import float_value
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.values import Object, Value

_BLANKS = lazy_pattern(r"[ \t\n\r]*")
_TOKEN = lazy_pattern(r'[{}\[\]]|"(?:[^"\\]|\\.)*"|[^\s,:{}\[\]"]+')
_SURROGATE = lazy_pattern(r"\\u[dD][89a-fA-F]")


class JsonText(NamedTuple):
    """One JSON value of a stream: its text, with the blanks around it, and its value."""

    text: str
    value: Value


def read_json(text: str, depth: int) -> list[JsonText] | None:
    """The JSON values that a text consists of, one after another; None for a text that is no faultless JSON.

    Such a text, and one that is nested more than `depth` levels deep, is left to the YAML reader, which says
    what is wrong with it, and where.
    """
    values = []
    start, at = 0, skip_blanks(text, 0)
    try:
        while at < len(text):
            value, end = _DECODER.raw_decode(text, at)
            at = skip_blanks(text, end)
            values.append(JsonText(text[start : end if at < len(text) else at], value))
            start = end
        if _SURROGATE.search(text):
            json.dumps([value for _, value in values], ensure_ascii=False).encode()  # fails for half a pair
    except (ValueError, RecursionError):
        return None
    if text.count("{") + text.count("[") > depth and any(_is_deeper(value, depth) for _, value in values):
        return None
    return values


def _is_deeper(value: Value, depth: int) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(depth):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if outer.__class__ is dict else outer)
            if inner.__class__ is dict or inner.__class__ is list
        ]
        if not level:
            return False
    return True


def json_events(text: str) -> list[Event]:
    """The events of a faultless JSON text, as the YAML parser would give them for it."""
    lines = _Lines(text)
    begin = JsonMark(lines, 0)
    events: list[Event] = [StreamStartEvent(begin, begin), DocumentStartEvent(begin, begin)]
    for token in _TOKEN.finditer(text):
        start, end, word = JsonMark(lines, token.start()), JsonMark(lines, token.end()), token[0]
        if word == "{":
            events.append(MappingStartEvent(None, None, True, start, end, True))  # noqa: FBT003  (the library's order)
        elif word == "[":
            events.append(SequenceStartEvent(None, None, True, start, end, True))  # noqa: FBT003  (the library's order)
        elif word == "}":
            events.append(MappingEndEvent(start, end))
        elif word == "]":
            events.append(SequenceEndEvent(start, end))
        elif word[0] == '"':
            events.append(ScalarEvent(None, None, (False, True), json.loads(word), start, end, '"'))
        else:
            events.append(ScalarEvent(None, None, (True, False), word, start, end, ""))
    return events


class _Lines:
    """Where the lines of a text begin, looked up when first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def starts(self) -> list[int]:
        return line_starts(self.text)


class JsonMark:
    """A position in a JSON text, as far as a layout asks for it."""

    __slots__ = ("_lines", "index")

    def __init__(self, lines: _Lines, index: int) -> None:
        self._lines = lines
        self.index = index

    @property
    def line(self) -> int:
        """The line, counted from 0."""
        return bisect(self._lines.starts, self.index) - 1

    @property
    def column(self) -> int:
        """The column, counted from 0."""
        return self.index - self._lines.starts[self.line]


def line_starts(text: str) -> list[int]:
    """Where the lines of a text begin."""
    return [0, *(found.end() for found in re.finditer("\r\n|[\n\r]", text))]


def skip_blanks(text: str, at: int) -> int:
    """Where the blanks from a position on end."""
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def _without_repeated_keys(pairs: list[tuple[str, Value]]) -> Object:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("repeated key")
    return members


def _number(text: str) -> int | float:
    number = float_value(text)
    if number is None:
        raise ValueError(text)  # beyond the range of a float
    return number


def _refuse_constant(word: str) -> Value:
    raise ValueError(word)  # NaN and Infinity are no JSON


_DECODER = json.JSONDecoder(
    object_pairs_hook=_without_repeated_keys, parse_float=_number, parse_constant=_refuse_constant
)
