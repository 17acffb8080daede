"""The terminal: its width and colors, and a progress line."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, TextIO

from sidecarctl.facts.start_up import lazy_pattern
from sidecarctl.files.inputs import watched_by
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.output import Page

if TYPE_CHECKING:
    from rich.progress import Progress


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
    "not_upgradable": "NotUpgradable",
    "lacking": "NeverInjected|SidecarMissing",
}
"""The states of pods by the names of the colors that the pages have for them (`color_of` of reports/html)."""
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


_PATIENCE = 1.0
"""Seconds before anything is shown."""
_PAUSE = 0.1
"""Seconds between two changes of the line. It has no thread of its own, since workers may be forked."""


@contextmanager
def reading_shown() -> Iterator[None]:
    """Show what is read in here."""
    with watched_by(ReadingMeter()):
        yield


class ReadingMeter:
    """Counts files and bytes, then pods of rollouts that are simulated; `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._began = self._changed = clock()
        self._files: set[str] = set()
        self._bytes = 0
        self._sizes: dict[str, int] = {}
        self._seen: dict[str, int] = {}
        self._simulates: tuple[float, int] | None = None
        self._line: Progress | None = None

    def expect(self, sizes: Mapping[str, int]) -> None:
        """Know how large files are."""
        self._sizes |= sizes

    def simulated(self, done: int, total: int) -> None:
        """Tell how far a rollout is."""
        now = self._clock()
        if self._simulates is None or done < self._simulates[1]:  # another rollout begins
            self._simulates = now, done
        began, first = self._simulates
        if now - self._began >= _PATIENCE and now - self._changed >= _PAUSE:
            self._changed = now
            left = _left(total - done, (done - first) / (now - began) if now > began else 0)
            self._draw(f"simulated {done:,} of {total:,} pods{left}")

    def answered(self, done: int, total: int) -> None:
        """Tell how many clusters are done; each takes a while, so that each is shown."""
        seconds = self._clock() - self._began
        if seconds >= _PATIENCE:
            self._draw(f"answered for {done:,} of {total:,} clusters{_left(total - done, done / seconds)}")

    def read(self, name: str, size: int) -> None:
        """Count some bytes of a file."""
        if name in self._sizes:
            self._seen[name] = self._seen.get(name, 0) + size
        self._files.add(name)
        self._bytes += size
        now = self._clock()
        if now - self._began >= _PATIENCE and now - self._changed >= _PAUSE:
            self._changed = now
            self._show(name, now - self._began)

    def so_far(self, name: str, seconds: float) -> str:
        """`read 12 files, 104.2 MB of 312.0 MB (23.1 MB/s), 9 s left: pods.json`; the total if it is known."""
        files = f"{len(self._files):,} file{'' if len(self._files) == 1 else 's'}"
        rate = self._bytes / 1e6 / seconds
        if self._files <= self._sizes.keys():
            total = sum(self._sizes.values()) / 1e6
            size = sum(_of_this_time(seen, self._sizes[item]) for item, seen in self._seen.items()) / 1e6
            left = _left(total - size, rate)
            return f"read {files}, {size:,.1f} MB of {total:,.1f} MB ({rate:,.1f} MB/s){left}: {shown(name)}"
        return f"read {files}, {self._bytes / 1e6:,.1f} MB ({rate:,.1f} MB/s): {shown(name)}"

    def stop(self) -> None:
        """Remove the line."""
        if self._line is not None:
            self._line.stop()
            self._line = None

    def _show(self, name: str, seconds: float) -> None:
        self._draw(self.so_far(name, seconds))

    def _draw(self, text: str) -> None:
        if self._line is None:
            self._line = _new_line()
            self._line.add_task(text)
            self._line.start()
        self._line.update(self._line.task_ids[0], description=text)
        self._line.refresh()


def _of_this_time(seen: int, size: int) -> int:
    """The bytes of a file that were read since it was last begun: some files are read twice."""
    return seen % size or size if size else 0


def _left(more: float, rate: float) -> str:
    """`, 9 s left` at a rate per second; empty if the rate is unknown."""
    return f", {ceil(more / rate):,} s left" if rate > 0 and more > 0 else ""


def _new_line() -> "Progress":
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False))
    return Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
