"""How far the values of block style reach in the text, and where their lines begin."""

from sidecarctl.documents.reading.events import COLLECTION_ENDS, COLLECTION_STARTS
from sidecarctl.documents.reading.layout import KeyAndValue, Layout
from sidecarctl.documents.reading.problems import LINE_BREAK
from sidecarctl.documents.reading.text_lines import line_start, next_line
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.patterns import lazy_pattern


class CannotSpliceError(Exception):
    """The collection cannot be edited in place and must be rewritten as a whole."""


_PROPERTIES = lazy_pattern(r"[&!]\S*(?:[ \t]+[&!]\S*)*")
_BEFORE_KEY = lazy_pattern(r" *(?:[-:?] +)*?(\? +)?\Z")
_GAP = lazy_pattern(f"(?:[ \t]*(?:#[^\r\n\x85\u2028\u2029]*)?(?:{LINE_BREAK.pattern}))*[ \t]*")
_HEADER = lazy_pattern(r"[ \t]*[|>][0-9+-]*")


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
    event = layout.events[node]
    if event.anchor is None and event.ctag is None:  # then the collection begins with it
        return layout.column(node)
    if layout.is_mapping(node):
        return member_begin(layout, layout.pairs(node)[0]).column
    return item_begin(layout, node, 0).column


def after_step(layout: Layout, node: int, step: str | int) -> int:
    """The place behind the `:` or the dash of a member or an item in block style."""
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
    found = _PROPERTIES.match(text, at)
    return found.end() if found else at


def after_header(layout: Layout, node: int) -> int:
    """The place behind the header of a block scalar: `|`, `>-`, `|2+`; CannotSpliceError if none is."""
    found = _HEADER.match(layout.text, after_properties(layout.text, layout.start(node)))
    if not found:
        raise CannotSpliceError
    return found.end()


def end_of_value(layout: Layout, node: int) -> int:
    """Where the text of a value ends; of a block scalar, where the next line begins."""
    return _end_at(layout, last_leaf(layout, layout.last(node)))


def end_of_lines(layout: Layout, node: int) -> int:
    """Where the line after a block value begins: trailing comments of its last line are part of it."""
    leaf = last_leaf(layout, layout.last(node))
    end = _end_at(layout, leaf)
    # Of a literal key without a value (`? |`), too, the next line is where it ends.
    is_line = layout.is_block_scalar(leaf) or (layout.is_absent(leaf) and line_start(layout.text, end) == end)
    return end if is_line else next_line(layout.text, end)


def last_leaf(layout: Layout, index: int) -> int:
    """The last event up to this one that has characters: ends of block collections have none."""
    events = layout.events
    while (event := events[index]).__class__ in COLLECTION_ENDS and event.start_mark.index == event.end_mark.index:
        index -= 1
    return index


def _end_at(layout: Layout, index: int) -> int:
    event = layout.events[index]
    if event.__class__ in COLLECTION_STARTS:
        return after_properties(layout.text, event.start_mark.index)
    end = int(event.end_mark.index)
    return min(end, _end_of_nothing(layout, index)) if layout.is_absent(index) else end


def _end_of_nothing(layout: Layout, index: int) -> int:
    """Where an absent value would begin, after its `:` or dash; the parsers report later positions."""
    before = _end_at(layout, last_leaf(layout, index - 1))
    indicator = after_gap(layout.text, before)
    is_there = layout.text[indicator : indicator + 1] in (":", "-") and indicator < layout.start(index)
    return indicator + 1 if is_there else before


def after_gap(text: str, at: int) -> int:
    """The next character that is neither a blank, a line break nor in a comment."""
    found = _GAP.match(text, at)
    return found.end() if found else at
