"""What a literal or folded scalar would take in when lines behind it are taken out."""

import re

from sidecarctl.documents.extents import after_properties, end_of_value, last_leaf
from sidecarctl.documents.layout import Layout
from sidecarctl.documents.problems import LINE_BREAK

_HEADER = re.compile(r"[ \t]*[|>]([0-9+-]*)")
_BLANK_LINE = re.compile(f"[ \t]*(?:{LINE_BREAK.pattern})")
_COMMENT = re.compile("( *)#")
_CONTENT = re.compile("(?m:^)( *)[^ \r\n\x85\u2028\u2029]")


def takes_in(layout: Layout, node: int, at: int) -> bool:
    """Whether the block scalar that a value ends with, if any, would change if the line there came behind it."""
    scalar, text = last_leaf(layout, layout.last(node)), layout.text
    if not layout.is_block_scalar(scalar):
        return False
    start = after_properties(text, layout.start(scalar))
    header = _HEADER.match(text, start)
    indicators = header[1] if header else ""
    while blank := _BLANK_LINE.match(text, at):
        if "+" in indicators:
            return True
        at = blank.end()
    comment = _COMMENT.match(text, at)
    return comment is not None and len(comment[1]) >= _least_indent(
        text, start, end_of_value(layout, scalar), indicators
    )


def _least_indent(text: str, start: int, end: int, indicators: str) -> int:
    """How far a line must be indented to be one of the scalar's, or less."""
    if indicators.strip("+-"):
        return 1
    return min((len(line[1]) for line in _CONTENT.finditer(text, start, end)), default=1)
