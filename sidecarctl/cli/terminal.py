"""The terminal, if any: its width, and what is shown in colour."""

import os
import shutil
import sys
from contextvars import ContextVar
from enum import StrEnum
from typing import TextIO

from sidecarctl.reports.page import Page


class ColorChoice(StrEnum):
    """When to write colours."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


_CHOICE: ContextVar[ColorChoice] = ContextVar("colours", default=ColorChoice.AUTO)
_STYLES = {
    "good": "green",
    "bad": "bold red",
    "odd": "yellow",
    "quiet": "dim",
    "title": "bold",
    "added": "green",
    "removed": "red",
    "place": "cyan",
    "bar": "cyan",
}
_GOOD, _ODD, _BAD = "injected|uninjected|updated|InPlace|NoEffect", "Stops|Recreate", "failed|Stalled|Stalls|Rejected"
_TO_SEE = "warning|to (?:un)?inject"
_REPORT = (
    # The words that a line begins with: what became of an object, or how grave a finding is.
    rf"^(?:(?P<good>{_GOOD})|(?P<bad>error|failed)|(?P<odd>{_TO_SEE})|(?P<quiet>unchanged|skipped|other|note))\b",
    r"(?P<quiet>\[[A-Z][A-Za-z]+\]$)",
    # A set's head, the head of a table, how it ends.
    r"^(?P<title>SidecarSet \S+$|(?!error:|warning:|note:)[^\s:]+: )",
    r"^(?P<title> *[A-Z]{3,}(?: +[A-Z>-]{2,})+)$",
    r"^\S+: (?:(?P<good>InPlace|NoEffect)|(?P<odd>Recreate)|(?P<bad>Rejected))\b",
    r"^(?:(?P<good>Completes?)|(?P<odd>Stops)|(?P<bad>Stall(?:s|ed)))\b.*",
    r"(?P<bar>█+)",
)
_DIFF = (
    r"^(?P<title>(?:---|\+\+\+) .*)",
    r"^(?P<added>\+(?!\+\+ ).*)",
    r"^(?P<removed>-(?!-- ).*)",
    r"^(?P<place>@@.*)",
)


def page_of_stdout(*, all_pods: bool = False) -> Page:
    """The layout of a document on stdout: any width in a pipe, bars only if they can be shown."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    draws = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    return Page(width, "█" if draws else "#", all_pods)


def shows_progress() -> bool:
    """Whether stderr is a terminal that can overwrite a line."""
    return shows_live(sys.stderr)


def shows_live(stream: TextIO) -> bool:
    """Whether a stream is a terminal that can overwrite lines."""
    return stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")


def choose_colors(choice: ColorChoice) -> None:
    """What the user wants, from now on."""
    _CHOICE.set(choice)


def shows_colours(stream: TextIO) -> bool:
    """Whether to write colours: as --color, NO_COLOR or FORCE_COLOR say, else on a terminal that shows them."""
    choice = _CHOICE.get()
    if choice is not ColorChoice.AUTO:
        return choice is ColorChoice.ALWAYS
    if os.environ.get("NO_COLOR"):
        return False
    if forced := os.environ.get("FORCE_COLOR"):
        return forced != "0"
    return stream.isatty() and not (os.environ.get("CI") or os.environ.get("TERM") == "dumb")


def coloured_report(text: str, stream: TextIO) -> str:
    """Lines of a report as they go to a stream."""
    return _coloured(text, _REPORT) if shows_colours(stream) else text


def coloured_diff(text: str, stream: TextIO) -> str:
    """Lines of a unified diff as they go to a stream."""
    return _coloured(text, _DIFF) if shows_colours(stream) else text


def _coloured(text: str, patterns: tuple[str, ...]) -> str:
    from rich.console import Console
    from rich.text import Text
    from rich.theme import Theme

    console = Console(force_terminal=True, color_system="standard", theme=Theme(_STYLES), legacy_windows=False)
    painted = Text(text, tab_size=1)
    for pattern in patterns:
        painted.highlight_regex(f"(?m){pattern}")
    with console.capture() as capture:
        console.print(painted, soft_wrap=True, end="")
    return capture.get()
