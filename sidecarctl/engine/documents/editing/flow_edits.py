"""Edits of flow style and JSON: between brackets, in the style of the siblings; values in place of aliases."""

from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from sidecarctl.engine.documents.editing.block_style import (
    CannotSpliceError,
    after_gap,
    after_properties,
    end_of_value,
)
from sidecarctl.engine.documents.editing.flow_entries import FlowEntries
from sidecarctl.engine.documents.reading.layout import Layout
from sidecarctl.engine.documents.reading.text_lines import LINE_BREAK, Splice, line_start
from sidecarctl.engine.documents.reading.values import anchored_values
from sidecarctl.engine.documents.writing import is_plain, json_string, number_text
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Changes, Value

# No colon at all: the parsers differ about it.
_PLAIN_IN_FLOW = lazy_pattern(r"[A-Za-z/_$][A-Za-z0-9_./$()@%+=-]*\Z")
_COMMA = lazy_pattern(r"\s*,\s*\Z")
_BLANK = lazy_pattern(f"[ \t]|{LINE_BREAK.pattern}")
_INDENT = lazy_pattern(r"[ \t]*")
_AFTER_COLON = lazy_pattern(r'":([ ]*)')


def is_plain_in_flow(text: str) -> bool:
    """Whether a string can be unquoted in flow style."""
    return bool(_PLAIN_IN_FLOW.match(text)) and is_plain(text)


def flow_string(text: str) -> str:
    """The string between brackets of flow style."""
    return text if is_plain_in_flow(text) else json_string(text)


class FlowStyle(NamedTuple):
    """How flow text looks.

    Quoted like JSON or not; what follows a colon and a comma; the line break, with its indentation, that each
    level of nesting begins with (none: all on one line), and by how many units (blanks, or tabs) more the next level
    does.
    """

    quoted: bool = True
    after_colon: str = " "
    after_comma: str = " "
    line_break: str = ""
    step: int = 2
    unit: str = " "


def flow_text(value: Value, style: FlowStyle) -> str:
    """A value in flow style; over several lines when the style has a line break."""
    if isinstance(value, dict) and value:
        inner = style._replace(line_break=_deeper(style))
        text = [flow_member(key, member, inner) for key, member in value.items()]
        return _bracketed("{", text, "}", style, inner)
    if isinstance(value, list) and value:
        inner = style._replace(line_break=_deeper(style))
        return _bracketed("[", [flow_text(item, inner) for item in value], "]", style, inner)
    if isinstance(value, str):
        return json_string(value) if style.quoted else flow_string(value)
    return number_text(value)


def flow_member(key: str, value: Value, style: FlowStyle) -> str:
    """One member of a flow mapping."""
    name = json_string(key) if style.quoted else flow_string(key)
    return f"{name}:{style.after_colon}{flow_text(value, style)}"


def _deeper(style: FlowStyle) -> str:
    return style.line_break and style.line_break + style.unit * style.step


def _bracketed(opening: str, parts: list[str], closing: str, style: FlowStyle, inner: FlowStyle) -> str:
    comma = f",{inner.line_break or style.after_comma}"
    return f"{opening}{inner.line_break}{comma.join(parts)}{style.line_break}{closing}"


class FlowEdits:
    """The splices that change one flow collection; CannotSpliceError if it must be rewritten."""

    def __init__(self, layout: Layout, node: int, depth: int) -> None:
        self.layout = layout
        self.text = layout.text
        self.node = node
        self.depth = depth
        opening = after_gap(self.text, after_properties(self.text, layout.start(node)))
        if self.text[opening] not in "{[":
            raise CannotSpliceError  # the mapping in `[a: b]`
        self.inside = opening + 1

    def mapping(self, changes: Changes) -> list[Splice]:
        """The changes of a mapping."""
        pairs, members = self.layout.pairs(self.node), self.layout.members(self.node)
        removed = {index for index, pair in enumerate(pairs) if pair.name in changes.removed}
        splices: list[Splice] = []
        added: list[str] = []
        for key, value in changes.values.items():
            if key in members:
                splices.append(self._exchange(members[str(key)].value, value))
            else:
                added.append(flow_member(str(key), value, self.style))
        return splices + self._rearranged(removed, {len(pairs): added})

    def sequence(self, changes: Changes) -> list[Splice]:
        """The changes of a sequence."""
        items = self.layout.items(self.node)
        removed = {index for index in changes.removed if isinstance(index, int)}
        splices = [self._exchange(items[int(index)], value) for index, value in changes.values.items()]
        added = {index: [flow_text(value, self.style) for value in new] for index, new in changes.inserted.items()}
        return splices + self._rearranged(removed, added)

    def _rearranged(self, removed: set[int], added: dict[int, list[str]]) -> list[Splice]:
        """Children removed with their commas, and texts inserted before the children with these indices."""
        spans, size = self.spans, len(self.spans)
        kept = [index for index in range(size) if index not in removed]
        splices: list[Splice] = []
        for before, after in pairwise([-1, *kept, size]):
            new = [text for index in range(before + 1, after + 1) for text in added.get(index, ())]
            is_cut = after - before > 1
            if not is_cut and not new:
                continue
            if self.entries.are_commented(before, after):
                splices += self._around_comments(before, after, new)
                continue
            if before >= 0:
                start, end = spans[before][1], spans[after - 1][1] if is_cut else spans[before][1]
                text = "".join(self.comma + item for item in new)
            elif after < size:
                start, end = spans[0][0], spans[after][0]
                text = "".join(item + self.comma for item in new)
            elif not size:
                start = end = self._closing()
                text = self.comma.join(new)
            else:
                start, end = (spans[0][0], spans[-1][1]) if new else (self.inside, self._closing())
                text = self.comma.join(new)
            splices.append(Splice(start, end, text, self.depth))
        return splices

    def _around_comments(self, before: int, after: int, new: list[str]) -> list[Splice]:
        if new:
            added = self.entries.insertions(before, after, new, self._line_break, self.comma)
        else:
            added = self.entries.without_comma(before, after)
        splices = [*added, *self.entries.removals(before, after)]
        return [splice._replace(depth=self.depth) for splice in splices]

    @cached_property
    def entries(self) -> FlowEntries:
        """The entries with what is between them."""
        return FlowEntries(self.text, self.inside, self._closing(), self.spans)

    def _exchange(self, node: int, value: Value) -> Splice:
        end = end_of_value(self.layout, node)
        text = flow_text(value, self.style)
        if self.layout.is_absent(node):
            return Splice(end, end, f" {text}" if self.text[end - 1] == ":" else f": {text}", self.depth)
        return Splice(self.layout.start(node), end, text, self.depth)

    def _closing(self) -> int:
        return self.layout.start(self.layout.last(self.node))

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """The start and the end of each member or item."""
        layout = self.layout
        if layout.is_mapping(self.node):
            ends = [(pair.key, pair.value) for pair in layout.pairs(self.node)]
        else:
            ends = [(item, self._last_of_pair(item)) for item in layout.items(self.node)]
        if "?" in self.text[self.inside : self._closing()]:
            self._refuse_explicit_keys([layout.start(first) for first, _ in ends])
        return [(layout.start(first), self._end(last)) for first, last in ends]

    def _last_of_pair(self, item: int) -> int:
        """The value of a pair without braces, as in `[a: b]`; any other item itself."""
        last = self.layout.last(item)
        is_bare = self.layout.is_mapping(item) and self.layout.start(last) == self.layout.end(last)
        return self.layout.pairs(item)[0].value if is_bare else item

    def _end(self, node: int) -> int:
        """Where a child ends; the blank after `key:` or a tag is kept, or else a comma would be part of it."""
        end = end_of_value(self.layout, node)
        blank = _BLANK.match(self.text, end) if self._is_bare(node, end) else None
        return blank.end() if blank else end

    def _is_bare(self, node: int, end: int) -> bool:
        """Whether nothing follows the `:` of a key without quotes, or a tag."""
        layout, text = self.layout, self.text
        if layout.is_absent(node):
            return text[end - 1] == ":" and text[end - 2] not in "'\""
        return (
            node in layout.nodes.tags
            and layout.is_scalar(node)
            and not layout.value(node)
            and text[end - 1] not in "'\""
        )

    def _refuse_explicit_keys(self, starts: list[int]) -> None:
        if any(self.text[self.inside : start].rstrip().endswith("?") for start in starts):
            raise CannotSpliceError

    @cached_property
    def comma(self) -> str:
        """The text between two members or items."""
        if len(self.spans) > 1:
            between = self.text[self.spans[-2][1] : self.spans[-1][0]]
            if _COMMA.match(between):
                return between
        return f",{self._line_break or self.style.after_comma}"

    @cached_property
    def style(self) -> FlowStyle:
        """How new text inside the collection looks."""
        inner = range(self.node + 1, self.layout.last(self.node))
        quoted = next((self.layout.quote(node) == '"' for node in inner if _is_text(self.layout, node)), True)
        after_colon = self._after_colon() if quoted else " "
        return FlowStyle(
            quoted=quoted,
            after_colon=after_colon,
            after_comma=" " if after_colon else "",
            line_break=self._line_break if self._is_spread() else "",
            step=self._step(),
            unit="\t" if self._line_break.endswith("\t") else " ",
        )

    def _is_spread(self) -> bool:
        """Whether the collections inside, if any, span several lines."""
        filled = [(start, end) for start, end in self.spans if self.text[end - 1] in "}]" and end - start > 2]
        return not filled or any(LINE_BREAK.search(self.text, start, end) for start, end in filled)

    def _after_colon(self) -> str:
        """What follows the colon of the first member here, or of one further out."""
        colon = _AFTER_COLON.search(self.text, self.inside)
        return colon[1] if colon else " "

    @cached_property
    def _line_break(self) -> str:
        """The line break and indentation before the first member or item; empty without a break."""
        if not self.spans:
            return ""
        start = self.spans[0][0]
        begin = line_start(self.text, start, self.inside)  # a file may be one line of many megabytes
        if begin == self.inside or self.text[begin:start].strip(" \t"):
            return ""
        line_break = "\r\n" if self.text[begin - 2 : begin] == "\r\n" else self.text[begin - 1]
        return line_break + self.text[begin:start]

    def _step(self) -> int:
        begin = self.layout.start(self.node) - self.layout.column(self.node)
        outer = _INDENT.match(self.text, begin)
        inner = len(self._line_break.lstrip("\r\n\x85\u2028\u2029"))
        return max(inner - len(outer[0] if outer else ""), 0) or 2


def _is_text(layout: Layout, node: int) -> bool:
    """Whether a node is a scalar that shows how strings are written here: not a number or a word of JSON."""
    if not layout.is_scalar(node) or layout.quote(node):
        return layout.is_scalar(node)
    value = layout.value(node)
    return value[:1].isalpha() and value not in ("null", "true", "false")


def expansions(layout: Layout, aliases: Mapping[int, int]) -> list[Splice]:
    """The splices that replace each alias with the value of its anchor."""
    if not aliases:
        return []
    anchors = [node for node in layout.nodes.anchors if not layout.is_alias(node)]
    values = dict(zip(anchors, anchored_values(layout.text), strict=True))
    return [
        Splice(layout.start(alias), end_of_value(layout, alias), flow_text(values[anchor], FlowStyle()), 0)
        for alias, anchor in aliases.items()
    ]
