"""Where the collections of plain block style stand in its lines."""

from collections.abc import Sequence
from typing import NamedTuple

from sidecarctl.documents.lines.pattern import EMPTY, OPEN, Line
from sidecarctl.facts.paths import Path


class NoNodeError(Exception):
    """There is no block collection at a path, or none that is edited by lines."""


class Node(NamedTuple):
    """A block collection: the line of its key or dash (-1 for a document), its first line, the one behind its last.

    `column` is that of its keys or dashes.
    """

    owner: int
    first: int
    end: int
    column: int
    dashed: bool


class Nodes:
    """The block collections of a document, found on demand and kept."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self._keys = [line.key for line in lines]
        self._nodes: dict[Path, Node] = {}
        self._items: dict[Node, list[int]] = {}

    def at(self, path: Path) -> Node:
        """The collection at a path; NoNodeError where there is none in block style."""
        node = self._nodes.get(path)
        if node is None:
            node = self._nodes[path] = self._child(self.at(path[:-1]), path[-1]) if path else self._root()
        return node

    def items(self, node: Node) -> list[int]:
        """The lines with the dashes of a list."""
        items = self._items.get(node)
        if items is None:
            if not node.dashed:
                raise NoNodeError
            lines, column = self.lines, node.column
            items = [at for at in range(node.first, node.end) if lines[at].indent == column]
            self._items[node] = items
        return items

    def member(self, node: Node, key: str) -> int | None:
        """The line of a mapping's key."""
        at = node.first
        try:
            while True:
                at = self._keys.index(key, at, node.end)
                if self.lines[at].column == node.column:
                    return at
                at += 1
        except ValueError:
            return None

    def last(self, owner: int, stop: int) -> int:
        """The line behind the last one before `stop` that is neither blank nor a comment."""
        while stop > owner + 1 and self.lines[stop - 1].indent == EMPTY:
            stop -= 1
        return stop

    def end(self, owner: int, node: Node) -> int:
        """The line behind a member or an item that begins in a line of a collection."""
        lines, column = self.lines, node.column
        for at in range(owner + 1, node.end):
            line = lines[at]
            if -1 < line.indent <= column and (node.dashed or line.column == column):
                return self.last(owner, at)
        return node.end

    def _root(self) -> Node:
        lines = self.lines
        first = next(at for at, line in enumerate(lines) if line.indent >= 0)
        return Node(-1, first, self.last(first, len(lines)), lines[first].indent, lines[first].dash)

    def _child(self, around: Node, step: str | int) -> Node:
        lines = self.lines
        owner = self.items(around)[step] if isinstance(step, int) else self.member(around, step)
        if owner is None:
            raise NoNodeError
        line = lines[owner]
        if isinstance(step, int) and line.key is not None:
            return Node(owner, owner, self.end(owner, around), line.column, dashed=False)
        first = owner + 1
        while first < around.end and lines[first].indent < 0:
            first += 1
        if line.kind != OPEN or first == around.end:
            raise NoNodeError
        start = lines[first]
        if start.indent < around.column or (start.indent == around.column and (around.dashed or not start.dash)):
            raise NoNodeError  # the value is null
        return Node(owner, first, self._behind(first, around.end), start.indent, start.dash)

    def _behind(self, first: int, stop: int) -> int:
        """The line behind a collection that begins in a line, and ends before another at the latest."""
        lines = self.lines
        indent, dash = lines[first].indent, lines[first].dash
        for at in range(first + 1, stop):
            line = lines[at]
            if -1 < line.indent <= indent and (line.indent < indent or (dash and not line.dash)):
                return self.last(first, at)
        return self.last(first, stop)
