"""Line and column of a value in a document that was read by lines."""

from sidecarctl.documents.lines.nodes import NoNodeError
from sidecarctl.documents.lines.pattern import EMPTY, FLOW, OPEN, value_column
from sidecarctl.documents.lines.read_lines import ReadLines
from sidecarctl.facts.paths import Path
from sidecarctl.facts.references import Place


def place_by_lines(read: ReadLines, path: Path) -> Place | None:
    """Where a value begins, or the nearest around it; None for one that only the parser's events show."""
    if not path:  # all that is asked of most documents
        first = next(at for at, line in enumerate(read.lines) if line.indent != EMPTY)
        return Place("", first + 1, read.lines[first].indent + 1)
    nodes = read.nodes
    around: Path = ()
    for depth in range(1, len(path) + 1):
        try:
            nodes.at(path[:depth])
        except NoNodeError:
            break
        around = path[:depth]
    node = nodes.at(around)
    if around == path:
        return Place("", node.first + 1, node.column + 1)
    step = path[len(around)]
    index = nodes.index(node, step)
    if index is None or index >= len(node.starts):
        return Place("", node.first + 1, node.column + 1)
    owner = node.starts[index]
    line, source = read.lines[owner], read.sources[owner]
    if line.kind == OPEN or (line.kind == FLOW and len(path) > len(around) + 1):
        return None  # null, which has no place, or a node within a flow collection
    return Place("", owner + 1, value_column(source) + 1)
