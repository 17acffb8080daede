"""How the text around a place indents."""

from collections.abc import Sequence
from typing import NamedTuple

from sidecarctl.documents.editing.block_extents import first_column
from sidecarctl.documents.reading.layout import Layout
from sidecarctl.documents.writing.yaml_text import BlockStyle

_DEFAULT = BlockStyle()


class _Seen(NamedTuple):
    """What the members of one mapping show: None where they have no such value."""

    step: int | None
    list_offset: int | None


class BlockStyles:
    """How new values shall indent, as told by the nearest values around them."""

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
