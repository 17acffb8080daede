"""The lines and block scalars that were read so far: those of manifests repeat, so each text is read once.

What is remembered is bounded by bytes. When it is too much, all is forgotten and learned anew.
"""

from itertools import count

from sidecarctl.documents.lines.block_scalars import block_value
from sidecarctl.documents.lines.pattern import CONTENT, SCALAR, Line, said_by
from sidecarctl.documents.reading.events import Parser

REMEMBERED = 16 * 1024 * 1024
"""Bytes, about: of what is remembered altogether."""
_COST = 400  # bytes that a line takes beside its text


class LineTable:
    """What each text says, and the number of each shape of a line.

    - `lines`: all that were read, by their text.
    - `unchecked_lines`, `unchecked_blocks`: those that the parser has not confirmed yet.
    - `documents`: the shapes of documents that the parser has read, and how many events each of them has.
    """

    def __init__(self, parser: Parser, limit: int = REMEMBERED) -> None:
        self.parser = parser
        self.limit = limit
        self.lines: dict[str, Line] = {}
        self.blocks: dict[str, str] = {}
        self.unchecked_lines: dict[str, Line] = {}
        self.unchecked_blocks: dict[str, tuple[Line, str]] = {}
        self.documents: dict[tuple[int, ...], int] = {}
        self._shapes: dict[tuple[object, ...], int] = {}
        self._numbers = count(1)  # never begun anew: a number means the same shape for ever
        self._size = 0

    def line(self, text: str) -> Line | None:
        """What a line says; None for one that is not read by lines."""
        said = said_by(text, self.parser)
        if said is None:
            return None
        self.take(len(text) + _COST)
        line = said.line._replace(shape=self.shape(said.shape))
        self.lines[text] = self.unchecked_lines[text] = line
        return line

    def block(self, line: Line, text: str, margin: int) -> str | None:
        """What a block scalar says: `text` is that of its first line, with the header, and of all below."""
        value = self.blocks.get(text)
        if value is None:
            value = block_value(line.value, text, margin, self.parser)
            if value is not None:
                self.take(2 * len(text) + _COST)
                self.blocks[text] = value
                self.unchecked_blocks[text] = line, value
        return value

    def content(self, margin: int) -> Line:
        """The line that stands for each line inside a block scalar of that margin."""
        return Line(CONTENT, False, -1, None, SCALAR, None, self.shape((CONTENT, margin)))  # noqa: FBT003

    def shape(self, parts: tuple[object, ...]) -> int:
        """The number of a line's shape."""
        number = self._shapes.get(parts)
        if number is None:
            number = self._shapes[parts] = next(self._numbers)
        return number

    def take(self, size: int) -> None:
        """Make room for so many bytes more."""
        self._size += size
        if self._size > self.limit:
            self.forget()
            self._size = size

    def forget(self) -> None:
        """Know nothing any more."""
        self.lines.clear()
        self.blocks.clear()
        self.unchecked_lines.clear()
        self.unchecked_blocks.clear()
        self.documents.clear()
        self._shapes.clear()
        self._size = 0
