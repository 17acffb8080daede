"""Rows as a table of plain text that fits a width."""

from collections.abc import Sequence
from textwrap import wrap

from sidecarctl.reports.lines import shown

_GAP = "  "
_LEAST = 8
_MARK = ".."
_LEAST_TEXT = 24


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], width: int | None = None, indent: str = ""
) -> list[str]:
    """The lines of a table; None for as wide as it needs to be.

    The last column is text that is wrapped, below the row where nothing is left beside it. The others are cut in
    their middle, the widest first.
    """
    cells = [[shown(cell) for cell in row] for row in (header, *rows)]
    *columns, last = [max(map(len, column)) for column in zip(*cells, strict=True)]
    if width is None:
        return [_line(indent, row[:-1], columns, row[-1]) for row in cells]
    room = width - len(indent)
    least_text = min(last, _LEAST_TEXT)
    columns = _fitting(columns, room - least_text - len(_GAP) if last else room)
    left = room - sum(columns) - len(_GAP) * len(columns)
    beside = left >= least_text
    return [line for row in cells for line in _wrapped(indent, row, columns, left if beside else room, beside=beside)]


def _fitting(columns: list[int], room: int) -> list[int]:
    columns = list(columns)
    while sum(columns) + len(_GAP) * (len(columns) - 1) > room:
        widest = max(range(len(columns)), key=columns.__getitem__)
        if columns[widest] <= _LEAST:
            break
        columns[widest] -= 1
    return columns


def _wrapped(indent: str, row: list[str], columns: list[int], left: int, *, beside: bool) -> list[str]:
    *cells, text = row
    if beside:
        first, *more = wrap(text, left) or [""]
        further = " " * (sum(columns) + len(_GAP) * len(columns))
        return [_line(indent, cells, columns, first), *(f"{indent}{further}{line}" for line in more)]
    below = f"{indent}    "
    return [_line(indent, cells, columns, ""), *(f"{below}{line}" for line in wrap(text, max(left - 4, _LEAST)))]


def _line(indent: str, cells: Sequence[str], columns: Sequence[int], text: str) -> str:
    padded = [f"{_cut(cell, size):<{size}}" for cell, size in zip(cells, columns, strict=True)]
    return (indent + _GAP.join([*padded, text])).rstrip()


def _cut(cell: str, size: int) -> str:
    """A cell that fits; its end tells pods and revisions apart, so the middle goes."""
    if len(cell) <= size:
        return cell
    kept = size - len(_MARK)
    return f"{cell[: kept // 2]}{_MARK}{cell[len(cell) - (kept - kept // 2) :]}"
