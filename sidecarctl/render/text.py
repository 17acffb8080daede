"""Blocks as plain text: lines that fit a terminal, tables in columns; for very many pods a row for equal ones."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sidecarctl.engine.facts.findings import named
from sidecarctl.render.blocks import (
    Badge,
    Block,
    BlockDocument,
    Cell,
    Code,
    Counts,
    Diff,
    FactList,
    FieldRow,
    Fields,
    FindingList,
    Idle,
    Items,
    Lines,
    Names,
    NoteList,
    PodGroup,
    PodList,
    PodRow,
    Ranking,
    Section,
    Table,
    VersionList,
    WaveList,
)
from sidecarctl.render.findings import findings_text
from sidecarctl.render.lines import count, joined, shown
from sidecarctl.render.output import Page
from sidecarctl.render.tables import aligned, table, wrapped
from sidecarctl.render.waves import group_text, ranking_text, wave_text

FOLDED_FROM = 21
"""With this many pods or more, a table has a row for equal pods."""
_NARROW = 60
"""Narrower tables of pods have fewer columns."""
_LEAST_WIDTH = 40
_INDENT = "  "
_SHOWN_VALUE = 160
_SHOWN_STRUCTURE = 60
NOTHING = "no SidecarSet"


def text_of(document: BlockDocument, page: Page) -> Iterator[str]:
    """The blocks, with blank lines between them."""
    if document.wraps_at:
        page = page._replace(width=max(page.width or document.wraps_at, _LEAST_WIDTH))
    joint = ""
    for block in document.blocks:
        if text := joined(_lines(block, page)):
            yield joint + text
            joint = "\n"
    if document.nothing and not joint:
        yield f"{document.nothing}\n"


def _lines(block: Block, page: Page) -> Iterable[str]:
    """The lines of a block; none for one that is for other formats."""
    return _WRITERS[type(block)](block, page) if type(block) in _WRITERS else ()


def _facts(block: FactList, page: Page) -> Iterator[str]:
    for label, text in block.rows:
        yield from _wrapped(f"{_INDENT}{label:<{block.column}}{text}", page, block.column + 2)


def _items(block: Items, page: Page) -> Iterator[str]:
    for line in block.lines:
        yield from _wrapped(f"{_INDENT}- {line}", page, 4)


def _notes(block: NoteList, _page: Page) -> Iterable[str]:
    return map(shown, block.lines)


def _versions(block: VersionList, _page: Page) -> Iterator[str]:
    for name, before, after in block.rows:
        yield shown(f"{_INDENT}{name:<18}  {before}{_then(before, after)}")


def _diff(block: Diff, _page: Page) -> Iterable[str]:
    return () if block.repeats else map(shown, block.text.splitlines())


def _names(block: Names, _page: Page) -> Iterator[str]:
    yield from (shown(f"{_INDENT}{name}") for name in block.names)


def _counts(block: Counts, _page: Page) -> Iterator[str]:
    yield shown(block.text)


def _idle(block: Idle, page: Page) -> Iterator[str]:
    return _wrapped(block.sentence, page, 4)


def _then(before: str, after: str) -> str:
    return f" -> {after}" if before != after else " (unchanged)"


def _wrapped(line: str, page: Page, hanging: int) -> Iterator[str]:
    return wrapped(shown(line), page.width, hanging) if page.width else iter([shown(line)])


def _section(section: Section, page: Page) -> Iterator[str]:
    """The title and the blocks; facts, sentences and a table of numbers follow at once, others after a blank line."""
    hanging = next((block.column + 2 for block in section.blocks if isinstance(block, FactList)), 4)
    yield from _wrapped(heading_of(section), page, hanging)
    is_below = False
    for block in section.blocks:
        is_table_of_numbers = isinstance(block, Table) and block.is_aligned
        follows = section.is_dense or isinstance(block, FactList | Items) or (is_table_of_numbers and not is_below)
        lines = list(_lines(block, page))
        yield from lines if follows or not lines else ["", *lines]
        is_below = is_table_of_numbers
    if section.is_ending:
        yield from ("", *_wrapped(section.summary, page, 0))


def heading_of(section: Section) -> str:
    """The line about a section, as texts and Markdown have it."""
    if section.is_ending:
        return section.title
    return ": ".join(filter(None, (section.label or section.title, section.heading or section.summary)))


def _fields(block: Fields, page: Page) -> Iterator[str]:
    rows = [(row.path, _change(row)) for row in block.rows[: block.most]]
    yield from table(("FIELD", "BEFORE -> AFTER"), rows, page.width, _INDENT) if rows else []
    if more := len(block.rows[block.most :]):
        yield f"{_INDENT}{count(more, 'more field')}; -o json has all of them"


def _change(row: FieldRow) -> str:
    before, after = map(_cut, (row.before, row.after), row.structures)
    return f"{before} -> {after}{f' ({row.note})' if row.note else ''}"


def _cut(text: str, is_structure: bool) -> str:  # noqa: FBT001 - for each of two values
    most = _SHOWN_STRUCTURE if is_structure else _SHOWN_VALUE
    return text if len(text) <= most else f"{text[:most]}.."


def table_text(block: Table, page: Page) -> Iterator[str]:
    """The rows in columns."""
    rows = [[_cell_text(cell) for cell in row] for row in block.rows]
    if block.is_aligned:
        return aligned(block.columns, rows, page.width)
    titles = [(column.short or column.title).upper() for column in block.columns]
    return iter(table(titles, rows, None if block.is_wide else page.width, _INDENT))


def _cell_text(cell: Cell) -> str:
    match cell:
        case Code(text):
            return text
        case Lines(lines):
            return "; ".join(lines)
        case Names(_, names):
            return named(names)
        case Badge(text, _):
            return text
    return cell


def _pods(block: PodList, page: Page) -> Iterator[str]:
    if block.listed >= FOLDED_FROM and not page.all_pods:
        found = block.folded()
        header, rows = (
            [column.title.upper() for column in found.columns],
            [[*map(_cell_text, row)] for row in found.rows],
        )
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


_WRITERS: Mapping[type[Any], Callable[[Any, Page], Iterable[str]]] = {
    Section: _section,
    FactList: _facts,
    Items: _items,
    NoteList: _notes,
    Table: table_text,
    PodList: _pods,
    VersionList: _versions,
    Fields: _fields,
    Diff: _diff,
    Names: _names,
    Counts: _counts,
    WaveList: wave_text,
    PodGroup: group_text,
    Ranking: ranking_text,
    Idle: _idle,
    FindingList: findings_text,
}
