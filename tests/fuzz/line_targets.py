"""What is tried on texts that are read by lines: the parser reads them alike, edits are alike, known shapes hold."""

import random
from functools import cache
from math import inf

from sidecarctl.documents.editing.document_edits import edited_text
from sidecarctl.documents.editing.line_edits import edited_by_lines
from sidecarctl.documents.lines.line_reader import LineReader
from sidecarctl.documents.lines.places import place_by_lines
from sidecarctl.documents.lines.read_lines import ReadLines
from sidecarctl.documents.reading.document import Reader
from sidecarctl.documents.reading.events import c_parser, event_count
from sidecarctl.documents.reading.limits import DEFAULT_LIMITS
from sidecarctl.documents.reading.streams import split
from sidecarctl.documents.reading.text_lines import with_last_break
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.values import identical
from tests.documents.lines.random_line_edits import random_edits
from tests.documents.random_edits import collections
from tests.fuzz.mutations import mutated

_SIZE = 1 << 16
_PARSER = Reader(parser=c_parser, lines_after=inf)
_TRIES = 5
_UNTIL_KEPT = 3
"""How often a text of a known shape is read until it is by what was kept of how its lines come together."""


def lines(data: bytes) -> None:
    """What is accepted reads as the parser reads it."""
    for text in _texts(data):
        if read := _reader().read(with_last_break(text), DEFAULT_LIMITS.depth):
            _compare(read, text)


def line_places(data: bytes) -> None:
    """Values stand where the parser's events say."""
    for text in _texts(data):
        if read := _reader().read(with_last_break(text), DEFAULT_LIMITS.depth):
            layout = _PARSER.documents_of(text)[0].layout
            for path, inner in collections(read.value):
                steps = inner if isinstance(inner, dict) else range(len(inner) + 1)
                for further in (path, *((*path, step) for step in steps), (*path, "missing", 0)):
                    place = place_by_lines(read, further)
                    assert place in (None, layout.place(further)), further


def line_edits(data: bytes) -> None:
    """Edits by lines make the text that edits by events make."""
    for text in _texts(data):
        chance = random.Random(data)  # noqa: S311 - the same edits for the same text
        for _ in range(_TRIES):  # at first line by line, then by what was kept of how the lines come together
            read = _reader().read(with_last_break(text), DEFAULT_LIMITS.depth)
            edits = random_edits(read.value, chance) if read else []
            by_lines = edited_by_lines(read, edits) if read and edits else None
            if by_lines is not None:
                document = _PARSER.documents_of(text)[0]
                whole = by_lines if text.endswith("\n") else by_lines.removesuffix("\n")
                assert edited_text(document, edits).text == whole, edits


def line_shapes(data: bytes) -> None:
    """Texts of a shape that the parser has read, whose lines it has read, are read the same as a whole."""
    reader = _reader()
    chance = random.Random(data)  # noqa: S311 - the same variants for the same text
    for text in _texts(data):
        source = with_last_break(text)
        if read := reader.read(source, DEFAULT_LIMITS.depth):
            assert reader.confirms(read, source, DEFAULT_LIMITS)
            for _ in range(_TRIES):
                for variant in _texts(mutated(data, chance)):
                    _try_known(reader, variant)


def _try_known(reader: LineReader, text: str) -> None:
    source = with_last_break(text)
    for _ in range(_UNTIL_KEPT):
        read = reader.read(source, DEFAULT_LIMITS.depth)
        if read and reader.knows(read):
            _compare(read, text)
            assert event_count(source) == reader.table.documents[read.shape]


def _compare(read: ReadLines, text: str) -> None:
    (document,) = _PARSER.documents_of(text)  # an InputError here is a text that only lines accept
    assert identical(read.value, document.value)


def _texts(data: bytes) -> list[str]:
    try:
        return [chunk.data.decode() for chunk in split([data], _SIZE)]
    except (InputError, UnicodeDecodeError):
        return []


@cache
def _reader() -> LineReader:
    reader = LineReader(c_parser)
    reader.table.worth_a_skeleton = 2
    return reader
