"""Edits of block style: whole lines put in, taken out, or exchanged behind their key or dash.

New lines follow the last scalar before them, in the indentation of their siblings; comments
that trail further down stay behind them.
"""

from collections.abc import Container

from sidecarctl.documents.editing.block_extents import (
    Begin,
    CannotSpliceError,
    after_colon,
    after_properties,
    after_step,
    end_of_lines,
    first_column,
    item_begin,
    member_begin,
)
from sidecarctl.documents.editing.block_styles import BlockContext
from sidecarctl.documents.editing.collection_changes import Changes
from sidecarctl.documents.editing.splices import Splice
from sidecarctl.documents.reading.layout import KeyAndValue, Layout
from sidecarctl.documents.reading.text_lines import next_line
from sidecarctl.documents.writing.yaml_text import item_lines, mapping_lines, value_lines
from sidecarctl.facts.values import Value


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
            lines = mapping_lines(added, first_column(self.layout, self.node), self.style)
            splices.append(self.context.lines(end_of_lines(self.layout, self.node), lines, added))
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
        from sidecarctl.documents.editing.block_replacements import Exchange

        return Exchange(self.layout, node, after, self.context).splices(lines, value)

    def _quote(self, node: int) -> str:
        """The quotes of the old value, if any; the new value keeps them."""
        style = getattr(self.layout.events[node], "style", None)
        return style if style in ("'", '"') else ""

    def _insert(self, index: int, values: list[Value]) -> Splice:
        items = self.layout.items(self.node)
        sibling = min(index, len(items) - 1)
        begin = self._begin(sibling)
        column, width = begin.column, self._width(begin, items[sibling])
        lines = [line for value in values for line in item_lines(value, column, width, self.style)]
        if index:
            return self.context.lines(end_of_lines(self.layout, items[index - 1]), lines, values)
        if begin.alone:
            head = self._head()
            at = begin.line if head is None else next_line(self.layout.text, head)
            return self.context.lines(at, lines, values)
        text = self.context.lines(next_line(self.layout.text, begin.at), lines, values).text
        return self.context.splice(begin.at, begin.at, text[column:] + " " * column)

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
            splices.append(self._moved_up(kept))
            removed = removed.difference(range(kept))
        return [
            *splices,
            *(self.context.splice(self._begin(index).line, self._end(index), "") for index in removed),
        ]

    def _refuse_to_lengthen_scalars(self, removed: set[int]) -> None:
        """Comments behind what is taken out must not become part of a block scalar before it."""
        if not removed:
            return
        from sidecarctl.documents.editing.block_scalars import takes_in

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

        Comments before that one stay, and keep it in its own line.
        """
        if index == len(self._children()):
            raise CannotSpliceError
        first, begin, end = self._begin(0), self._begin(index), self._end(index - 1)
        return self.context.splice(first.at, begin.at if begin.line == end else end, "")

    def _emptied(self, empty: str) -> list[Splice]:
        """The empty collection in the owner's line; comments between what is taken out stay."""
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
        """The place behind the owner's `:` or dash and the collection's anchor and tag."""
        event = self.layout.events[self.node]
        if event.anchor is not None or event.ctag is not None:
            return after_properties(self.layout.text, self.layout.start(self.node))
        return None if self.context.owner is None else after_step(self.layout, *self.context.owner)

    def _children(self) -> list[KeyAndValue] | list[int]:
        return self.layout.pairs(self.node) if self.layout.is_mapping(self.node) else self.layout.items(self.node)

    def _begin(self, index: int) -> Begin:
        if self.layout.is_mapping(self.node):
            return member_begin(self.layout, self.layout.pairs(self.node)[index])
        return item_begin(self.layout, self.node, index)

    def _end(self, index: int) -> int:
        child = self._children()[index]
        return end_of_lines(self.layout, child.value if isinstance(child, KeyAndValue) else child)
