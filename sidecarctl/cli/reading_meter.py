"""The line that shows on a terminal, after a second, how much has been read and how fast."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from sidecarctl.files.reading_progress import watched_by
from sidecarctl.reports.layout.lines import shown

if TYPE_CHECKING:
    from rich.progress import Progress

_PATIENCE = 1.0
"""Seconds before anything is shown."""
_PAUSE = 0.1
"""Seconds between two changes of the line. It has no thread of its own, since workers may be forked."""


@contextmanager
def reading_shown() -> Iterator[None]:
    """Show what is read in here."""
    meter = ReadingMeter()
    with watched_by(meter.read, meter.stop):
        yield


class ReadingMeter:
    """Counts files and bytes; `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._began = self._changed = clock()
        self._files: set[str] = set()
        self._bytes = 0
        self._line: Progress | None = None

    def read(self, name: str, size: int) -> None:
        """Count some bytes of a file."""
        self._files.add(name)
        self._bytes += size
        now = self._clock()
        if now - self._began >= _PATIENCE and now - self._changed >= _PAUSE:
            self._changed = now
            self._show(name, now - self._began)

    def so_far(self, name: str, seconds: float) -> str:
        """`read 12 files, 104.2 MB (23.1 MB/s): pods.json`."""
        files = f"{len(self._files):,} file{'' if len(self._files) == 1 else 's'}"
        size = self._bytes / 1e6
        return f"read {files}, {size:,.1f} MB ({size / seconds:,.1f} MB/s): {shown(name)}"

    def stop(self) -> None:
        """Remove the line."""
        if self._line is not None:
            self._line.stop()
            self._line = None

    def _show(self, name: str, seconds: float) -> None:
        text = self.so_far(name, seconds)
        if self._line is None:
            self._line = _new_line()
            self._line.add_task(text)
            self._line.start()
        self._line.update(self._line.task_ids[0], description=text)
        self._line.refresh()


def _new_line() -> "Progress":
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False))
    return Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
