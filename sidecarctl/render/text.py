"""Blocks as plain text: lines that fit a terminal, tables in columns; of very many pods a row for those alike."""

from collections.abc import Iterator, Sequence

from sidecarctl.render.blocks import Block, Cell, Code, Document, Facts, Items, Notes, PodRow, Pods, Section, Table
from sidecarctl.render.lines import joined, shown
from sidecarctl.render.output import Page
from sidecarctl.render.tables import aligned, table, wrapped

FOLDED_FROM = 21
"""With this many pods or more, a table has a row for pods that are alike."""
_NARROW = 60
"""Narrower tables of pods have fewer columns."""
_INDENT = "  "
NOTHING = "no SidecarSet"


def text_of(document: Document, page: Page) -> Iterator[str]:
    """The blocks, with blank lines between them."""
    joint = ""
    for block in document.blocks:
        if text := joined(_lines(block, page)):
            yield joint + text
            joint = "\n"
    if document.nothing and not joint:
        yield f"{document.nothing}\n"


def _lines(block: Block, page: Page) -> Iterator[str]:
    match block:
        case Section():
            yield from _section(block, page)
        case Facts(rows, column):
            for label, text in rows:
                yield from _wrapped(f"{_INDENT}{label:<{column}}{text}", page, column + 2)
        case Items(lines):
            for line in lines:
                yield from _wrapped(f"{_INDENT}- {line}", page, 4)
        case Notes(lines):
            yield from map(shown, lines)
        case Table():
            yield from _table(block, page)
        case Pods():
            yield from _pods(block, page)


def _wrapped(line: str, page: Page, hanging: int) -> Iterator[str]:
    return wrapped(shown(line), page.width, hanging) if page.width else iter([shown(line)])


def _section(section: Section, page: Page) -> Iterator[str]:
    """The title and the blocks; facts and sentences follow it at once, others after a blank line."""
    hanging = next((block.column + 2 for block in section.blocks if isinstance(block, Facts)), 4)
    yield from _wrapped(": ".join(filter(None, (section.label or section.title, section.summary))), page, hanging)
    for block in section.blocks:
        follows = isinstance(block, Facts | Items) or (isinstance(block, Table) and block.is_aligned)
        lines = list(_lines(block, page))
        yield from lines if follows or not lines else ["", *lines]


def _table(block: Table, page: Page) -> Iterator[str]:
    rows = [[_said(cell) for cell in row] for row in block.rows]
    if block.is_aligned:
        return aligned(block.columns, rows, page.width)
    titles = [(column.short or column.title).upper() for column in block.columns]
    return iter(table(titles, rows, None if block.is_wide else page.width, _INDENT) if rows else [])


def _said(cell: Cell) -> str:
    return cell.text if isinstance(cell, Code) else cell


def _pods(block: Pods, page: Page) -> Iterator[str]:
    if block.listed >= FOLDED_FROM and not page.all_pods:
        found = block.folded()
        header, rows = [column.title.upper() for column in found.columns], [[*map(_said, row)] for row in found.rows]
    else:
        header = ["POD", "STATE", "INJECTED", block.more.upper(), "WHY"]
        rows = [pod_cells(row) for row in block.rows() if row.is_listed or page.all_pods]
    if page.width is not None and page.width < _NARROW:
        header, rows = [*header[:2], header[-1]], [_narrowed(row, header) for row in rows]
    return iter(table(header, rows, page.width, _INDENT) if rows else [])


def pod_cells(row: PodRow) -> list[str]:
    """The cells of a pod: its name, all of its states, and so on."""
    return [row.pod, ", ".join(filter(None, (row.state, row.further))), row.revision, row.more, row.why]


def _narrowed(row: Sequence[str], header: Sequence[str]) -> list[str]:
    """The third and fourth column become part of the text, so that states are not cut."""
    which, state, revision, more, text = row
    said = "" if revision == more == "-" else f"revision {revision}, {header[3].lower()}: {more}"
    return [which, state, "; ".join(filter(None, (said, text)))]
