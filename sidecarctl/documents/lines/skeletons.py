"""Documents that differ from an earlier one in their scalars alone: these are put where that one has its own.

How the lines follow each other, which is most of the work of reading, is not worked out again then. docs/proof.md
says why the value is the same.
"""

from collections.abc import Callable, Sequence
from operator import itemgetter

from sidecarctl.documents.lines.pattern import FLOW, Line
from sidecarctl.facts.values import Value


class Skeleton:
    """How the values of lines come together.

    - `lines`: those of the first such document: all that edits by lines ask of them is the same in the others.
    - `shape`: the shape of all such documents.
    - `steps`: the collections, inner ones first: the keys of each (None for a list), and what takes its members out
      of the values of all lines and of the collections before it.
    - `flows`: the lines whose values are collections.
    """

    __slots__ = ("flows", "lines", "shape", "steps")

    def __init__(self, lines: Sequence[Line], tree: Value) -> None:
        self.lines = lines
        self.shape = tuple(line.shape for line in lines)
        self.flows = [at for at, line in enumerate(lines) if line.kind == FLOW]
        self.steps: list[tuple[tuple[str, ...] | None, Callable[[Sequence[Value]], Sequence[Value]]]] = []
        self._add(tree, len(lines))

    def value(self, of_lines: Sequence[Value], own: Callable[[Value], Value]) -> Value:
        """The value of a document, of those of its lines."""
        values = list(of_lines)
        for at in self.flows:
            values[at] = own(values[at])
        add = values.append
        for keys, members in self.steps:
            add(list(members(values)) if keys is None else dict(zip(keys, members(values))))  # noqa: B905 - a hot path
        return values[-1]

    def _add(self, tree: Value, count: int) -> int:
        """Add a collection of line numbers and collections; the place of its value."""
        members = tree.values() if isinstance(tree, dict) else tree
        places = [member if isinstance(member, int) else self._add(member, count) for member in members]
        # Of one place alone, itemgetter would give the value without a sequence around it.
        getter = itemgetter(*places) if len(places) > 1 else itemgetter(slice(places[0], places[0] + 1))
        self.steps.append((tuple(tree) if isinstance(tree, dict) else None, getter))
        return count + len(self.steps) - 1
