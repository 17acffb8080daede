"""What a literal or folded scalar would take in when lines behind it are taken out."""

from sidecarctl.documents.editing.block_extents import after_properties, end_of_value, last_leaf
from sidecarctl.documents.reading.layout import Layout
from sidecarctl.documents.reading.problems import LINE_BREAK
from sidecarctl.documents.reading.text_lines import next_line
from sidecarctl.facts.patterns import lazy_pattern

_HEADER = lazy_pattern(r"[ \t]*[|>]([0-9+-]*)")
_BLANK_LINE = lazy_pattern(f"[ \t]*(?:{LINE_BREAK.pattern})")
_COMMENT = lazy_pattern("( *)#")
_CONTENT = lazy_pattern("(?:(?<=[\n\r\x85\u2028\u2029])|\\A)( *)[^ \n\r\x85\u2028\u2029]")


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
    return comment is not None and len(comment[1]) >= _indent(layout, scalar, start)


def _indent(layout: Layout, scalar: int, start: int) -> int:
    """How far the lines of a scalar are indented; 1, the least, for one that has none."""
    written = _CONTENT.search(layout.text, next_line(layout.text, start), end_of_value(layout, scalar))
    meant = _CONTENT.search(layout.events[scalar].value)
    return len(written[1]) - len(meant[1]) if written and meant else 1
