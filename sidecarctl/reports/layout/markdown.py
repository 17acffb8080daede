"""Text from manifests inside Markdown, where none of it is markup, and reports that stay short enough."""

import re
from collections.abc import Sequence

from sidecarctl.reports.layout.lines import shown

MOST_CHARACTERS = 60_000
"""A comment of a pull request may be a little longer."""

_NOTE = 100
"""What is kept free for the words that say what is missing."""

_MARKUP = re.compile(r"[^\w\s.,:;/%()'\"+=-]|_")


def cell(text: str) -> str:
    """Words inside a line or a table."""
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", shown(text))


def code(text: str) -> str:
    """A name or value in a fixed font; its own backticks and bars do no harm."""
    return f"<code>{cell(text)}</code>" if text else ""


def diff_block(text: str) -> str:
    """A unified diff as a fenced block that it cannot end."""
    longest = max((len(found) for found in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = "\n".join(shown(line) for line in text.rstrip("\n").split("\n"))
    return f"{fence}diff\n{lines}\n{fence}\n"


def fitting(head: str, sections: Sequence[str], what: str) -> str:
    """The head and as many sections as are short enough together; how many more there are is told.

    A head that is too long itself is cut between two of its lines.
    """
    room = MOST_CHARACTERS - _NOTE
    if len(head) > room:
        return head[: head.rfind("\n", 0, room) + 1] + "\n(shortened)\n"
    text, left = head, len(sections)
    for section in sections:
        if len(text) + len(section) >= room:
            return f"{text}\n{left} more {what}{'' if left == 1 else 's'}: too long for a comment.\n"
        text += f"\n{section}"
        left -= 1
    return text
