"""Another value behind a key or a dash of block style."""

from sidecarctl.documents.editing.block_extents import (
    after_header,
    after_properties,
    end_of_lines,
    end_of_value,
    first_line,
)
from sidecarctl.documents.editing.block_styles import BlockContext
from sidecarctl.documents.editing.splices import Splice
from sidecarctl.documents.reading.layout import Layout
from sidecarctl.documents.reading.text_lines import line_start, next_line
from sidecarctl.facts.values import Value


class Exchange:
    """The splices that replace a node after `after`, a `:` or a dash, with a value.

    Comments behind the key stay, those within the old value go with it.
    """

    def __init__(self, layout: Layout, node: int, after: int, context: BlockContext) -> None:
        self.layout = layout
        self.text = layout.text
        self.node = node
        self.after = after
        self.start = layout.start(node)
        self.context = context

    def splices(self, lines: list[str], value: Value) -> list[Splice]:
        """The value's lines; the first is what follows the `:` or the dash, with a blank before it or empty."""
        layout, text, node, after = self.layout, self.text, self.node, self.after
        body = next_line(text, after)
        if layout.is_absent(node):
            return self._by_lines(after, body, body, lines, value)
        if self.start >= body:
            return self._by_lines(after, line_start(text, self.start), end_of_lines(layout, node), lines, value)
        if layout.is_block(node):
            begin, end = first_line(layout, node), end_of_lines(layout, node)
            if begin < body:  # a collection that begins behind its dash
                return [self.context.splice(after, end, self.context.lines(end, lines, value).text)]
            return self._by_lines(after_properties(text, self.start), begin, end, lines, value)
        if layout.is_block_scalar(node):
            head = after_header(layout, node)
            return self._by_lines(head, next_line(text, head), end_of_value(layout, node), lines, value)
        return self._inline(end_of_value(layout, node), lines, value)

    def _by_lines(self, head: int, begin: int, end: int, lines: list[str], value: Value) -> list[Splice]:
        """The first line up to `head`, the others for the lines from `begin` to `end`."""
        first, *below = self.context.settled(lines, value, end)
        splices = [self.context.splice(self.after, head, first), self.context.splice(begin, end, "")]
        return [*splices, *self._below(begin, below)]

    def _inline(self, end: int, lines: list[str], value: Value) -> list[Splice]:
        """The old value is a scalar or in flow style."""
        body = next_line(self.text, end)
        first, *below = self.context.settled(lines, value, body)
        if first:
            return [self.context.splice(self.start, end, first.lstrip(" ")), *self._below(body, below)]
        head, start = self._kept(value)
        comment = _after_blanks(self.text, end)
        is_commented = self.text[comment : comment + 1] == "#"
        gone = (start, comment) if is_commented else (head, end)
        return [self.context.splice(*gone, ""), *self._below(body, below)]

    def _kept(self, value: Value) -> tuple[int, int]:
        """Where what stays in the line ends, and where the old value begins: `&anchor !!map {}` keeps what it has."""
        layout, node = self.layout, self.node
        is_alike = layout.is_mapping(node) if isinstance(value, dict) else layout.is_sequence(node)
        head = after_properties(self.text, self.start) if is_alike else self.start
        return (head, _after_blanks(self.text, head)) if head > self.start else (self.after, self.start)

    def _below(self, at: int, lines: list[str]) -> list[Splice]:
        # What is put behind the member itself, at the same place, comes after the lines of its value.
        return [self.context._replace(depth=self.context.depth + 1).put(at, lines)] if lines else []


def _after_blanks(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    return at
