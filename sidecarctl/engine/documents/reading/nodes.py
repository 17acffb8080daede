"""The nodes of a text as a table: some bytes for each, where the parser's events take a kilobyte.

A document of many megabytes has millions of them, and an edit needs few. Values are not in the table: nearly all are
what the text says between two places.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, MutableSequence
from sys import intern

from sidecarctl.engine.documents.reading.libyaml import Event

PLAIN, DOUBLE, ALIAS = b'a"*'
QUOTES, BLOCK_SCALARS, SCALARS = b"\"'", b"|>", b"a\"'|>"
MAPPINGS, SEQUENCES, FLOW, BLOCK = b"{M", b"[S", b"{[", b"MS"
COLLECTIONS, ENDS = b"{M[S", b"}]"
"""The kinds of nodes: a letter each, as those of events, and strings of several."""

_CODES = {chr(code): code for code in (*SCALARS, ALIAS, *COLLECTIONS, *ENDS)}
_QUOTED = ('"', "'")
_BLOCK = 1 << 16


class Notes:
    """Texts of some nodes, in order: a dict would take three times as much."""

    def __init__(self) -> None:
        self._nodes = array("I")
        self._texts: list[str] = []

    def add(self, node: int, text: str) -> None:
        """The text of a node that comes after all others which have one."""
        self._nodes.append(node)
        self._texts.append(text)

    def __iter__(self) -> Iterator[int]:
        return iter(self._nodes)

    def __contains__(self, node: int) -> bool:
        return self.get(node) is not None

    def get(self, node: int) -> str | None:
        """The text of a node; None if it has none."""
        at = bisect_left(self._nodes, node)
        return self._texts[at] if self._nodes[at : at + 1] == array("I", [node]) else None

    def items(self) -> Iterator[tuple[int, str]]:
        """The nodes with their texts."""
        return zip(self._nodes, self._texts, strict=True)


class Nodes:
    """The starts and ends of collections, the scalars and aliases of one document, in the order of its text.

    - `kinds`: a letter for each.
    - `starts`: the characters that they begin at, with anchor and tag.
    - `ends`: the characters behind them; of the start of a collection the index of its end.
    - `opened`: the starts of collections whose end is not there yet.
    - `anchors`, `tags`: of those that have one; of an alias the name that it refers to.
    - `noted`: the values of scalars that are not what the text says.
    """

    def __init__(self) -> None:
        self.kinds = bytearray()
        self.starts = array("I")
        self.ends = array("I")
        self.anchors = Notes()
        self.tags = Notes()
        self.noted = Notes()
        self.opened: list[int] = []

    def __len__(self) -> int:
        return len(self.kinds)

    def add(self, kind: int, start: int, end: int) -> int:
        """One more node; its index."""
        index = len(self.kinds)
        self.kinds.append(kind)
        self.starts.append(start)
        self.ends.append(end)
        if kind in COLLECTIONS:
            self.opened.append(index)
        elif kind in ENDS:
            self.ends[self.opened.pop()] = index
        return index

    def last(self, node: int) -> int:
        """The end of a collection; any other node itself."""
        return self.ends[node] if self.kinds[node] in COLLECTIONS else node

    def scalars(self, start: int, end: int, moved: int) -> Iterator["array[int]"]:
        """Where the scalars in a part of the text begin for which anything is written, in order; moved so far.

        Some at a time: those of a long list are millions.
        """
        first, last = bisect_left(self.starts, start), bisect_left(self.starts, end)
        for at in range(first, last, _BLOCK):
            some = slice(at, min(at + _BLOCK, last))
            columns = zip(self.kinds[some], self.starts[some], self.ends[some], strict=True)
            yield array("I", (begin + moved for kind, begin, behind in columns if kind in SCALARS and begin < behind))

    def innermost(self) -> int:
        """The start of the collection that has not ended yet."""
        return self.opened[-1]


def nodes_of(text: str, events: Iterable[Event]) -> Nodes:
    """The nodes of a text, of its events; what `Nodes.add` does is done here for all of them together."""
    nodes = Nodes()
    kinds, starts, ends, opened = nodes.kinds, nodes.starts, nodes.ends, nodes.opened
    index = 0
    for kind, value, anchor, tag, start, end in events:
        code = _CODES.get(kind)
        if code is None:
            continue  # of the stream or the document
        kinds.append(code)
        starts.append(start)
        ends.append(end)
        if value is not None:
            if value != (text[start + 1 : end - 1] if kind in _QUOTED else text[start:end]):
                nodes.noted.add(index, value)
        elif code in COLLECTIONS:
            opened.append(index)
        elif code in ENDS:
            ends[opened.pop()] = index
        if anchor is not None:
            nodes.anchors.add(index, intern(anchor) if code == ALIAS else anchor)
        if tag is not None:
            nodes.tags.add(index, intern(tag))
        index += 1
    return nodes


def note_scalars(events: Iterable[Event], places: MutableSequence[int]) -> None:
    """Note where the scalars among some events begin for which anything is written."""
    places.extend([start for _, value, _, _, start, end in events if value is not None and start < end])
