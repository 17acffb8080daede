"""How far the values of block style reach in the text, and where their lines begin."""

import re

from sidecarctl.documents.events import COLLECTION_ENDS, ScalarEvent
from sidecarctl.documents.layout import Layout, Member
from sidecarctl.documents.splices import line_start, next_line


class CannotSpliceError(Exception):
    """A collection has a shape that is not edited in place; it has to be written anew as a whole."""


_PROPERTIES = re.compile(r"(?:[&!]\S*[ \t]*)*")
_INDENT = re.compile(r"[ ]*(?:-[ ]+)*\Z")
_BLANK_LINES = re.compile("(?:[ \t]*(?:#[^\r\n\x85\u2028\u2029]*)?(?:\r\n|[\n\r\x85\u2028\u2029]))*[ ]*")
_HEADER = re.compile(r"[|>][0-9+-]*")


def after_properties(text: str, at: int) -> int:
    """The place behind the anchor and the tag that stand there, if any."""
    found = _PROPERTIES.match(text, at)
    return found.end() if found else at


def end_of_value(layout: Layout, node: int) -> int:
    """Where the text of a value ends; of a block scalar, where the next line begins."""
    events = layout.events
    last = layout.ends.get(node, node)
    while _is_block_end(events[last]):
        last -= 1
    event = events[last]
    if event.__class__ is ScalarEvent and event.start_mark.index == event.end_mark.index:
        return _end_of_nothing(layout.text, event.end_mark.index)
    return int(event.end_mark.index)


def end_of_lines(layout: Layout, node: int) -> int:
    """Where the line after a block value begins: trailing comments of its last line are part of it."""
    last = layout.ends.get(node, node)
    while _is_block_end(layout.events[last]):
        last -= 1
    end = end_of_value(layout, node)
    return end if layout.is_block_scalar(last) else next_line(layout.text, end)


def _is_block_end(event: object) -> bool:
    return event.__class__ in COLLECTION_ENDS and event.start_mark.index == event.end_mark.index


def _end_of_nothing(text: str, at: int) -> int:
    """The end of the `:` or `-` before an absent value; the pure parser tells a place further on."""
    return len(text[:at].rstrip())


def block_header(layout: Layout, node: int) -> re.Match[str]:
    """The header of a block scalar: `|`, `>-`, `|2+`."""
    found = _HEADER.match(layout.text, after_properties(layout.text, layout.events[node].start_mark.index))
    if not found:
        raise CannotSpliceError(node)
    return found


def key_line(layout: Layout, mapping: int, member: Member) -> int:
    """Where the line of a block mapping's key begins, of which nothing but dashes stands before it."""
    key = layout.events[member.key].start_mark.index
    start = line_start(layout.text, key)
    if not _INDENT.match(layout.text, start, key):
        raise CannotSpliceError(mapping)
    return start


def key_column(layout: Layout, mapping: int) -> int:
    """The column of a block mapping's keys."""
    first = layout.pairs(mapping)[0]
    start = key_line(layout, mapping, first)
    return int(layout.events[first.key].start_mark.index) - start


def after_colon(layout: Layout, mapping: int, member: Member) -> int:
    """The place behind the `:` of a key."""
    text, end = layout.text, layout.events[member.key].end_mark.index
    blanks = re.compile(r"[ \t]*").match(text, end)
    colon = blanks.end() if blanks else end
    if text[colon : colon + 1] != ":":
        raise CannotSpliceError(mapping)
    return colon + 1


def dash(layout: Layout, sequence: int, index: int) -> int:
    """The place of the dash of a block sequence's item."""
    text = layout.text
    if index == 0:
        at = after_properties(text, layout.events[sequence].start_mark.index)
    else:
        at = end_of_lines(layout, layout.items(sequence)[index - 1])
    blanks = _BLANK_LINES.match(text, at)
    at = blanks.end() if blanks else at
    if text[at : at + 1] != "-":
        raise CannotSpliceError(sequence)
    return at


def dash_column(layout: Layout, sequence: int) -> int:
    """The column of a block sequence's dashes."""
    first = dash(layout, sequence, 0)
    return first - line_start(layout.text, first)


def item_width(layout: Layout, sequence: int, index: int) -> int:
    """How many columns lie between the dash of an item and its text."""
    start = layout.events[layout.items(sequence)[index]].start_mark.index
    at = dash(layout, sequence, index)
    return start - at if layout.text[at:start].strip(" ") == "-" else 2
