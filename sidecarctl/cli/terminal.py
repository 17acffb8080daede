"""The terminal that a person reads on, where there is one."""

import os
import shutil
import sys
from typing import TextIO


def text_width() -> int | None:
    """How many columns a text on stdout may have; None for as many as it needs, as in a pipe or a file."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def shows_progress() -> bool:
    """Whether stderr is a terminal on which a line may be written over."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")


def shows_colours(stream: TextIO) -> bool:
    """Whether a stream is a terminal that shows colours, to a person who wants them."""
    unwanted = os.environ.get("NO_COLOR") or os.environ.get("CI") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not unwanted
