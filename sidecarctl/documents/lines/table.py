"""The lines and block scalars that were read so far: those of manifests repeat, so each text is read once.

What is remembered is bounded by bytes. When it is too much, all of it is forgotten and learned again.
"""

from itertools import count

from sidecarctl.documents.lines.block_scalars import block_value
from sidecarctl.documents.lines.pattern import BLOCK, CONTENT, LONGEST, NOTHING, SCALAR, KnownLine, Line, said_by
from sidecarctl.documents.lines.skeletons import Skeleton
from sidecarctl.documents.reading.events import Parser

REMEMBERED = 16 * 1024 * 1024
"""Bytes, about: of what is remembered altogether."""
_MANY = 16
"""Documents in a row without a skeleton after which one is looked for only at each of so many."""
_ENOUGH = 8
"""Documents alike after which a skeleton of them is made; that takes as long as reading ten."""
_COST = 800  # bytes that a line takes beside its text, with its indentation and without


class LineTable:
    """What each text says, and the number of each shape of a line.

    - `lines`: all that were read, by their text.
    - `unchecked_lines`: those that the parser has not confirmed yet, without their indentation; `unchecked_blocks`.
    - `documents`: the shapes of documents that the parser has read, and how many events each of them has.
    - `has_headers`: whether a line with the header of a block scalar was ever read.
    - `worth_a_skeleton`: how many documents alike are.
    - `generation`: how often all was forgotten; what was read before is not known any more.
    """

    def __init__(self, parser: Parser, limit: int = REMEMBERED) -> None:
        self.parser = parser
        self.limit = limit
        self.worth_a_skeleton = _ENOUGH
        self.generation = 0
        self.lines: dict[str, Line] = {}
        self.blocks: dict[str, str] = {}
        self.unchecked_lines: dict[str, Line] = {}
        self.unchecked_blocks: dict[str, tuple[Line, str]] = {}
        self.documents: dict[tuple[int, ...], int] = {}
        self.has_headers = False
        self._skeletons: dict[tuple[tuple[int, ...], int], Skeleton] = {}
        self._met: dict[int, int] = {}
        self._misses = 0
        self._said: dict[str, KnownLine] = {}
        self._numbered: dict[tuple[object, ...], int] = {}
        self._numbers = count(1)  # never reset: a number always means the same
        self._size = 0

    def line(self, text: str) -> Line | None:
        """What a line says; None for one that is not read by lines."""
        stripped = text.lstrip(" ") if len(text) <= LONGEST else text
        said = self._said.get(stripped) or said_by(stripped, self.parser)
        if said is None:
            return None
        self._take(2 * len(text) + _COST)
        line = said.line
        self.has_headers |= line.kind == BLOCK
        if stripped not in self._said:
            self._said[stripped] = said
            self.unchecked_lines[stripped] = line
        if line is not NOTHING:
            indent = len(text) - len(stripped)
            _, dash, column, key, kind, value, _, _ = line
            shape = self._number((indent, said.shape))
            line = Line(indent, dash, indent + column, key, kind, value, shape, self._number((shape, key)))
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
        return Line(CONTENT, False, -1, None, SCALAR, None, self._number((CONTENT, margin)))  # noqa: FBT003 - a hot path

    def learn(self, shape: tuple[int, ...], events: int) -> None:
        """The parser has read a document of this shape."""
        self._take(8 * len(shape) + _COST)
        self.documents[shape] = events

    @property
    def is_nearly_full(self) -> bool:
        """Whether little more can be remembered before all is forgotten."""
        return self._size > self.limit * 0.9

    @property
    def has_skeletons(self) -> bool:
        """Whether any was kept."""
        return bool(self._skeletons)

    def may_have_skeleton(self) -> bool:
        """Whether to look for that of a document: after many in a row without one, only now and then."""
        if self._misses < _MANY:
            return bool(self._skeletons)
        self._misses += 1
        return self._misses % _MANY == 0

    def skeleton(self, forms: tuple[int, ...], depth: int) -> Skeleton | None:
        """How the lines of a document come together within a depth, if they have these forms."""
        found = self._skeletons.get((forms, depth))
        self._misses = self._misses + 1 if found is None else 0
        return found

    def is_repeated(self, forms: tuple[int, ...], depth: int) -> bool:
        """Whether most likely there were as many such documents that it is worth while to make a skeleton of them."""
        met = hash((forms, depth))
        times = self._met.get(met, 0) + 1
        if times == 1:
            self._take(_COST // 8)
        self._met[met] = times
        return times >= self.worth_a_skeleton

    def keep(self, forms: tuple[int, ...], depth: int, skeleton: Skeleton) -> None:
        """Keep how they do."""
        self._take(400 * len(forms) + _COST)
        self._skeletons[forms, depth] = skeleton

    def forget(self) -> None:
        """Know nothing any more."""
        self.generation += 1
        self.lines.clear()
        self.blocks.clear()
        self.unchecked_lines.clear()
        self.unchecked_blocks.clear()
        self.documents.clear()
        self._skeletons.clear()
        self._met.clear()
        self._said.clear()
        self._numbered.clear()
        self._size = 0

    def _number(self, parts: tuple[object, ...]) -> int:
        """The number of a line's shape or form, by what it consists of."""
        number = self._numbered.get(parts)
        if number is None:
            number = self._numbered[parts] = next(self._numbers)
        return number

    def _take(self, size: int) -> None:
        """Make room for so many bytes more, before anything is remembered."""
        if self._size + size > self.limit:
            self.forget()
        self._size += size
