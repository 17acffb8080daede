"""What the edits of a block collection need to know of what is around it."""

import re
from typing import NamedTuple

from sidecarctl.documents.editing.splices import Splice, new_lines
from sidecarctl.documents.writing.yaml_text import BlockStyle, with_quoted_end
from sidecarctl.facts.values import Value

_BLANK_OR_COMMENT = re.compile("[ \t]*[\r\n\x85\u2028\u2029#]")


class Context(NamedTuple):
    """How new text has to look at one place.

    - `text`: the document, up to and with the line break of its last line.
    - `owner`: the node around the collection and the step from there; None for a whole document.
    - `style`: how new values indent.
    - `depth`: how deep the collection lies.
    - `cautious`: lines are taken out somewhere, so what follows a place is not certain.
    """

    text: str
    owner: tuple[int, str | int] | None
    style: BlockStyle
    depth: int
    cautious: bool

    def lines(self, at: int, lines: list[str], value: Value) -> Splice:
        """The lines of a value, put in where a line begins."""
        return self.put(at, self.settled(lines, value, at))

    def settled(self, lines: list[str], value: Value, before: int) -> list[str]:
        """The lines of a value as they can stand before a line: it must not become part of a literal block."""
        if self.cautious or _BLANK_OR_COMMENT.match(self.text, before):
            return with_quoted_end(lines, value)
        return lines

    def put(self, at: int, lines: list[str]) -> Splice:
        """Lines put in where a line begins."""
        return new_lines(self.text, at, lines, self.depth)

    def splice(self, start: int, end: int, text: str) -> Splice:
        """`text` in place of what stands from `start` to `end`."""
        return Splice(start, end, text, self.depth)
