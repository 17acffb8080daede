"""The nodes of a text as a table: some bytes for each, where the parser's events take a kilobyte.

A document of many megabytes has millions of them, and an edit needs few. Values are not in the table: nearly all are
what the text says between two places.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, MutableSequence

from sidecarctl.documents.reading.events import (
    AliasEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from sidecarctl.facts.start_up import lazy_pattern

PLAIN, DOUBLE, ALIAS = b'a"*'
QUOTES, BLOCK_SCALARS, SCALARS = b"\"'", b"|>", b"a\"'|>"
MAPPINGS, SEQUENCES, FLOW, BLOCK = b"{M", b"[S", b"{[", b"MS"
COLLECTIONS, ENDS = b"{M[S", b"}]"
"""The kinds of nodes: a letter each, and strings of several."""

_MAPPING_END, _SEQUENCE_END = ENDS
_OPENING = {MappingStartEvent: MAPPINGS, SequenceStartEvent: SEQUENCES}
_CLOSING = {MappingEndEvent: _MAPPING_END, SequenceEndEvent: _SEQUENCE_END}
_TOKEN = lazy_pattern(
    r'[{}\[\]]|"(?:[^"\\]++|\\.)*+"|[^\s,:{}\[\]"]++'
)  # taken but once: to try again would need a stack


class Nodes:
    """The starts and ends of collections, the scalars and aliases of one document, in the order of its text.

    - `kinds`: a letter for each.
    - `starts`: the characters that they begin at, with anchor and tag.
    - `ends`: the characters behind them; of the start of a collection the index of its end.
    - `anchors`, `tags`: of those that have one; of an alias the name that it refers to.
    """

    def __init__(self) -> None:
        self.kinds = bytearray()
        self.starts = array("I")
        self.ends = array("I")
        self.anchors: dict[int, str] = {}
        self.tags: dict[int, str] = {}
        self._open: list[int] = []
        self._noted_at = array("I")
        self._noted: list[str] = []

    def __len__(self) -> int:
        return len(self.kinds)

    def add(self, kind: int, start: int, end: int) -> int:
        """One more node; its index."""
        index = len(self.kinds)
        self.kinds.append(kind)
        self.starts.append(start)
        self.ends.append(end)
        if kind in COLLECTIONS:
            self._open.append(index)
        elif kind in ENDS:
            self.ends[self._open.pop()] = index
        return index

    def last(self, node: int) -> int:
        """The end of a collection; any other node itself."""
        return self.ends[node] if self.kinds[node] in COLLECTIONS else node

    def scalars(self, start: int, end: int) -> Iterator[int]:
        """Where the scalars in a part of the text begin for which anything is written, in order."""
        kinds, starts, ends = self.kinds, self.starts, self.ends
        for index in range(bisect_left(starts, start), bisect_left(starts, end)):
            if kinds[index] in SCALARS and starts[index] < ends[index]:
                yield starts[index]

    def innermost(self) -> int:
        """The start of the collection that has not ended yet."""
        return self._open[-1]

    def note(self, index: int, value: str) -> None:
        """Keep the value of a scalar, which is not what the text says; the last node that was added."""
        self._noted_at.append(index)
        self._noted.append(value)

    def noted(self, index: int) -> str | None:
        """The value of a scalar that was noted."""
        at = bisect_left(self._noted_at, index)
        return self._noted[at] if self._noted_at[at : at + 1] == array("I", [index]) else None


def nodes_of(text: str, events: Iterable[Event]) -> Nodes:
    """The nodes of a text, of its events."""
    nodes = Nodes()
    add = nodes.add
    for event in events:
        kind, start, end = type(event), event.start_mark.index, event.end_mark.index
        if kind is ScalarEvent:
            style, value = event.style, event.value
            if style in ("'", '"'):
                index, written = add(ord(style), start, end), text[start + 1 : end - 1]
            else:
                index, written = add(ord(style) if style else PLAIN, start, end), text[start:end]
            if written != value:
                nodes.note(index, value)
        elif kind in _CLOSING:
            add(_CLOSING[kind], start, end)
            continue
        elif kind in _OPENING:
            index = add(_OPENING[kind][not event.flow_style], start, end)
        elif kind is AliasEvent:
            index = add(ALIAS, start, end)
            nodes.anchors[index] = event.anchor
            continue
        else:
            continue  # of the stream or the document
        if event.anchor is not None:
            nodes.anchors[index] = event.anchor
        if event.ctag is not None:
            nodes.tags[index] = f"{event.ctag}"
    return nodes


def noting_scalars(events: Iterable[Event], places: MutableSequence[int]) -> Iterator[Event]:
    """The same events; the places become those of the scalars among them for which anything is written."""
    del places[:]
    for event in events:
        if type(event) is ScalarEvent and event.start_mark.index < event.end_mark.index:
            places.append(event.start_mark.index)
        yield event


def note_json_scalars(text: str, places: MutableSequence[int]) -> None:
    """Note where the scalars of a faultless JSON text begin."""
    del places[:]
    places.extend(token.start() for token in _TOKEN.finditer(text) if text[token.start()] not in "{}[]")


def json_nodes(text: str) -> Nodes:
    """The nodes of a faultless JSON text, as those of the same text in YAML."""
    import json

    nodes = Nodes()
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        letter = text[start]
        if letter == '"':
            index = nodes.add(DOUBLE, start, end)
            if text.find("\\", start, end) >= 0:
                nodes.note(index, json.loads(token[0]))
        else:
            nodes.add(ord(letter) if letter in "{}[]" else PLAIN, start, end)
    return nodes
