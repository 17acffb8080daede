"""The terminal that a person reads on, where there is one."""

import os
import shutil
import sys
from typing import TextIO

from sidecarctl.reports.page import Page


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
