"""How new text of block style has to look at one place: its indent, and what is around it."""

from collections.abc import Sequence

from sidecarctl.documents.editing.block_extents import first_column
from sidecarctl.documents.editing.splices import Splice, new_lines
from sidecarctl.documents.reading.layout import Layout
from sidecarctl.documents.writing.yaml_text import BlockStyle, with_quoted_end
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.values import Value

_BLANK_OR_COMMENT = lazy_pattern("[ \t]*[\r\n\x85\u2028\u2029#]")
_DEFAULT = BlockStyle()


class _Seen(NamedTuple):
    """What the members of one mapping show: None if they have no such value."""

    step: int | None
    list_offset: int | None


class BlockStyles:
    """How to indent new values, judging by the nearest values around them."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._seen: dict[int, _Seen] = {}

    def style(self, nodes: Sequence[int]) -> BlockStyle:
        """The style at the end of the way that leads from the document's root over the nodes."""
        step = offset = None
        for node in reversed(nodes):
            if self.layout.is_mapping(node):
                seen = self._seen.get(node) or self._look(node)
                step = seen.step if step is None else step
                offset = seen.list_offset if offset is None else offset
                if step is not None and offset is not None:
                    break
        return BlockStyle(_DEFAULT.step if step is None else step, _DEFAULT.list_offset if offset is None else offset)

    def _look(self, mapping: int) -> _Seen:
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
        self._seen[mapping] = _Seen(step, offset)
        return self._seen[mapping]


class BlockContext(NamedTuple):
    """How new text has to look at one place.

    - `text`: the document, up to and with the line break of its last line.
    - `owner`: the node around the collection and the step from there; None for a whole document.
    - `style`: how new values indent.
    - `depth`: the nesting depth of the collection.
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
        """The lines of a value in a form that does not take the next line into a literal block."""
        if self.cautious or _BLANK_OR_COMMENT.match(self.text, before):
            return with_quoted_end(lines, value)
        return lines

    def put(self, at: int, lines: list[str]) -> Splice:
        """Lines put in where a line begins."""
        return new_lines(self.text, at, lines, self.depth)

    def splice(self, start: int, end: int, text: str) -> Splice:
        """`text` in place of the characters from `start` to `end`."""
        return Splice(start, end, text, self.depth)
