"""The progress shown on a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from sidecarctl.cli.terminal import shows_progress
from sidecarctl.kubectl.calls import Progress, no_progress
from sidecarctl.reports.layout.lines import shown


@contextmanager
def progress_line() -> Iterator[Progress]:
    """A progress line on a terminal: what is being read, and how much so far; removed at the end."""
    if not shows_progress():
        yield no_progress
        return

    def show(command: str, size: int) -> None:
        sys.stderr.write(f"\r\x1b[K{shown(command)}: {size / 1e6:.1f} MB")
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
