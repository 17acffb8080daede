"""Colours for a person at a terminal; everywhere else text stays as it is."""

import sys
from typing import TextIO

import typer

from sidecarctl.cli.terminal import shows_colours

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


def tell(line: str) -> None:
    """Write a line of a report to stderr."""
    typer.echo(coloured_report(line, sys.stderr), err=True)


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
