"""How the lines around a place indent."""

from sidecarctl.documents.lines.nodes import Node, Nodes
from sidecarctl.documents.lines.pattern import OPEN
from sidecarctl.documents.writing.yaml_text import BlockStyle
from sidecarctl.facts.paths import Path

_DEFAULT = BlockStyle()
_Seen = tuple[int | None, int | None]
"""The step of mappings in a mapping and the offset of its lists; None if it has no such value."""


class LineStyles:
    """How to indent new values, judging by the nearest values around them."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self._seen: dict[Path, _Seen] = {}

    def style(self, path: Path) -> BlockStyle:
        """The style at a collection."""
        step = offset = None
        for depth in range(len(path), -1, -1):
            own, own_offset = self._shown(path[:depth])
            step = own if step is None else step
            offset = own_offset if offset is None else offset
            if step is not None and offset is not None:
                break
        return BlockStyle(_DEFAULT.step if step is None else step, _DEFAULT.list_offset if offset is None else offset)

    def _shown(self, path: Path) -> _Seen:
        seen = self._seen.get(path)
        if seen is None:
            node = self.nodes.at(path)
            seen = self._seen[path] = (None, None) if node.dashed else self._look(node)
        return seen

    def _look(self, node: Node) -> _Seen:
        """What the first mapping and the first list in a mapping show."""
        nodes = self.nodes
        step = offset = None
        for index, owner in enumerate(node.starts):
            first = nodes.first_below(owner)
            if nodes.lines[owner].kind != OPEN or first >= nodes.end(node, index):
                continue
            inner = nodes.lines[first]
            if inner.dash:
                offset = inner.indent - node.column if offset is None else offset
            elif step is None:
                step = inner.indent - node.column
            if step is not None and offset is not None:
                break
        return step, offset
