"""The lines and block scalars that were read so far: those of manifests repeat, so each text is read once.

What is remembered is bounded by bytes. When it is too much, all is forgotten and learned anew.
"""

from itertools import count

from sidecarctl.documents.lines.block_scalars import block_value
from sidecarctl.documents.lines.pattern import CONTENT, LONGEST, NOTHING, SCALAR, KnownLine, Line, said_by
from sidecarctl.documents.reading.events import Parser

REMEMBERED = 16 * 1024 * 1024
"""Bytes, about: of what is remembered altogether."""
_COST = 800  # bytes that a line takes beside its text, with its indentation and without


class LineTable:
    """What each text says, and the number of each shape of a line.

    - `lines`: all that were read, by their text.
    - `unchecked_lines`: those that the parser has not confirmed yet, without their indentation; `unchecked_blocks`.
    - `documents`: the shapes of documents that the parser has read, and how many events each of them has.
    - `generation`: how often all was forgotten; what was read before is not known any more.
    """

    def __init__(self, parser: Parser, limit: int = REMEMBERED) -> None:
        self.parser = parser
        self.limit = limit
        self.generation = 0
        self.lines: dict[str, Line] = {}
        self.blocks: dict[str, str] = {}
        self.unchecked_lines: dict[str, Line] = {}
        self.unchecked_blocks: dict[str, tuple[Line, str]] = {}
        self.documents: dict[tuple[int, ...], int] = {}
        self._said: dict[str, KnownLine] = {}
        self._shapes: dict[tuple[object, ...], int] = {}
        self._numbers = count(1)  # never begun anew: a number means the same shape for ever
        self._size = 0

    def line(self, text: str) -> Line | None:
        """What a line says; None for one that is not read by lines."""
        stripped = text.lstrip(" ") if len(text) <= LONGEST else text
        said = self._said.get(stripped) or said_by(stripped, self.parser)
        if said is None:
            return None
        self._take(2 * len(text) + _COST)
        line = said.line
        if stripped not in self._said:
            self._said[stripped] = said
            self.unchecked_lines[stripped] = line
        if line is not NOTHING:
            indent = len(text) - len(stripped)
            _, dash, column, key, kind, value, _ = line
            line = Line(indent, dash, indent + column, key, kind, value, self._shape((indent, said.shape)))
        self.lines[text] = line
        return line

    def block(self, line: Line, text: str, margin: int) -> str | None:
        """What a block scalar says: `text` is that of its first line, with the header, and of all below."""
        value = self.blocks.get(text)
        if value is None:
            value = block_value(line.value, text, margin, self.parser)
            if value is not None:
                self._take(2 * len(text) + _COST)
                self.blocks[text] = value
                self.unchecked_blocks[text] = line, value
        return value

    def content(self, margin: int) -> Line:
        """The line that stands for each line inside a block scalar of that margin."""
        return Line(CONTENT, False, -1, None, SCALAR, None, self._shape((CONTENT, margin)))  # noqa: FBT003 - a hot path

    def learn(self, shape: tuple[int, ...], events: int) -> None:
        """The parser has read a document of this shape."""
        self._take(8 * len(shape) + _COST)
        self.documents[shape] = events

    def forget(self) -> None:
        """Know nothing any more."""
        self.generation += 1
        self.lines.clear()
        self.blocks.clear()
        self.unchecked_lines.clear()
        self.unchecked_blocks.clear()
        self.documents.clear()
        self._said.clear()
        self._shapes.clear()
        self._size = 0

    def _shape(self, parts: tuple[object, ...]) -> int:
        """The number of a line's shape."""
        number = self._shapes.get(parts)
        if number is None:
            number = self._shapes[parts] = next(self._numbers)
        return number

    def _take(self, size: int) -> None:
        """Make room for so many bytes more, before anything is remembered."""
        if self._size + size > self.limit:
            self.forget()
        self._size += size
