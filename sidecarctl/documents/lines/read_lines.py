"""Lines of plain block style to the value that they hold: four times faster than by parser events."""

from collections import deque
from collections.abc import Callable
from functools import cached_property
from itertools import islice
from typing import Any

from sidecarctl.documents.lines.block_scalars import end_of_content, margin_of
from sidecarctl.documents.lines.nodes import Nodes
from sidecarctl.documents.lines.pattern import BLOCK, FLOW, FLOW_DEPTH, MARKER, OPEN, Line, is_marker
from sidecarctl.documents.lines.skeletons import DEEPEST, Skeleton
from sidecarctl.documents.lines.table import LineTable
from sidecarctl.facts.values import Value


class ReadLines:
    """A document that was read by lines.

    - `sources`: its lines; the last is what follows the last line break, which is nothing.
    - `lines`: what each of them says. `value`: what they say together.
    - `generation`: that of the table of lines, when reading began.
    - `skeleton`: how its values were put together, if they were not read line by line.
    """

    def __init__(
        self, sources: list[str], lines: list[Line], value: Value, generation: int, skeleton: Skeleton | None = None
    ) -> None:
        self.sources = sources
        self.lines = lines
        self.value = value
        self.generation = generation
        self.skeleton = skeleton

    @cached_property
    def nodes(self) -> Nodes:
        """Where its collections are."""
        return self.skeleton.nodes if self.skeleton else Nodes(self.lines)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """All that the structure of the text depends on."""
        return self.skeleton.shape if self.skeleton else tuple([line.shape for line in self.lines])


def read_lines(text: str, table: LineTable, depth: int, *, to_keep: bool = True) -> ReadLines | None:
    """A document, given with the break of its last line; None for one that the parser has to read.

    `depth` is how many levels of nesting it may have; what comes near it is left to the parser, too. A value that is
    not `to_keep`, but to compare, may be shared in parts.
    """
    sources = text.split("\n")
    own = copied if to_keep else _itself
    reading = _Reading(sources, list(map(table.lines.get, sources)), table, depth - FLOW_DEPTH)
    return reading.read_as_before() or reading.read(own)


class _Reading:
    """One pass over the lines."""

    def __init__(self, sources: list[str], lines: list[Any], table: LineTable, depth: int) -> None:
        self.sources = sources
        self.lines = lines  # None for those that are new
        self.table = table
        self.generation = table.generation
        self.depth = depth

    def read_as_before(self) -> ReadLines | None:
        """The document, if only the scalars of its lines differ from one of before; else None."""
        table = self.table
        if self.depth < 0 or not table.may_have_skeleton() or not self._find_lines():
            return None
        _, _, _, _, _, values, _, forms = zip(*self.lines, strict=True)
        skeleton = table.skeleton(forms, self.depth)
        if skeleton is None:
            return None
        return ReadLines(self.sources, self.lines, skeleton.value(values), self.generation, skeleton)

    def _find_lines(self) -> bool:
        """Look up the lines that are new; whether each line of the document says what it says by itself."""
        lines, sources, table = self.lines, self.sources, self.table
        if sources[0].startswith("---"):
            if not is_marker(sources[0]):
                return False
            lines[0] = MARKER
        new = [at for at, line in enumerate(lines) if line is None]
        if new and table.has_headers and any(line is not None and line.kind == BLOCK for line in lines):
            return False  # what follows a header may be no line
        for at in new:
            line = lines[at] = table.line(sources[at])
            if line is None or line.kind == BLOCK:
                return False
        return True

    def read(self, own: Callable[[Value], Value]) -> ReadLines | None:
        """The document; None where a line, or how lines follow each other, is left to the parser."""
        value = self.value(own)
        if value is None:
            return None
        self._note()
        return ReadLines(self.sources, self.lines, value, self.generation)

    def _note(self) -> None:
        """Keep how the lines came together, if there were some documents of the same shapes and keys."""
        if self.table.has_headers and any(line.kind == BLOCK for line in self.lines):
            return
        forms = tuple([line.form for line in self.lines])
        if self.table.is_repeated(forms, self.depth):
            numbered = [line._replace(value=at) for at, line in enumerate(self.lines)]
            tree = _Reading(self.sources, numbered, self.table, min(self.depth, DEEPEST)).value(_itself)
            if tree is not None:
                self.table.keep(forms, self.depth, Skeleton(self.lines, tree))

    # The loop is most of the time that reading takes, so what most lines need is inline.

    def value(self, own: Callable[[Value], Value]) -> Value:  # noqa: C901, PLR0912, PLR0915 - calls for parts of it would take longer than they do
        """The collection that the lines make; None where a line, or how lines follow, is left to the parser."""
        lines, depth = self.lines, self.depth
        numbered = enumerate(lines)
        if depth < 0:
            return None
        if self.sources[0].startswith("---"):
            if not is_marker(self.sources[0]):
                return None
            lines[next(numbered)[0]] = MARKER
        above: list[tuple[Any, int, bool]] = []  # the collections around the current one
        root: Any = None
        current: Any = None
        level, is_mapping = -1, False  # the column of its keys or dashes
        open_key: Any = None  # that of a value which may follow in further lines; of a list -1
        for at, line in numbered:
            if line is None:
                line = lines[at] = self.table.line(self.sources[at])  # noqa: PLW2901 - the line, once known
                if line is None:
                    return None
            indent, dash, column, key, kind, value, _, _ = line
            if indent < 0:
                continue
            if open_key is not None:
                if indent > level or (indent == level and dash and is_mapping):
                    if len(above) >= depth:
                        return None
                    above.append((current, level, is_mapping))
                    below: Any = [] if dash else {}
                    current[open_key] = below
                    current, level, is_mapping = below, indent, not dash
                open_key = None
            if indent != level or dash is is_mapping:
                if current is None:
                    root = current = [] if dash else {}
                    level, is_mapping = indent, not dash
                while indent < level or (indent == level and not dash and not is_mapping):
                    if not above:
                        return None
                    current, level, is_mapping = above.pop()
                if indent != level or dash is is_mapping:
                    return None
            if dash and key is not None:
                if len(above) >= depth:
                    return None
                above.append((current, level, False))
                below = {}
                current.append(below)
                current, level, is_mapping = below, column, True
            if kind:
                if kind == OPEN:
                    open_key = -1 if key is None else key
                elif kind == FLOW:
                    value = own(value)
                else:
                    block = self.block(at, line, level)
                    if block is None:
                        return None
                    value, count = block
                    deque(islice(numbered, count), maxlen=0)
            if key is None:
                current.append(value)
            elif key in current:
                return None
            else:
                current[key] = value
        return root

    def block(self, at: int, line: Line, around: int) -> tuple[str, int] | None:
        """The value of the block scalar whose header is in a line, and the number of lines of its content."""
        margin = margin_of(self.sources, at + 1, around)
        end = None if margin is None else end_of_content(self.sources, at + 1, margin)
        if margin is None or end is None:
            return None
        value = self.table.block(line, "\n".join(self.sources[at:end]), margin)
        count = end - at - 1
        self.lines[at + 1 : end] = [self.table.content(margin)] * count
        return None if value is None else (value, count)


def _itself(value: Value) -> Value:
    return value


def copied(value: Value) -> Value:
    """A value of its own: what is remembered belongs to no document."""
    if isinstance(value, dict):
        return {key: copied(inner) if isinstance(inner, dict | list) else inner for key, inner in value.items()}
    return [copied(inner) if isinstance(inner, dict | list) else inner for inner in value]
