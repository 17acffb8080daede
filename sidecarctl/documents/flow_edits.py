"""Edits of flow style and JSON: between brackets, in the way of the siblings."""

import re

from sidecarctl.documents.events import ScalarEvent
from sidecarctl.documents.extents import CannotSpliceError, end_of_value
from sidecarctl.documents.layout import Layout, Member
from sidecarctl.documents.splices import Splice, line_start
from sidecarctl.documents.writing import FlowStyle, flow_member, flow_text
from sidecarctl.facts.values import Value

_COMMA = re.compile(r"\s*,\s*\Z")
_INDENT = re.compile(r"[ \t]*")


class FlowEdits:
    """The splices that change one flow collection that is not empty."""

    def __init__(self, layout: Layout, node: int, depth: int) -> None:
        self.layout = layout
        self.text = layout.text
        self.node = node
        self.depth = depth
        self.is_mapping = layout.is_mapping(node)
        self.spans = self._spans()
        self.style = self._style()

    def add_member(self, key: str, value: Value) -> list[Splice]:
        """A new member behind the last one."""
        end = self.spans[-1][1]
        return [self._splice(end, end, self._comma() + flow_member(key, value, self.style))]

    def set_member(self, member: Member, value: Value) -> list[Splice]:
        """Another value behind a key that is there."""
        return self._exchange(member.value, value)

    def remove_member(self, member: Member, removed: set[int]) -> list[Splice]:
        """A member taken out, with its comma; `removed` are the indices of all that go."""
        return self._remove(self.layout.pairs(self.node).index(member), removed)

    def insert_item(self, index: int, value: Value) -> list[Splice]:
        """A new item before the one with this index."""
        new = flow_text(value, self.style)
        if index:
            end = self.spans[index - 1][1]
            return [self._splice(end, end, self._comma() + new)]
        start = self.spans[0][0]
        return [self._splice(start, start, new + self._comma())]

    def set_item(self, index: int, value: Value) -> list[Splice]:
        """Another item in the place of one that is there."""
        return self._exchange(self.layout.items(self.node)[index], value)

    def remove_item(self, index: int, removed: set[int]) -> list[Splice]:
        """An item taken out, with its comma; `removed` are the indices of all that go."""
        return self._remove(index, removed)

    def _remove(self, index: int, removed: set[int]) -> list[Splice]:
        if removed.issuperset(range(index)):
            return [self._splice(self.spans[index][0], self.spans[index + 1][0], "")]
        return [self._splice(self.spans[index - 1][1], self.spans[index][1], "")]

    def _exchange(self, node: int, value: Value) -> list[Splice]:
        start, end = self.layout.events[node].start_mark.index, end_of_value(self.layout, node)
        if start >= end:
            raise CannotSpliceError(self.node)
        return [self._splice(start, end, flow_text(value, self.style))]

    def _splice(self, start: int, end: int, text: str) -> Splice:
        return Splice(start, end, text, self.depth)

    def _spans(self) -> list[tuple[int, int]]:
        """From where to where each member or item stands."""
        layout = self.layout
        if self.is_mapping:
            pairs = [(member.key, member.value) for member in layout.pairs(self.node)]
        else:
            pairs = [(item, item) for item in layout.items(self.node)]
        return [(layout.events[first].start_mark.index, end_of_value(layout, last)) for first, last in pairs]

    def _comma(self) -> str:
        """What stands between two members or items."""
        if len(self.spans) > 1:
            between = self.text[self.spans[-2][1] : self.spans[-1][0]]
            if _COMMA.match(between):
                return between
        return f",{self._line_break() or self.style.after_comma}"

    def _line_break(self) -> str:
        """The line break and indentation before the first member or item; empty without a break."""
        start = self.spans[0][0]
        begin = line_start(self.text, start)
        if begin <= self.layout.events[self.node].start_mark.index or self.text[begin:start].strip():
            return ""
        break_ = "\r\n" if self.text[begin - 2 : begin] == "\r\n" else self.text[begin - 1]
        return break_ + self.text[begin:start]

    def _style(self) -> FlowStyle:
        events, ends = self.layout.events, self.layout.ends
        inside = range(self.node + 1, ends[self.node])
        quoted = next((events[i].style == '"' for i in inside if events[i].__class__ is ScalarEvent), True)
        after_colon = self._after_colon() if quoted else " "
        line_break = self._line_break()
        collections = [i for i in self._children() if i in ends and ends[i] > i + 1]
        in_lines = any("\n" in self.text[slice(*self._span(i))] for i in collections) or not collections
        return FlowStyle(
            quoted=quoted,
            after_colon=after_colon,
            after_comma=" " if after_colon else "",
            line_break=line_break if in_lines else "",
            step=self._step(line_break),
        )

    def _children(self) -> list[int]:
        if self.is_mapping:
            return [member.value for member in self.layout.pairs(self.node)]
        return self.layout.items(self.node)

    def _span(self, node: int) -> tuple[int, int]:
        return self.layout.events[node].start_mark.index, end_of_value(self.layout, node)

    def _after_colon(self) -> str:
        """What follows the colon of the first member in here, or around here."""
        colon = re.compile(r'":([ ]*)').search(self.text, self.spans[0][0])
        return colon[1] if colon else " "

    def _step(self, line_break: str) -> int:
        begin = line_start(self.text, self.layout.events[self.node].start_mark.index)
        outer = _INDENT.match(self.text, begin)
        inner = len(line_break.lstrip("\r\n"))
        return max(inner - len(outer[0] if outer else ""), 0) or 2
