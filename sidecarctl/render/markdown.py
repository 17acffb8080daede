"""Text from manifests inside Markdown, escaped, and reports that stay within a length limit."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from sidecarctl.engine.facts.findings import Finding, Place, Severity, named
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import path_text
from sidecarctl.render.blocks import (
    Badge,
    Block,
    BlockDocument,
    Cell,
    Code,
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
    Overview,
    PodGroup,
    PodList,
    Ranking,
    Section,
    Sentence,
    Table,
    VersionList,
    WaveList,
    columns,
)
from sidecarctl.render.lines import count, joined, rule_id, shown
from sidecarctl.render.output import Links, Page
from sidecarctl.render.run.findings import base_words
from sidecarctl.render.tables import folded as names_in
from sidecarctl.render.text import heading_of, pod_cells

MOST_CHARACTERS = 60_000
"""The limit of a pull request comment is slightly higher."""

MOST_ROWS = 20
"""The items of a list that are not folded."""
MARKER = "<!-- sidecarctl diff -->"
"""The first line of a comment on a pull request, by which CI finds it again."""
IDLE = "<!-- nothing new -->"
"""After the marker: nothing to post, unless an earlier comment says something else."""
MOODS = {"bad": "❌", "held": "⏸", "good": "✅", "odd": "⚠️"}
MARKS = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.NOTE: "ℹ️"}  # noqa: RUF001 - a sign, no letter

_SHOWN_VALUE = 120
"""Characters of a value that are not folded."""
_MOSTLY = 0.9
"""The part of the limit that the blocks may take before they are written shorter."""
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
        kept = head[: head.rfind("\n", 0, room) + 1]
        return kept + "</details>\n" * (kept.count("<details>") - kept.count("</details>")) + "\n(shortened)\n"
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
"""With more pods, a table has a row for equal pods."""


_ROOMS = ((40, 120), (24, 60), (12, 40), (8, 24))
"""Rows, and characters of names in each: the first pair that is short enough is used."""


def markdown_of(document: BlockDocument, page: Page) -> str:
    """The blocks under their headings, those that fit, then the findings; a comment begins with the findings."""
    *rooms, last = (page._replace(rows=rows, names=names) for rows, names in _ROOMS)
    for room in rooms:
        text, is_whole = _written(document, room)
        if is_whole:
            return text
    return _written(document, last)[0]


def _written(document: BlockDocument, page: Page) -> tuple[str, bool]:
    """The text, and whether nothing had to be left out."""
    sections = [text for block in document.blocks for text in _sections(block, document, page) if text]
    if document.nothing and not sections:
        return f"{document.nothing}\n", True
    is_whole = sum(map(len, sections)) < MOST_CHARACTERS * _MOSTLY
    if document.is_comment:
        number = sum(isinstance(block, Overview) for block in document.blocks)
        head = "\n".join([_comment_head(document, page), *sections[:number]])
        sections = [*finding_sections(document.findings, document.known, page.links), *sections[number:]]
        return fitting(head, sections, "section"), is_whole
    if any(section.is_ending for section in document.sections):
        head, *sections = sections
    else:
        head = f"### {cell(document.title)}\n" + (f"\n{cell(document.headline)}\n" if document.headline else "")
    return fitting(head, [*sections, *_listed(document.findings, page)], "section"), is_whole


def _listed(findings: Sequence[Finding], page: Page) -> Iterator[str]:
    items = finding_items(findings[: page.rows])
    if more := len(findings) - len(items):
        items.append(f"- and {more:,} more\n")
    if items:
        yield f"#### Findings\n\n{''.join(items)}"


def _sections(block: Block, document: BlockDocument, page: Page) -> Iterator[str]:
    """The texts of a block that are kept or left out as a whole."""
    if not isinstance(block, FindingList):
        yield joined(_lines(block, document, page))
        return
    every = [*block.failures, *block.findings]
    for severity, title in _TITLES.items():
        yield _finding_table(title, [(finding, "") for finding in every if finding.severity is severity])
    yield _finding_table("Suppressed", block.suppressed)


_TITLES = {Severity.ERROR: "Errors", Severity.WARNING: "Warnings", Severity.NOTE: "Notes"}


def _finding_table(title: str, findings: Sequence[tuple[Finding, str]]) -> str:
    rows = []
    for finding, suppressor in findings:
        where = code(str(finding.place or finding.subject or ""))
        field = f"{code(path_text(finding.path))}: " if finding.path else ""
        hint = f" ({cell(finding.hint)})" if finding.hint else ""
        by = f", suppressed by {suppressor}" if suppressor else ""
        rows.append(f"| {where} | {field}{cell(finding.message)}{hint} | {code(rule_id(finding))}{by} |")
    head = [f"#### {title}", "", "| where | finding | rule |", "| --- | --- | --- |"]
    return joined([*head, *rows]) if rows else ""


def _comment_head(document: BlockDocument, page: Page) -> str:
    said = [f"behavior: {cell(document.other_behavior)}"] if document.other_behavior else []
    said += [f"settings: {code(page.config)}"] if page.config else []
    marker = MARKER + IDLE * document.is_idle
    return "\n\n".join([f"{marker}\n**{cell(document.headline)}**", *said]) + "\n"


def finding_sections(findings: Iterable[Finding], known: Iterable[Finding], links: Links) -> Iterator[str]:
    """Errors and warnings, then notes, folded, and what is `known`: not new in a change."""
    different = list(dict.fromkeys(findings))
    grave = [finding for finding in different if finding.severity is not Severity.NOTE]
    notes = [finding for finding in different if finding.severity is Severity.NOTE]
    if grave:
        yield _linked_items(grave[:MOST_ROWS], links)
        more = grave[MOST_ROWS:]
        yield from [folded(count(len(more), "more finding"), _linked_items(more, links))] if more else []
    if notes:
        yield folded(count(len(notes), "note"), _linked_items(notes, links))
    if unchanged := list(dict.fromkeys(known)):
        yield folded(base_words(unchanged), _linked_items(unchanged, links))


def _linked_items(findings: Iterable[Finding], links: Links) -> str:
    return "".join(f"- {finding_item(finding, links)}\n" for finding in findings)


def finding_item(finding: Finding, links: Links) -> str:
    """A finding as an item of a list, with a link to its line if there is an address."""
    where = f"{linked(str(finding.place), finding.place, links)}: " if finding.place else ""
    words = str(finding._replace(place=None))
    return f"{MARKS[finding.severity]} {where}{cell(words)} ({code(rule_id(finding))})"


def _lines(block: Block, document: BlockDocument, page: Page) -> Iterable[str]:
    """The lines of a block; none for one that is for other formats."""
    if isinstance(block, Section):
        return (_folded_section if document.is_comment else _section)(block, document, page)
    return _WRITERS[type(block)](block, page) if type(block) in _WRITERS else ()


def _facts(block: FactList, _page: Page) -> Iterator[str]:
    last = ""
    for label, text in block.rows:
        last = label or last  # an empty one repeats
        yield f"- {cell(f'{last}: {text}')}"


def _items(block: Items | NoteList, _page: Page) -> Iterator[str]:
    yield from (f"- {cell(line)}" for line in block.lines)


def _overview(block: Overview, page: Page) -> Iterator[str]:
    rows = block.table.rows
    if block.for_pages:
        return
    if not rows:
        yield f"No {block.table.columns[0].title} differs."
        return
    yield from _table(block.table._replace(rows=rows[:MOST_ROWS]), page)
    if len(rows) > MOST_ROWS:
        yield f"\n{len(rows) - MOST_ROWS} more below."


def _versions(block: VersionList, _page: Page) -> Iterator[str]:
    yield from (f"- {name}: {code(before)}{_then(before, after)}" for name, before, after in block.rows)


def _diff(block: Diff, _page: Page) -> Iterator[str]:
    yield from [] if block.repeats else [diff_block(block.text).removesuffix("\n")]


def _names(block: Names, _page: Page) -> Iterator[str]:
    yield ", ".join(map(code, block.names))


def _then(before: str, after: str) -> str:
    return f" → {code(after)}" if before != after else " (unchanged)"


def _section(section: Section, document: BlockDocument, page: Page) -> Iterator[str]:
    if section.is_ending:
        yield f"### {MOODS[section.mood]} {cell(f'{document.of} {section.title}')}\n\n**{cell(section.summary)}**"
    else:
        yield f"#### {cell(heading_of(section))}"
    for block in section.blocks:
        lines = list(_lines(block, document, page))
        yield from ["", *lines] if lines else lines


def _folded_section(section: Section, document: BlockDocument, page: Page) -> Iterator[str]:
    """A section that is folded; nothing if there is nothing in it."""
    parts = ["\n".join(_lines(block, document, page)) for block in section.blocks]
    if content := "\n\n".join(filter(None, parts)):
        fields = sum(len(block.rows) for block in section.blocks if isinstance(block, Fields))
        said = "; ".join(
            [section.badge if section.heading else section.summary, *([count(fields, "field")] if fields else [])]
        )
        yield folded(f"{code(section.label or section.title)}: {cell(said)}", f"{content}\n").removesuffix("\n")


def _fields(block: Fields, _page: Page) -> Iterator[str]:
    """The fields, those beyond the first folded."""
    yield from _field_table(block.rows[: block.most])
    if more := block.rows[block.most :]:
        yield "\n" + folded(count(len(more), "more field"), joined(_field_table(more))).removesuffix("\n")


def _field_table(rows: Sequence[FieldRow]) -> Iterator[str]:
    has_notes = any(row.note for row in rows)
    if rows:
        yield "| field | before | after |" + " note |" * has_notes
        yield "| --- | --- | --- |" + " --- |" * has_notes
    for row in rows:
        yield f"| {code(row.path)} | {_value(row.before)} | {_value(row.after)} |" + f" {row.note} |" * has_notes


def _value(text: str) -> str:
    """A value; the rest of a long one is folded."""
    if len(text) <= _SHOWN_VALUE:
        return code(text)
    return f"<details><summary>{code(text[:_SHOWN_VALUE])}…</summary>{code(text[_SHOWN_VALUE:])}</details>"


def _table(block: Table, page: Page) -> Iterator[str]:
    yield f"| {' | '.join(cell(column.title) for column in block.columns)} |"
    yield f"| {' | '.join('---:' if column.is_number else '---' for column in block.columns)} |"
    yield from (f"| {' | '.join(_cell(each, page) for each in row)} |" for row in block.rows)


def _cell(said: Cell, page: Page) -> str:
    match said:
        case Code(text, place):
            return linked(text, place, page.links)
        case Lines(lines):
            return "<br>".join(map(cell, lines))
        case Names(_, names):
            return named([*map(code, names)])
        case Badge(text, mood):
            return f"{MOODS[mood]} {cell(text)}"
    return cell(said)


def _pods(block: PodList, page: Page) -> Iterator[str]:
    if block.listed > MOST_PODS and not page.all_pods:
        return _table(block.folded(), page)
    rows = [pod_cells(row) for row in block.rows() if row.is_listed or page.all_pods]
    return _table(Table(columns("pod", "state", "injected", block.more, "why"), rows), page) if rows else iter(())


_BAR = 20


def _waves(block: WaveList, page: Page) -> Iterator[str]:
    rows = block.lines(page.rows, page.rows)
    largest = max(row.pods for row in rows)
    with_times = bool(block.step_seconds)
    yield f"| wave |{' at |' * with_times} pods | | unavailable | names |"
    yield f"| --: |{' --: |' * with_times} --: | :-- | --: | :-- |"
    for row in rows:
        kind = "" if row.kind == "upgrade" else f" {row.kind}"
        bar = "█" * max(1, round(row.pods * _BAR / largest))
        said = cell("; ".join(filter(None, (row.remark, names_in(row.names, page.names)))))
        at = f" {row.at} |" if with_times else ""
        span = row.span.replace("-", "–")  # noqa: RUF001 - a dash
        yield f"| {span} |{at} {row.pods:,}{kind} | {bar} | {row.unavailable:,} | {said} |"


def _group(block: PodGroup, page: Page) -> Iterator[str]:
    details = joined(f"- {cell(detail)}" for detail in block.details)
    script = text_block("\n".join(block.commands), "sh") if block.commands else ""
    parts = (details, script, cell(names_in(block.names, page.names * 2)))
    yield folded(cell(block.title), "\n".join(filter(None, parts)) + "\n")


def _ranking(block: Ranking, page: Page) -> Iterator[str]:
    lines = [f"- {cell(value)}: {largest:,} of {pods:,}" for value, largest, pods in block.rows[: page.rows]]
    if more := len(block.rows[page.rows :]):
        lines.append(f"- and {more:,} more")
    yield folded(f"most unavailable at once, by {cell(block.by)}", joined(lines))


def _idle(block: Idle, _page: Page) -> Iterator[str]:
    yield cell(block.sentence)


def _sentence(block: Sentence, _page: Page) -> Iterator[str]:
    yield cell(block.text)


_WRITERS: Mapping[type[Any], Callable[[Any, Page], Iterable[str]]] = {
    FactList: _facts,
    Items: _items,
    NoteList: _items,
    Table: _table,
    Overview: _overview,
    PodList: _pods,
    VersionList: _versions,
    Fields: _fields,
    Diff: _diff,
    Names: _names,
    WaveList: _waves,
    PodGroup: _group,
    Ranking: _ranking,
    Idle: _idle,
    Sentence: _sentence,
}
