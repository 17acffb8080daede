"""Block style: how far values reach in the text, where their lines begin, and how new text has to look there."""

from collections.abc import Sequence
from typing import NamedTuple

from sidecarctl.engine.documents.reading.layout import KeyAndValue, Layout
from sidecarctl.engine.documents.reading.nodes import ENDS
from sidecarctl.engine.documents.reading.text_lines import LINE_BREAK, Splice, line_start, new_lines, next_line
from sidecarctl.engine.documents.writing import BlockStyle, with_quoted_end
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Value


class CannotSpliceError(Exception):
    """The collection cannot be edited in place and must be rewritten as a whole."""


_PROPERTIES = lazy_pattern(r"[&!]\S*(?:[ \t]+[&!]\S*)*")
_BEFORE_KEY = lazy_pattern(r" *(?:[-:?] +)*?(\? +)?\Z")
_GAP = lazy_pattern(f"(?:[ \t]*(?:#[^\r\n\x85\u2028\u2029]*)?(?:{LINE_BREAK.pattern}))*+[ \t]*")
_BREAK_OR_COMMENT = frozenset("\r\n\x85\u2028\u2029#")
_GAP_BEGINS = _BREAK_OR_COMMENT | {" ", "\t"}
_HEADER = lazy_pattern(r"[ \t]*[|>][0-9+-]*")
_LINE_WITH_TAB = f" *+\t[ \t]*+(?:(?P<comment>#)[^\r\n\x85\u2028\u2029]*+)?+(?:{LINE_BREAK.pattern})"
_LINES_WITH_TABS = lazy_pattern(f"(?:(?: *+(?:{LINE_BREAK.pattern}))*+{_LINE_WITH_TAB})++")
_COMMENT_LINE = f"#[^\r\n\x85\u2028\u2029]*+(?:{LINE_BREAK.pattern}|\\Z)"
_NEXT_COMMENT = lazy_pattern(f"(?: *+(?:{LINE_BREAK.pattern}))*+(?P<indent> *+){_COMMENT_LINE}")
_COMMENTS_AND_BLANK = lazy_pattern(f"(?: *+{_COMMENT_LINE})++ *+(?:{LINE_BREAK.pattern})")


class Begin(NamedTuple):
    """Where a member or an item of a block collection begins: its line, its `?`, key or dash.

    `alone` means that only blanks precede it in the line.
    """

    line: int
    at: int
    alone: bool

    @property
    def column(self) -> int:
        """The number of characters before it."""
        return self.at - self.line


def member_begin(layout: Layout, member: KeyAndValue) -> Begin:
    """Where a member of a block mapping begins; CannotSpliceError for shapes that are not edited in place."""
    at = layout.start(member.key)
    line = at - layout.column(member.key)
    before = _BEFORE_KEY.match(layout.text, line, at)
    if not before:
        raise CannotSpliceError
    at = before.start(1) if before[1] else at
    return Begin(line, at, layout.text[line:at].isspace() or line == at)


def item_begin(layout: Layout, sequence: int, index: int) -> Begin:
    """Where an item of a block sequence begins; CannotSpliceError as with members."""
    if index == 0:
        at = after_properties(layout.text, layout.start(sequence))
    else:
        at = end_of_lines(layout, layout.items(sequence)[index - 1])
    at = after_gap(layout.text, at)
    if layout.text[at : at + 1] != "-":
        raise CannotSpliceError
    line = line_start(layout.text, at)
    return Begin(line, at, layout.text[line:at].isspace() or line == at)


def first_column(layout: Layout, node: int) -> int:
    """The number of characters before the first key (or its `?`) or dash of a block collection."""
    if not layout.has_properties(node):  # then the collection begins with it
        return layout.column(node)
    if layout.is_mapping(node):
        return member_begin(layout, layout.pairs(node)[0]).column
    return item_begin(layout, node, 0).column


def after_step(layout: Layout, node: int, step: str | int) -> int:
    """The position after the `:` or the dash of a member or an item in block style."""
    if isinstance(step, str):
        return after_colon(layout, layout.members(node)[step])
    return item_begin(layout, node, step).at + 1


def first_line(layout: Layout, node: int) -> int:
    """The start of the line with the first key or dash of a block collection."""
    return line_start(layout.text, after_gap(layout.text, after_properties(layout.text, layout.start(node))))


def after_colon(layout: Layout, member: KeyAndValue) -> int:
    """The position after the `:` of a key in block style; CannotSpliceError for any other key."""
    colon = after_gap(layout.text, end_of_value(layout, member.key))
    if layout.text[colon : colon + 1] != ":":
        raise CannotSpliceError
    return colon + 1


def after_properties(text: str, at: int) -> int:
    """The position after an anchor and a tag, if there are any."""
    found = _PROPERTIES.match(text, at) if text[at : at + 1] in ("&", "!") else None
    return found.end() if found else at


def after_header(layout: Layout, node: int) -> int:
    """The position after the header of a block scalar: `|`, `>-`, `|2+`; CannotSpliceError if there is none."""
    found = _HEADER.match(layout.text, after_properties(layout.text, layout.start(node)))
    if not found:
        raise CannotSpliceError
    return found.end()


def end_of_value(layout: Layout, node: int) -> int:
    """Where the text of a value ends; of a block scalar, where the next line begins."""
    return _end_at(layout, last_leaf(layout, layout.last(node)))


def end_of_lines(layout: Layout, node: int) -> int:
    """Where the line after a block value begins: trailing comments of its last line are part of it.

    So are lines of blanks and tabs below, and a comment that is indented with one: libyaml lets tabs begin a line
    only where an unquoted value could continue.
    """
    end = _end_of_last_line(layout, node)
    tabs = _LINES_WITH_TABS.match(layout.text, end) if layout.has_tabs else None
    return tabs.end() if tabs else end


def after_comments(text: str, at: int, column: int) -> int:
    """The position after the comments from this line on that are indented deeper than a column.

    They describe what is before them, whether blank lines are between or not.
    """
    while (found := _NEXT_COMMENT.match(text, at)) and len(found["indent"]) > column:
        at = found.end()
    return at


def after_foot(text: str, at: int) -> int:
    """The position after the comments directly below a line that a blank line separates from what follows."""
    found = _COMMENTS_AND_BLANK.match(text, at)
    return found.end() if found else at


def end_of_removal(layout: Layout, node: int) -> int:
    """Where the text to remove with a block value ends: `end_of_lines`, but a comment that a tab indents stays."""
    end = _end_of_last_line(layout, node)
    tabs = _LINES_WITH_TABS.match(layout.text, end) if layout.has_tabs else None
    return (tabs.start("comment") if tabs["comment"] else tabs.end()) if tabs else end


def _end_of_last_line(layout: Layout, node: int) -> int:
    leaf = last_leaf(layout, layout.last(node))
    end = _end_at(layout, leaf)
    # Of a literal key without a value (`? |`), too, the next line is where it ends.
    is_line = layout.is_block_scalar(leaf) or (layout.is_absent(leaf) and line_start(layout.text, end) == end)
    return end if is_line else next_line(layout.text, end)


def last_leaf(layout: Layout, index: int) -> int:
    """The last event up to this one that has characters: ends of block collections have none."""
    while layout.nodes.kinds[index] in ENDS and layout.start(index) == layout.end(index):
        index -= 1
    return index


def _end_at(layout: Layout, index: int) -> int:
    if layout.is_collection(index):
        return after_properties(layout.text, layout.start(index))
    end = layout.end(index)
    return min(end, _end_of_nothing(layout, index)) if layout.is_absent(index) else end


def _end_of_nothing(layout: Layout, index: int) -> int:
    """Where an absent value would begin, after its `:` or dash; the parsers report later positions."""
    before = _end_at(layout, last_leaf(layout, index - 1))
    indicator = after_gap(layout.text, before)
    is_there = layout.text[indicator : indicator + 1] in (":", "-") and indicator < layout.start(index)
    return indicator + 1 if is_there else before


def after_gap(text: str, at: int) -> int:
    """The next character that is neither a blank, a line break nor in a comment."""
    found = _GAP.match(text, at) if text[at : at + 1] in _GAP_BEGINS else None
    return found.end() if found else at


def after_blanks(text: str, at: int) -> int:
    """The next character that is neither a blank nor a tab."""
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    return at


_DEFAULT = BlockStyle()


class BlockStyles:
    """How to indent new values, judging by the nearest values around them."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._seen: dict[int, tuple[int | None, int | None]] = {}

    def style(self, nodes: Sequence[int]) -> BlockStyle:
        """The style at the end of a path of nodes from the document's root."""
        step = offset = None
        for node in reversed(nodes):
            if self.layout.is_mapping(node):
                seen_step, seen_offset = self._seen.get(node) or self._look(node)
                step = seen_step if step is None else step
                offset = seen_offset if offset is None else offset
                if step is not None and offset is not None:
                    break
        return BlockStyle(_DEFAULT.step if step is None else step, _DEFAULT.list_offset if offset is None else offset)

    def _look(self, mapping: int) -> tuple[int | None, int | None]:
        """What the members of a mapping show: None if they have no such value."""
        layout = self.layout
        column = first_column(layout, mapping)
        step = offset = None
        for pair in layout.pairs(mapping):
            if not layout.is_block(pair.value):
                continue
            if step is None and layout.is_mapping(pair.value):
                step = first_column(layout, pair.value) - column
            elif offset is None and layout.is_sequence(pair.value):
                offset = first_column(layout, pair.value) - column
        self._seen[mapping] = step, offset
        return self._seen[mapping]


class BlockContext(NamedTuple):
    """How new text has to look at a position.

    - `text`: the document, up to and with the line break of its last line.
    - `owner`: the node around the collection and the step from there; None for a whole document.
    - `style`: how new values indent.
    - `depth`: the nesting depth of the collection.
    - `cautious`: lines are removed somewhere, so it is not certain what follows a position.
    """

    text: str
    owner: tuple[int, str | int] | None
    style: BlockStyle
    depth: int
    cautious: bool

    def lines(self, at: int, lines: list[str], value: Value) -> Splice:
        """The lines of a value, inserted where a line begins."""
        return self.put(at, self.settled(lines, value, at))

    def settled(self, lines: list[str], value: Value, before: int) -> list[str]:
        """The lines of a value in a form that does not take the next line into a literal block."""
        following = after_blanks(self.text, before)
        if self.cautious or self.text[following : following + 1] in _BREAK_OR_COMMENT:
            return with_quoted_end(lines, value)
        return lines

    def put(self, at: int, lines: list[str]) -> Splice:
        """Lines inserted where a line begins."""
        return new_lines(self.text, at, lines, self.depth)

    def splice(self, start: int, end: int, text: str) -> Splice:
        """`text` in place of the characters from `start` to `end`."""
        return Splice(start, end, text, self.depth)
