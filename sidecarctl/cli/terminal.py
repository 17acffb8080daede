"""The terminal that a person reads on, where there is one: how wide it is, and what it shows in colour."""

import os
import shutil
import sys
from typing import TextIO

from sidecarctl.reports.page import Page

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
    """What a document on stdout is laid out for: any width in a pipe, bars only where they can be shown."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    draws = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    return Page(width, "█" if draws else "#", all_pods)


def shows_progress() -> bool:
    """Whether stderr is a terminal on which a line may be overwritten."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")


def shows_colours(stream: TextIO) -> bool:
    """Whether a stream is a terminal that shows colours, to a person who wants them."""
    unwanted = os.environ.get("NO_COLOR") or os.environ.get("CI") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not unwanted


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
