"""The terminal: its width and colors."""

import os
import shutil
import sys
from contextvars import ContextVar
from enum import StrEnum
from typing import TextIO

from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.render.output import Page


class ColorChoice(StrEnum):
    """When to write colors."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


_CHOICE: ContextVar[ColorChoice] = ContextVar("colors", default=ColorChoice.AUTO)
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
    "updated": "green",
    "updating": "yellow",
    "not_ready": "bold magenta",
    "waiting": "dim",
    "in_flight": "magenta",
    "held_back": "dim",
    "not_upgradable": "red",
    "lacking": "bold red",
}
"""The last ones are the colors of states on the pages, by the same names."""
STATES = {
    "updated": "Updated",
    "updating": "Updating|Resetting",
    "not_ready": "NotReady",
    "waiting": "Waiting",
    "in_flight": "Busy",
    "held_back": "WaitingForBudget|HeldByPartition|HeldBySelector|Paused|NotUpdate",
    "not_upgradable": "NotUpgradable|OtherImages|StaticPod",
    "lacking": "NeverInjected|SidecarMissing",
}
"""The states of pods by the names of the colors that the pages have for them (`color_of` in features/status)."""
_GOOD, _ODD, _BAD = "injected|uninjected|updated|InPlace|NoEffect", "Stops|Recreate", "failed|Stalled|Stalls|Rejected"
_TO_SEE = "warning|to (?:un)?inject"
_REPORT = (
    # The first word of a line: the outcome for an object, or the severity of a finding.
    rf"^(?:(?P<good>{_GOOD})|(?P<bad>error|failed)|(?P<odd>{_TO_SEE})|(?P<quiet>unchanged|skipped|other|note))\b",
    r"(?P<quiet>\[[A-Z][A-Za-z]+\]$)",
    # A set's head, the head of a table, how it ends.
    r"^(?P<title>SidecarSet \S+$|(?!error:|warning:|note:)[^\s:]+: )",
    r"^(?P<title> *[A-Z]{3,}(?: +[A-Z>-]{2,})+)$",
    r"^\S+: (?:(?P<good>InPlace|NoEffect)|(?P<odd>Recreate)|(?P<bad>Rejected))\b",
    r"^(?:(?P<good>Completes?)|(?P<odd>Stops)|(?P<bad>Stall(?:s|ed)))\b.*",
    r"(?P<bar>█+)",
    # The state of a pod, in its column of a table or in the sentence of an explanation.
    *(
        rf"(?:(?<=  )|(?<=, )|(?<= is )|(?<=: ))(?P<{color}>{words})(?=  |:|,|$| \()"
        for color, words in STATES.items()
    ),
)
_DIFF = (
    r"^(?P<title>(?:---|\+\+\+) .*)",
    r"^(?P<added>\+(?!\+\+ ).*)",
    r"^(?P<removed>-(?!-- ).*)",
    r"^(?P<place>@@.*)",
)


def page_of_stdout() -> Page:
    """The layout of a document on stdout: any width in a pipe, bars only if they can be shown."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    draws = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    return Page(width, "█" if draws else "#")


def shows_progress() -> bool:
    """Whether stderr is a terminal that can overwrite a line."""
    return shows_live(sys.stderr)


def shows_live(stream: TextIO) -> bool:
    """Whether a stream is a terminal that can overwrite lines."""
    return stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")


def choose_colors(choice: ColorChoice) -> None:
    """Set the user's choice."""
    _CHOICE.set(choice)


def shows_colors(stream: TextIO) -> bool:
    """Whether to write colors: as --color, NO_COLOR or FORCE_COLOR say, else on a terminal that shows them."""
    choice = _CHOICE.get()
    if choice is not ColorChoice.AUTO:
        return choice is ColorChoice.ALWAYS
    if os.environ.get("NO_COLOR"):
        return False
    if forced := os.environ.get("FORCE_COLOR"):
        return forced != "0"
    return stream.isatty() and not (os.environ.get("CI") or os.environ.get("TERM") == "dumb")


# What a GitHub workflow takes for a command: after blanks at the start of a line, and the old form anywhere.
_COMMAND = lazy_pattern(r"(?m)^[ \t]*(?=::)|##(?=\[)")


def without_commands(text: str) -> str:
    """The text with a backslash in what a GitHub workflow, if this is one, would take from its log as a command."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return text
    return _COMMAND.sub(r"\g<0>\\", text)


def colored_report(text: str, stream: TextIO) -> str:
    """Lines of a report as they go to a stream."""
    return _colored(text, _REPORT) if shows_colors(stream) else text


def colored_diff(text: str, stream: TextIO) -> str:
    """Lines of a unified diff as they go to a stream."""
    return _colored(text, _DIFF) if shows_colors(stream) else text


def _colored(text: str, patterns: tuple[str, ...]) -> str:
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
