"""The positions of plain block collections in the lines of a text."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence

from sidecarctl.documents.lines.pattern import EMPTY, OPEN, Line
from sidecarctl.facts.paths import Path


class NoNodeError(Exception):
    """There is no block collection at a path, or none that is edited by lines."""


class Node:
    """A block collection: the line of its key or dash (-1 for a document), its first line, the one behind its last.

    `column` is that of its keys or dashes, which are in the lines `starts`: of all `lines` with one at that column.
    """

    __slots__ = ("column", "dashed", "end", "first", "owner", "starts")

    def __init__(self, owner: int, first: int, end: int, column: int, lines: Sequence[int], *, dashed: bool) -> None:
        self.owner = owner
        self.first = first
        self.end = end
        self.column = column
        self.dashed = dashed
        self.starts = lines[bisect_left(lines, first) : bisect_left(lines, end)]


class Nodes:
    """The block collections of a document, found on demand and kept."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self._indents = [line.indent for line in lines]
        self._at_indent = _grouped(self._indents)
        self._at_column = _grouped(line.column for line in lines)
        self._nodes: dict[Path, Node] = {}

    def at(self, path: Path) -> Node:
        """The collection at a path; NoNodeError if there is none in block style."""
        node = self._nodes.get(path)
        if node is None:
            node = self._nodes[path] = self._child(self.at(path[:-1]), path[-1]) if path else self._root()
        return node

    def end(self, node: Node, index: int) -> int:
        """The line after the member or item at a place; trailing comments are not part of it."""
        starts = node.starts
        return self.last(starts[index + 1]) if index + 1 < len(starts) else node.end

    def index(self, node: Node, step: str | int) -> int | None:
        """The place of a key, or of an item, among the others."""
        if isinstance(step, int) or node.dashed:
            return step if isinstance(step, int) and node.dashed else None
        lines = self.lines
        return next((index for index, at in enumerate(node.starts) if lines[at].key == step), None)

    def first_below(self, owner: int) -> int:
        """The next line that is neither blank nor a comment."""
        indents = self._indents
        at = owner + 1
        while at < len(indents) - 1 and indents[at] == EMPTY:
            at += 1
        return at

    def last(self, stop: int) -> int:
        """The line behind the last one before `stop` that is neither blank nor a comment."""
        indents = self._indents
        while stop and indents[stop - 1] == EMPTY:
            stop -= 1
        return stop

    def _root(self) -> Node:
        first = self.first_below(-1)
        return self._node(-1, first, self.last(len(self.lines)))

    def _node(self, owner: int, first: int, end: int) -> Node:
        dashed = self.lines[first].dash
        column = self._indents[first]
        lines = (self._at_indent if dashed else self._at_column)[column]
        return Node(owner, first, end, column, lines, dashed=dashed)

    def _child(self, around: Node, step: str | int) -> Node:
        index = self.index(around, step)
        if index is None or index >= len(around.starts):
            raise NoNodeError
        owner, end = around.starts[index], self.end(around, index)
        line = self.lines[owner]
        if around.dashed and line.key is not None:
            return Node(owner, owner, end, line.column, self._at_column[line.column], dashed=False)
        first = self.first_below(owner)
        if line.kind != OPEN or first >= end:
            raise NoNodeError  # not in block style, or null
        return self._node(owner, first, end)


def _grouped(places: Iterable[int]) -> dict[int, list[int]]:
    """The lines at each place, in order."""
    groups = defaultdict(list)
    for at, place in enumerate(places):
        groups[place].append(at)
    return groups
