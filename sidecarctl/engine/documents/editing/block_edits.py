"""Edits of block style: whole lines inserted or removed, and values replaced after their key or dash.

New lines follow the last scalar before them, and the comments that are indented deeper than they are, in the
indentation of their siblings; other comments further down stay after them.
"""

from collections.abc import Container, Sequence

from sidecarctl.engine.documents.editing.block_style import (
    Begin,
    BlockContext,
    CannotSpliceError,
    after_blanks,
    after_colon,
    after_comments,
    after_foot,
    after_header,
    after_properties,
    after_step,
    end_of_lines,
    end_of_removal,
    end_of_value,
    first_column,
    first_line,
    item_begin,
    last_leaf,
    member_begin,
)
from sidecarctl.engine.documents.reading.layout import KeyAndValue, Layout
from sidecarctl.engine.documents.reading.text_lines import (
    LINE_BREAK,
    Splice,
    line_start,
    next_line,
    without_last_break,
)
from sidecarctl.engine.documents.writing import item_lines, mapping_lines, value_lines, with_quoted_end
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Changes, Value


class BlockEdits:
    """The splices that change one block collection; CannotSpliceError if it must be rewritten."""

    def __init__(self, layout: Layout, node: int, context: BlockContext) -> None:
        self.layout = layout
        self.node = node
        self.context = context
        self.style = context.style

    def mapping(self, changes: Changes) -> list[Splice]:
        """The changes of a mapping."""
        pairs, members = self.layout.pairs(self.node), self.layout.members(self.node)
        removed = {index for index, pair in enumerate(pairs) if pair.name in changes.removed}
        added = {str(key): value for key, value in changes.values.items() if key not in members}
        if len(removed) == len(pairs) and not added:
            return self._emptied("{}")
        splices = self._removals(removed)
        for key, value in changes.values.items():
            if key in members:
                splices += self._set_member(members[str(key)], value)
        if added:
            column = first_column(self.layout, self.node)
            at = after_comments(self.layout.text, end_of_lines(self.layout, self.node), column)
            splices.append(self.context.lines(at, mapping_lines(added, column, self.style), added))
        return splices

    def sequence(self, changes: Changes) -> list[Splice]:
        """The changes of a sequence."""
        removed = {index for index in changes.removed if isinstance(index, int)}
        if len(removed) == len(self.layout.items(self.node)) and not changes.inserted:
            return self._emptied("[]")
        splices = self._removals(removed, changes.inserted)
        for index, value in changes.values.items():
            splices += self._set_item(int(index), value)
        for index, values in changes.inserted.items():
            splices.append(self._insert(index, values))
        return splices

    def _set_member(self, member: KeyAndValue, value: Value) -> list[Splice]:
        column = first_column(self.layout, self.node)
        lines = value_lines("", value, column, self.style, self._quote(member.value))
        return self._exchange(member.value, after_colon(self.layout, member), lines, value)

    def _set_item(self, index: int, value: Value) -> list[Splice]:
        item, begin = self.layout.items(self.node)[index], self._begin(index)
        quote = self._quote(item)
        if quote and isinstance(value, str):
            lines = value_lines("", value, begin.column, self.style, quote)
        else:
            first, *below = item_lines(value, begin.column, self._width(begin, item), self.style)
            lines = [first[begin.column + 1 :], *below]
        return self._exchange(item, begin.at + 1, lines, value)

    def _exchange(self, node: int, after: int, lines: list[str], value: Value) -> list[Splice]:
        return Exchange(self.layout, node, after, self.context).splices(lines, value)

    def _quote(self, node: int) -> str:
        """The quotes of the old value, if any; the new value keeps them."""
        return self.layout.quote(node)

    def _insert(self, index: int, values: list[Value]) -> Splice:
        items = self.layout.items(self.node)
        sibling = min(index, len(items) - 1)
        begin = self._begin(sibling)
        column, width = begin.column, self._width(begin, items[sibling])
        lines = [line for value in values for line in item_lines(value, column, width, self.style)]
        if index or begin.alone:
            before = end_of_lines(self.layout, items[index - 1]) if index else self._below_head(begin)
            at = after_comments(self.layout.text, before, column)
            is_between = index < len(items)
            return self.context.lines(after_foot(self.layout.text, at) if is_between else at, lines, values)
        text = self.context.lines(next_line(self.layout.text, begin.at), lines, values).text
        return self.context.splice(begin.at, begin.at, text[column:] + " " * column)

    def _below_head(self, begin: Begin) -> int:
        head = self._head()
        return begin.line if head is None else next_line(self.layout.text, head)

    def _width(self, begin: Begin, item: int) -> int:
        """The number of columns between the dash of an item and its text."""
        at, start = begin.at, self.layout.start(item)
        return start - at if start > at + 1 and self.layout.text[at + 1 : start].isspace() else 2

    def _removals(self, removed: set[int], inserted: Container[int] = ()) -> list[Splice]:
        if not removed:
            return []
        self._refuse_to_lengthen_scalars(removed)
        splices: list[Splice] = []
        if 0 in removed and not self._begin(0).alone:
            kept = next((index for index in range(len(removed)) if index not in removed), len(removed))
            if any(index in inserted for index in range(1, kept + 1)):
                raise CannotSpliceError  # the new lines would come between the dash and the text that moves up to it
            up = self._moved_up(kept)
            splices.append(up)
            removed = {index for index in removed if self._begin(index).at >= up.end}
        return [
            *splices,
            *(self.context.splice(self._begin(index).line, self._end(index), "") for index in removed),
        ]

    def _refuse_to_lengthen_scalars(self, removed: set[int]) -> None:
        """Comments after removed text must not become part of a block scalar before it."""
        if not removed:
            return
        children = self._children()
        for index in removed:
            kept = next((before for before in range(index - 1, -1, -1) if before not in removed), None)
            if kept is None:
                continue
            child = children[kept]
            if takes_in(self.layout, child.value if isinstance(child, KeyAndValue) else child, self._end(index)):
                raise CannotSpliceError

    def _moved_up(self, index: int) -> Splice:
        """Removes the text after a dash, up to the member or item that then begins there.

        Comments before that member or item stay in their lines, below the dash.
        """
        if index == len(self._children()):
            raise CannotSpliceError
        text, first, begin = self.layout.text, self._begin(0), self._begin(index)
        ends = [self._end(at) for at in range(index)]
        starts = [self._begin(at).line for at in range(1, index + 1)]
        if not any("#" in text[end:start] for end, start in zip(ends, starts, strict=True)):
            return self.context.splice(first.at, begin.at if begin.line == ends[-1] else ends[-1], "")
        dash = first.line + len(text[first.line : first.at].rstrip(" "))
        return self.context.splice(dash, first.line + len(without_last_break(text[first.line : ends[0]])), "")

    def _emptied(self, empty: str) -> list[Splice]:
        """The empty collection on the owner's line; comments between removed children stay."""
        head, first, last = self._head(), self._begin(0), len(self._children()) - 1
        if head is None:
            raise CannotSpliceError
        if first.alone:
            return [self.context.splice(head, head, f" {empty}"), *self._removals(set(range(last + 1)))]
        end = self._end(last)
        if "#" in self.layout.text[first.at : end]:
            raise CannotSpliceError
        return [self.context.splice(first.at, end, ""), self.context.put(end, [empty])]

    def _head(self) -> int | None:
        """The position after the owner's `:` or dash and the collection's anchor and tag."""
        if self.layout.has_properties(self.node):
            return after_properties(self.layout.text, self.layout.start(self.node))
        return None if self.context.owner is None else after_step(self.layout, *self.context.owner)

    def _children(self) -> Sequence[KeyAndValue] | Sequence[int]:
        return self.layout.pairs(self.node) if self.layout.is_mapping(self.node) else self.layout.items(self.node)

    def _begin(self, index: int) -> Begin:
        if self.layout.is_mapping(self.node):
            return member_begin(self.layout, self.layout.pairs(self.node)[index])
        return item_begin(self.layout, self.node, index)

    def _end(self, index: int) -> int:
        child = self._children()[index]
        return end_of_removal(self.layout, child.value if isinstance(child, KeyAndValue) else child)


class Exchange:
    """The splices that replace a node after `after`, a `:` or a dash, with a value.

    Comments after the key and below the old value stay; comments inside the old value are removed with it. New lines
    come after the comments below that are indented deeper, which would describe a part of the new value otherwise.
    """

    def __init__(self, layout: Layout, node: int, after: int, context: BlockContext) -> None:
        self.layout = layout
        self.text = layout.text
        self.node = node
        self.after = after
        self.start = layout.start(node)
        self.context = context

    def splices(self, lines: list[str], value: Value) -> list[Splice]:
        """The value's lines; the first follows the `:` or the dash, and begins with a blank or is empty."""
        layout, text, node, after = self.layout, self.text, self.node, self.after
        body = next_line(text, after)
        if layout.is_absent(node):
            return self._by_lines(after, body, body, lines, value)
        if self.start >= body:
            begin, end = line_start(text, self.start), end_of_removal(layout, node)
            return [*self._by_lines(after, begin, end, lines, value), *self._indented(end)]
        if layout.is_block(node):
            begin, end = first_line(layout, node), end_of_removal(layout, node)
            if begin < body:  # a collection that begins behind its dash
                return [self.context.splice(after, end, self.context.lines(end, lines, value).text)]
            return self._by_lines(after_properties(text, self.start), begin, end, lines, value)
        if layout.is_block_scalar(node):
            head = after_header(layout, node)
            return self._by_lines(head, next_line(text, head), end_of_value(layout, node), lines, value)
        return self._inline(end_of_value(layout, node), lines, value)

    def _by_lines(self, head: int, begin: int, end: int, lines: list[str], value: Value) -> list[Splice]:
        """The first line up to `head`, the others for the lines from `begin` to `end`."""
        if begin > next_line(self.text, head) and isinstance(value, str):  # what is between would be taken in
            lines = with_quoted_end(lines, value)
        first, *below = self.context.settled(lines, value, end)
        splices = [self.context.splice(self.after, head, first), self.context.splice(begin, end, "")]
        return [*splices, *self._below(end, below)]

    def _inline(self, end: int, lines: list[str], value: Value) -> list[Splice]:
        """The old value is a scalar or in flow style."""
        body, rest = next_line(self.text, end), end_of_removal(self.layout, self.node)
        first, *below = self.context.settled(lines, value, rest)
        column = self.layout.column(self.node)
        if first and value and isinstance(value, dict | list) and after_comments(self.text, rest, column) > rest:
            first, below = "", [" " * column + first.lstrip(" "), *below]  # below the comments, as the other lines
        tabs = [self.context.splice(body, rest, "")] if rest > body else []
        below_it = [*tabs, *self._indented(rest), *self._below(rest, below)]
        if first:
            return [self.context.splice(self.start, end, first.lstrip(" ")), *below_it]
        head, start = self._kept(value)
        comment = after_blanks(self.text, end)
        is_commented = self.text[comment : comment + 1] == "#"
        gone = (start, comment) if is_commented else (head, end)
        return [self.context.splice(*gone, ""), *below_it]

    def _kept(self, value: Value) -> tuple[int, int]:
        """Where the kept part of the line ends, and where the old value begins: `&anchor !!map {}` keeps both."""
        layout, node = self.layout, self.node
        is_alike = layout.is_mapping(node) if isinstance(value, dict) else layout.is_sequence(node)
        head = after_properties(self.text, self.start) if is_alike else self.start
        return (head, after_blanks(self.text, head)) if head > self.start else (self.after, self.start)

    def _indented(self, end: int) -> list[Splice]:
        """Blanks before a comment that a tab indented: below the new value no tab may be."""
        indent = " " * (self.layout.column(self.node) + 1)
        return [self.context.splice(end, end, indent)] if self.text[end - 1] in " \t" else []

    def _below(self, at: int, lines: list[str]) -> list[Splice]:
        if not lines:
            return []
        if self.text[at - 1] in " \t":  # at a comment that a tab indented
            at = next_line(self.text, at)
        at = after_comments(self.text, at, len(lines[0]) - len(lines[0].lstrip(" ")))
        # What is put behind the member itself, at the same place, comes after the lines of its value.
        return [self.context._replace(depth=self.context.depth + 1).put(at, lines)]


_HEADER = lazy_pattern(r"[ \t]*[|>]([0-9+-]*)")
_BLANK_LINE = lazy_pattern(f"([ \t]*)(?:{LINE_BREAK.pattern})")
_COMMENT = lazy_pattern("( *)#")
_CONTENT = lazy_pattern("(?:(?<=[\n\r\x85\u2028\u2029])|\\A)( *)[^ \n\r\x85\u2028\u2029]")


def takes_in(layout: Layout, node: int, at: int) -> bool:
    """Whether the block scalar that a value ends with, if any, would change if that line came right after it."""
    scalar, text = last_leaf(layout, layout.last(node)), layout.text
    if not layout.is_block_scalar(scalar):
        return False
    start = after_properties(text, layout.start(scalar))
    header = _HEADER.match(text, start)
    indicators = header[1] if header else ""
    indent = _indent(layout, scalar, start)
    while blank := _BLANK_LINE.match(text, at):
        if "+" in indicators or "\t" in blank[1] or len(blank[1]) > indent:
            return True
        at = blank.end()
    comment = _COMMENT.match(text, at)
    return comment is not None and len(comment[1]) >= indent


def _indent(layout: Layout, scalar: int, start: int) -> int:
    """How far the lines of a scalar are indented; 1, the minimum, if it has none."""
    written = _CONTENT.search(layout.text, next_line(layout.text, start), end_of_value(layout, scalar))
    meant = _CONTENT.search(layout.value(scalar))
    return len(written[1]) - len(meant[1]) if written and meant else 1
