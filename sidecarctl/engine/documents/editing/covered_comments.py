"""Comments that an edit removes: all of them must belong to what is removed or replaced."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

from sidecarctl.engine.documents.editing.block_style import (
    CannotSpliceError,
    after_gap,
    end_of_lines,
    end_of_value,
    item_begin,
    member_begin,
)
from sidecarctl.engine.documents.reading.layout import Layout
from sidecarctl.engine.documents.reading.text_lines import Unchanged, next_line

Child = tuple[int, str | int]
"""A member or an item: the node of its collection, and its key or index."""


def strays(layout: Layout, kept: Sequence[Unchanged], replaced: Sequence[Child]) -> Iterator[int]:
    """Where comments begin that are not kept, although they are not inside what is removed or replaced.

    The comment of a line belongs to what ends there. In flow style, an entry ends with its comma.
    """
    covered = [at for start, end in _gaps(kept, len(layout.text)) for at in _comments(layout, start, end)]
    if not covered:
        return
    begins, ends = _merged(_extent(layout, *child) for child in replaced)
    for at in covered:
        place = bisect_right(begins, at) - 1
        if place < 0 or at >= ends[place]:
            yield at


def _gaps(kept: Sequence[Unchanged], size: int) -> Iterator[tuple[int, int]]:
    for before, after in pairwise([Unchanged(0, 0, 0), *kept, Unchanged(size, size, 0)]):
        if before.end < after.start:
            yield before.end, after.start


def _comments(layout: Layout, start: int, end: int) -> Iterator[int]:
    """Where comments begin in a part of the text."""
    at = layout.text.find("#", start, end)
    while at >= 0:
        node = bisect_right(layout.nodes.starts, at) - 1
        if node >= 0 and layout.is_scalar(node) and at < layout.end(node):
            at = layout.end(node) - 1  # of a value
        else:
            yield at
            at = next_line(layout.text, at) - 1
        at = layout.text.find("#", at + 1, end)


def _extent(layout: Layout, around: int, step: str | int) -> tuple[int, int]:
    """Where a member or an item begins, and where the line with its end or its comma ends."""
    text = layout.text
    if isinstance(step, str):
        _, first, node = layout.members(around)[step]
    else:
        first = node = layout.items(around)[step]
    begin, end = layout.start(first), end_of_value(layout, node)
    if layout.is_flow(around):
        comma = after_gap(text, end)
        return begin, next_line(text, comma if text[comma] == "," else end)
    with suppress(CannotSpliceError):  # a shape whose collection is rewritten
        begin = _begin(layout, around, step)
    return begin, end_of_lines(layout, node)


def _begin(layout: Layout, around: int, step: str | int) -> int:
    if isinstance(step, str):
        return member_begin(layout, layout.members(around)[step]).at
    return item_begin(layout, around, step).at


def _merged(extents: Iterable[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """The begins and the ends of the parts that some parts make up together, in order."""
    begins: list[int] = []
    ends: list[int] = []
    for begin, end in sorted(extents):
        if ends and begin <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            begins.append(begin)
            ends.append(end)
    return begins, ends
