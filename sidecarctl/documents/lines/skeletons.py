"""Documents that differ from earlier ones in their scalars alone: these are put where those have their own.

How the lines follow each other, which is most of the work of reading, is not worked out again then. docs/proof.md
says why the value is the same.
"""

from collections.abc import Callable, Sequence

from sidecarctl.documents.lines.nodes import Nodes
from sidecarctl.documents.lines.pattern import FLOW, Line
from sidecarctl.facts.values import Value

DEEPEST = 90
"""Levels of block collections; Python reads expressions of up to 200 levels of brackets."""


class Skeleton:
    """How the values of lines come together.

    - `nodes`: where the collections are, in the lines of one such document as in those of the others.
    - `shape`: the shape of all such documents.
    - `value`: the value of a document, of those of its lines. It shares nothing with others.
    """

    __slots__ = ("nodes", "shape", "value")

    def __init__(self, lines: Sequence[Line], tree: Value) -> None:
        """`tree` has, in place of each value of a line, its number."""
        self.nodes = Nodes(lines)
        self.shape = tuple(line.shape for line in lines)
        self.value = _putting_together(tree, lines)


def _putting_together(tree: Value, lines: Sequence[Line]) -> Callable[[Sequence[Value]], Value]:
    """A function of one expression: that takes a third of the time of a loop over the collections.

    It consists of brackets and numbered names: those of the values of lines, which it is given, and those of keys,
    and of scalars within flow collections, which are the same in all documents and are found beside it.
    """
    constants: dict[str, Value] = {}

    def constant(value: Value) -> str:
        name = f"c{len(constants)}"
        constants[name] = value
        return name

    def of_line(at: int) -> str:
        return _written(lines[at].value, constant, constant) if lines[at].kind == FLOW else f"v{at}"

    parameters = ", ".join(f"v{at}" for at in range(len(lines)))
    function = eval(f"lambda {parameters}: {_written(tree, constant, of_line)}", constants)  # noqa: S307 - of such names alone
    return lambda values: function(*values)


def _written(value: Value, key: Callable[[str], str], scalar: Callable[[Value], str]) -> str:
    """A value as an expression."""
    if isinstance(value, dict):
        members = ", ".join(f"{key(name)}: {_written(member, key, scalar)}" for name, member in value.items())
        return f"{{{members}}}"
    if isinstance(value, list):
        return f"[{', '.join(_written(item, key, scalar) for item in value)}]"
    return scalar(value)
