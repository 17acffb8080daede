"""Text from manifests inside Markdown, escaped, and reports that stay within a length limit."""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from sidecarctl.engine.facts.findings import Finding, Place, Severity
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.render.lines import shown
from sidecarctl.render.output import Links

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
