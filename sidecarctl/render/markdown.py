"""Text from manifests inside Markdown, escaped, and reports that stay within a length limit."""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from sidecarctl.engine.facts.findings import Finding, Place, Severity
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.render.blocks import Block, Cell, Code, Document, Facts, Items, Notes, Pods, Section, Table, columns
from sidecarctl.render.lines import joined, shown
from sidecarctl.render.output import Links, Page
from sidecarctl.render.text import NOTHING, pod_cells

MOST_CHARACTERS = 60_000
"""The limit of a pull request comment is slightly higher."""

MOST_ROWS = 20
"""The items of a list that are not folded."""
MARKER = "<!-- sidecarctl diff -->"
"""The first line of a comment on a pull request, by which CI finds it again."""
MARKS = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.NOTE: "ℹ️"}  # noqa: RUF001 - a sign, no letter

_NOTE = 100
"""Space reserved for the sentence about what is omitted."""

_MARKUP = lazy_pattern(r"[^\w\s.,:;/%()'\"+=-]|_")


def cell(text: str) -> str:
    """Words inside a line or a table."""
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", shown(text))


def code(text: str) -> str:
    """A name or value in a fixed-width font; backticks and bars in it are escaped."""
    return f"<code>{cell(text)}</code>" if text else ""


def linked(text: str, place: Place | None, links: Links) -> str:
    """A name or a place, linked to the line if there is an address."""
    address = links.to(place)
    return f'<a href="{escape(address)}">{code(text)}</a>' if address else code(text)


def table_lines(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table; the cells of its rows are words."""
    yield f"| {' | '.join(header)} |"
    yield "| --- " * len(header) + "|"
    yield from (f"| {' | '.join(map(cell, row))} |" for row in rows)


def finding_items(findings: Iterable[Finding]) -> list[str]:
    """An item of a list for each finding."""
    return [f"- {cell(f'{finding.severity}: {finding}')} ({code(finding.reason)})\n" for finding in findings]


def with_notes(text: str, notes: Sequence[str], title: str = "Notes") -> str:
    """A text and items of a list under their own title, if they fit."""
    return fitting(text, [f"#### {title}\n\n{''.join(notes)}"] if notes else [], "")


def folded(summary: str, content: str) -> str:
    """A folded section; both are Markdown."""
    return f"<details><summary>{summary}</summary>\n\n{content}\n</details>\n"


def diff_block(text: str) -> str:
    """A unified diff as a fenced block that it cannot end."""
    return text_block(text, "diff")


def text_block(text: str, language: str = "text") -> str:
    """A text as a fenced block that it cannot end."""
    longest = max((len(found) for found in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = "\n".join(shown(line) for line in text.rstrip("\n").split("\n"))
    return f"{fence}{language}\n{lines}\n{fence}\n"


def fitting(head: str, sections: Iterable[str], what: str, *, number: int | None = None) -> str:
    """The head and as many sections as fit, and how many are omitted.

    `number` is that of the sections, where they are made one after another. A head that is too long is cut between
    two lines.
    """
    room = MOST_CHARACTERS - _NOTE
    if len(head) > room:
        return head[: head.rfind("\n", 0, room) + 1] + "\n(shortened)\n"
    if number is None:
        sections = list(sections)
        number = len(sections)
    text, left = head, number
    for section in sections:
        if len(text) + len(section) >= room:
            return f"{text}\n{left} more {what}{'' if left == 1 else 's'}: too long for a comment.\n"
        text += f"\n{section}"
        left -= 1
    return text


MOST_PODS = 50
"""With more pods, a table has a row for pods that are alike."""


def markdown_of(document: Document, page: Page) -> str:
    """The blocks under their headings, those that fit, then the findings."""
    blocks = (joined(_lines(block, page)) for block in document.blocks)
    sections = [text for text in blocks if text] or [NOTHING + "\n"]
    return with_notes(
        fitting(f"### {cell(document.title)}\n", sections, "section"), finding_items(document.findings), "Findings"
    )


def _lines(block: Block, page: Page) -> Iterator[str]:
    match block:
        case Section():
            yield f"#### {cell(': '.join(filter(None, (block.label or block.title, block.summary))))}"
            for each in block.blocks:
                lines = list(_lines(each, page))
                yield from ["", *lines] if lines else lines
        case Facts(rows):
            yield from (f"- {cell(f'{label}: {text}' if label else text)}" for label, text in rows)
        case Items(lines) | Notes(lines):
            yield from (f"- {cell(line)}" for line in lines)
        case Table():
            yield from _table(block)
        case Pods():
            yield from _pods(block, page)


def _table(block: Table) -> Iterator[str]:
    if block.rows:
        yield f"| {' | '.join(cell(column.title) for column in block.columns)} |"
        yield f"| {' | '.join('---:' if column.is_number else '---' for column in block.columns)} |"
        yield from (f"| {' | '.join(map(_cell, row))} |" for row in block.rows)


def _cell(said: Cell) -> str:
    return code(said.text) if isinstance(said, Code) else cell(said)


def _pods(block: Pods, page: Page) -> Iterator[str]:
    if block.listed > MOST_PODS and not page.all_pods:
        return _table(block.folded())
    rows = [pod_cells(row) for row in block.rows() if row.is_listed or page.all_pods]
    return _table(Table(columns("pod", "state", "injected", block.more, "why"), rows))
