"""A line on the terminal that shows the progress of a run."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING

from sidecarctl.engine.files.inputs import watched_by
from sidecarctl.render.lines import shown

if TYPE_CHECKING:
    from rich.progress import Progress

_PATIENCE = 1.0
"""Seconds before anything is shown."""
_PAUSE = 0.1
"""Seconds between two changes of the line. It uses no thread, since workers may be forked."""


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
        """Show how far a rollout is."""
        now = self._clock()
        if self._simulates is None or done < self._simulates[1]:  # another rollout begins
            self._simulates = now, done
        began, first = self._simulates
        if now - self._began >= _PATIENCE and now - self._changed >= _PAUSE:
            self._changed = now
            left = _left(total - done, (done - first) / (now - began) if now > began else 0)
            self._draw(f"simulated {done:,} of {total:,} pods{left}")

    def answered(self, done: int, total: int) -> None:
        """Show how many clusters are done; each takes a while, so each is shown."""
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
    from rich.console import Console  # most runs end before there is anything to show
    from rich.progress import Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False))
    return Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
