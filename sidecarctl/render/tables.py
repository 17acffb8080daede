"""What fits a width: wrapped text, names of pods, rows as a table of plain text."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from sidecarctl.engine.rollout.simulated_pods import PodName
from sidecarctl.render.blocks import Column
from sidecarctl.render.lines import shown

_GAP = "  "
_LEAST = 8
_MARK = ".."
_STEP = "    "
_LEAST_TEXT = 24


def wrapped(text: str, width: int, indent: int = 0) -> Iterator[str]:
    """The text in lines that break at spaces; a word longer than a line is not broken.

    Lines after the first begin with `indent` spaces.
    """
    if len(text) <= width:
        yield text
        return
    line = text[: len(text) - len(text.lstrip())]
    is_empty = True
    for word in text.split(" "):
        if not word and is_empty:
            continue
        if not is_empty and len(line) + 1 + len(word) > width:
            yield line.rstrip()
            line, is_empty = " " * indent, True
        line += word if is_empty else f" {word}"
        is_empty = is_empty and not word
    yield line


def folded(names: Sequence[PodName], width: int) -> str:
    """The first names that fit into the columns, at least one, and `+N` for the others.

    A namespace is shown if it differs from that of the previous name: `shop/web-0, web-1, bank/api-0 +12`.
    """
    text, namespace = "", ""
    for index, name in enumerate(names):
        said = shown(name.name if name.namespace == namespace else str(name))
        left = len(names) - index - 1
        longer = f"{text}, {said}" if text else said
        if text and len(longer) + (len(f" +{left:,}") if left else 0) > width:
            return f"{text} +{left + 1:,}"
        text, namespace = longer, name.namespace
    return text


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], width: int | None = None, indent: str = ""
) -> list[str]:
    """The lines of a table; width None for no limit.

    The last column is text, which is wrapped next to its row or, if the other columns leave too little space, below
    it. The other columns are shortened in the middle, widest first, only if they alone are too wide.
    """
    cells = [[shown(cell) for cell in row] for row in (header, *rows)]
    *columns, last = [max(map(len, column)) for column in zip(*cells, strict=True)]
    if width is None:
        return [_line(indent, row[:-1], columns, row[-1]) for row in cells]
    room = width - len(indent)
    left = room - sum(columns) - len(_GAP) * len(columns)
    longest_word = max((len(word) for row in cells for word in row[-1].split()), default=0)
    if left >= min(last, max(_LEAST_TEXT, longest_word)):
        return [line for row in cells for line in _beside(indent, row, columns, left)]
    columns = _fitting(columns, room)
    return [
        _line(indent, cells[0][:-1], columns, ""),
        *(line for row in cells[1:] for line in _below(indent, row, columns, room)),
    ]


def _fitting(columns: list[int], room: int) -> list[int]:
    columns = list(columns)
    while sum(columns) + len(_GAP) * (len(columns) - 1) > room:
        widest = max(range(len(columns)), key=columns.__getitem__)
        if columns[widest] <= _LEAST:
            break
        columns[widest] -= 1
    return columns


def _beside(indent: str, row: list[str], columns: list[int], left: int) -> list[str]:
    first, *more = wrap(row[-1], left, break_on_hyphens=False) or [""]
    further = indent + " " * (sum(columns) + len(_GAP) * len(columns))
    return [_line(indent, row[:-1], columns, first), *(further + line for line in more)]


def _below(indent: str, row: list[str], columns: list[int], room: int) -> list[str]:
    lines = wrap(row[-1], max(room - len(_STEP), _LEAST_TEXT), break_on_hyphens=False)
    return [_line(indent, row[:-1], columns, ""), *(indent + _STEP + line for line in lines)]


def _line(indent: str, cells: Sequence[str], columns: Sequence[int], text: str) -> str:
    padded = [f"{_cut(cell, size):<{size}}" for cell, size in zip(cells, columns, strict=True)]
    return (indent + _GAP.join([*padded, text])).rstrip()


def _cut(cell: str, size: int) -> str:
    """A cell that fits: the middle is cut, because the end identifies pods and revisions."""
    if len(cell) <= size:
        return cell
    kept = size - len(_MARK)
    return f"{cell[: kept // 2]}{_MARK}{cell[len(cell) - (kept - kept // 2) :]}"


_WIDTH = 100


def aligned(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int | None) -> Iterator[str]:
    """A table of numbers, aligned on the right; if it is too wide, without what follows from other columns."""
    first, *others = columns
    lines: list[Sequence[str]] = [[first.title, *(column.short or column.title.upper() for column in others)], *rows]
    sizes = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    if 2 * len(sizes) + sum(sizes) > max(width or _WIDTH, 40):
        kept = [index for index, column in enumerate(columns) if not column.is_extra]
        lines, sizes = [[line[index] for index in kept] for line in lines], [sizes[index] for index in kept]
        columns = [columns[index] for index in kept]
    signs = [">" if column.is_number else "<" for column in columns[1:]]
    for name, *numbers in lines:
        right = (f"{number:{sign}{size}}" for number, sign, size in zip(numbers, signs, sizes[1:], strict=True))
        yield shown(_GAP.join([f"{_GAP}{name:<{sizes[0]}}", *right])).rstrip()


def comma_separated(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The rows as CSV (RFC 4180), but with bare line ends; nothing in a cell breaks its line."""
    import csv  # few runs write it
    from io import StringIO

    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([[shown(cell) for cell in row] for row in (header, *rows)])
    return text.getvalue()
