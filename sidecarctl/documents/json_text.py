"""JSON by a JSON parser, far faster than as YAML; events are made of a text that must be edited."""

import json
import re
from typing import NamedTuple

from ruamel.yaml.events import DocumentStartEvent, StreamStartEvent

from sidecarctl.documents.events import (
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from sidecarctl.facts.values import Object, Value

_BLANKS = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(r'[{}\[\]]|"(?:[^"\\]|\\.)*"|[^\s,:{}\[\]"]+')


class JsonText(NamedTuple):
    """One JSON value of a stream: its text, with the blanks around it, and what it says."""

    text: str
    value: Value


def read_json(text: str) -> list[JsonText] | None:
    """The JSON values that a text consists of, one after another; None for a text that is no faultless JSON.

    Such a text is left to the YAML reader, which says what is wrong with it, and where.
    """
    values = []
    start, at = 0, _skip_blanks(text, 0)
    try:
        while at < len(text):
            value, end = _DECODER.raw_decode(text, at)
            at = _skip_blanks(text, end)
            values.append(JsonText(text[start : end if at < len(text) else at], value))
            start = end
    except (ValueError, RecursionError):
        return None
    return values


def json_events(text: str) -> list[Event]:
    """The events of a faultless JSON text, as the YAML parser would give them for it."""
    begin = JsonMark(0)
    events: list[Event] = [StreamStartEvent(begin, begin), DocumentStartEvent(begin, begin)]
    for token in _TOKEN.finditer(text):
        start, end, word = JsonMark(token.start()), JsonMark(token.end()), token[0]
        if word == "{":
            events.append(
                MappingStartEvent(None, None, implicit=True, start_mark=start, end_mark=end, flow_style=True)
            )
        elif word == "[":
            events.append(
                SequenceStartEvent(None, None, implicit=True, start_mark=start, end_mark=end, flow_style=True)
            )
        elif word == "}":
            events.append(MappingEndEvent(start, end))
        elif word == "]":
            events.append(SequenceEndEvent(start, end))
        elif word[0] == '"':
            events.append(ScalarEvent(None, None, (False, True), json.loads(word), start, end, '"'))
        else:
            events.append(ScalarEvent(None, None, (True, False), word, start, end, ""))
    return events


class JsonMark:
    """A position in a JSON text, as far as a layout asks for it."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


def _skip_blanks(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def _without_repeated_keys(pairs: list[tuple[str, Value]]) -> Object:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("repeated key")
    return members


def _refuse_constant(word: str) -> Value:
    raise ValueError(word)  # NaN and Infinity are no JSON


_DECODER = json.JSONDecoder(object_pairs_hook=_without_repeated_keys, parse_constant=_refuse_constant)
