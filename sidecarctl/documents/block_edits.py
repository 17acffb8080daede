"""Edits of block style: whole lines put in, taken out, or exchanged behind their key.

New lines stand behind the last scalar of what is before them, in the indentation of their siblings; comments
that trail further down stay behind them.
"""

import re

from sidecarctl.documents.events import ScalarEvent
from sidecarctl.documents.extents import (
    CannotSpliceError,
    after_colon,
    after_properties,
    block_header,
    dash,
    dash_column,
    end_of_lines,
    end_of_value,
    item_width,
    key_column,
    key_line,
)
from sidecarctl.documents.layout import Layout, Member
from sidecarctl.documents.splices import Splice, line_start, new_lines, next_line, rest_of_line
from sidecarctl.documents.writing import BlockStyle, item_lines, member_lines, scalar_text, value_lines
from sidecarctl.facts.values import Value


class BlockEdits:
    """The splices that change one block collection; `style` is how new values below it look."""

    def __init__(self, layout: Layout, node: int, style: BlockStyle, depth: int) -> None:
        self.layout = layout
        self.text = layout.text
        self.node = node
        self.style = style
        self.depth = depth

    def add_member(self, key: str, value: Value) -> list[Splice]:
        """A new member behind the last one."""
        lines = member_lines(key, value, key_column(self.layout, self.node), self.style)
        return self._lines_at(end_of_lines(self.layout, self.node), lines)

    def set_member(self, member: Member, value: Value) -> list[Splice]:
        """Another value behind a key that is there."""
        colon = after_colon(self.layout, self.node, member)
        indent = key_column(self.layout, self.node)
        lines = value_lines("", value, indent, self.style) if value and isinstance(value, dict | list) else []
        return self._exchange(member.value, colon, lines[1:], value)

    def remove_member(self, member: Member) -> list[Splice]:
        """A member taken out, with its line comments."""
        start = key_line(self.layout, self.node, member)
        key = self.layout.events[member.key].start_mark.index
        end = end_of_lines(self.layout, member.value)
        if not self.text[start:key].strip(" "):
            return [self._splice(start, end, "")]
        # The first member of a list's item: the next one moves up behind the dash.
        pairs = self.layout.pairs(self.node)
        if len(pairs) == 1:
            raise CannotSpliceError(self.node)
        return [self._splice(key, self.layout.events[pairs[1].key].start_mark.index, "")]

    def insert_item(self, index: int, value: Value, key: int | None) -> list[Splice]:
        """A new item before the one with this index; `key` is the event of the sequence's own key."""
        layout, node = self.layout, self.node
        width = item_width(layout, node, min(index, len(layout.items(node)) - 1))
        lines = item_lines(value, dash_column(layout, node), width, self.style)
        if index:
            return self._lines_at(end_of_lines(layout, layout.items(node)[index - 1]), lines)
        first = dash(layout, node, 0)
        event = layout.events[node]
        if self.text[line_start(self.text, first) : first].strip(" ") or key is None:
            raise CannotSpliceError(node)
        if event.anchor or event.ctag:
            return self._lines_at(line_start(self.text, first), lines)
        return self._lines_at(next_line(self.text, layout.events[key].end_mark.index), lines)

    def set_item(self, index: int, value: Value) -> list[Splice]:
        """Another value behind a dash that is there."""
        layout = self.layout
        item = layout.items(self.node)[index]
        at = dash(layout, self.node, index)
        if not (value and isinstance(value, dict | list)):
            return self._exchange(item, at + 1, [], value)
        lines = item_lines(value, dash_column(layout, self.node), item_width(layout, self.node, index), self.style)
        start = line_start(self.text, at)
        if self.text[start:at].strip(" "):
            raise CannotSpliceError(self.node)
        end = end_of_lines(layout, item)
        return [self._splice(start, end, ""), *self._lines_at(start, lines)]

    def remove_item(self, index: int) -> list[Splice]:
        """An item taken out, with its line comments."""
        at = dash(self.layout, self.node, index)
        start = line_start(self.text, at)
        if self.text[start:at].strip(" "):
            raise CannotSpliceError(self.node)
        return [self._splice(start, end_of_lines(self.layout, self.layout.items(self.node)[index]), "")]

    def _exchange(self, node: int, after: int, lines: list[str], value: Value) -> list[Splice]:
        """What stands behind `after` (a `:` or a dash) becomes the lines, or without any the inline value."""
        layout, text = self.layout, self.text
        start, end = layout.events[node].start_mark.index, end_of_value(layout, node)
        inline = "" if lines else f" {scalar_text(value)}"
        body = next_line(text, after)
        if node in layout.ends and not layout.is_flow(node):
            head = after_properties(text, start) if start < body else after
            if head == start:
                raise CannotSpliceError(node)
            return self._exchange_lines(after, head, body, end_of_lines(layout, node), inline, lines)
        if layout.is_block_scalar(node):
            head = block_header(layout, node).end()
            return self._exchange_lines(after, head, next_line(text, head), end, inline, lines)
        if end <= after:
            return [self._splice(after, after, inline), *self._lines_below(body, lines)]
        if not lines:
            return [self._splice(start, end, inline[1:])]
        if start < body:
            rest = rest_of_line(text, end)
            comment = rest.lstrip(" \t").startswith("#")
            blanks = len(rest) - len(rest.lstrip(" \t"))
            gone = self._splice(start, end + blanks, "") if comment else self._splice(after, end, "")
            return [gone, *self._lines_below(next_line(text, end), lines)]
        raise CannotSpliceError(node)

    def _exchange_lines(
        self, after: int, head: int, body: int, end: int, inline: str, lines: list[str]
    ) -> list[Splice]:
        """A value of several lines: its anchor or header ends at `head`, its lines reach from body to end."""
        return [
            self._splice(after, head, inline),
            *self._lines_below(body, lines),
            self._splice(body, end, ""),
        ]

    def _lines_at(self, at: int, lines: list[str]) -> list[Splice]:
        return [new_lines(self.text, at, lines, self.depth)]

    def _lines_below(self, at: int, lines: list[str]) -> list[Splice]:
        """The lines of a member's or item's value, which come before what is put behind the member itself."""
        return [new_lines(self.text, at, lines, self.depth + 1)] if lines else []

    def _splice(self, start: int, end: int, text: str) -> Splice:
        return Splice(start, end, text, self.depth)


def block_style(layout: Layout, nodes: list[int]) -> BlockStyle:
    """How the text around a collection indents, as told by the nearest of the nodes on the way to it."""
    step = offset = None
    for node in reversed(nodes):
        if not layout.is_mapping(node) or layout.is_flow(node):
            continue
        column = key_column(layout, node)
        for member in layout.pairs(node):
            if layout.is_flow(member.value) or layout.events[member.value].anchor:
                continue
            if step is None and layout.is_mapping(member.value):
                step = key_column(layout, member.value) - column
            if offset is None and layout.is_sequence(member.value):
                offset = dash_column(layout, member.value) - column
        if step is not None and offset is not None:
            break
    default = BlockStyle()
    return BlockStyle(default.step if step is None else step, default.list_offset if offset is None else offset)


def open_end(layout: Layout) -> list[Splice]:
    """What keeps a block scalar's value when lines are put behind it that had no line break at its end."""
    text = layout.text
    for node in range(len(layout.events) - 1, -1, -1):
        event = layout.events[node]
        if event.__class__ is ScalarEvent:
            header = block_header(layout, node) if layout.is_block_scalar(node) else None
            if header is None or event.end_mark.index < len(text) or event.value.endswith("\n"):
                return []
            return [Splice(header.start(), header.end(), re.sub("[+-]", "", header[0]) + "-", 0)]
    return []
