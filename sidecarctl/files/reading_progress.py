"""How much a run reads, for whoever watches it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Watcher: TypeAlias = Callable[[str, int], None]
"""Is given the name of a file and how many bytes of it were read now."""

_watchers: list[tuple[Watcher, Callable[[], None]]] = []


def was_read(name: str, size: int) -> None:
    """Some bytes of a file were read."""
    for watch, _ in _watchers:
        watch(name, size)


@contextmanager
def watched_by(watch: Watcher, stop: Callable[[], None]) -> Iterator[None]:
    """Tell a watcher of everything that is read in here; `stop` is called at the end, or when output begins."""
    _watchers.append((watch, stop))
    try:
        yield
    finally:
        stop_watching()


def stop_watching() -> None:
    """Output begins, which a line of progress must not be mixed with."""
    while _watchers:
        _watchers.pop()[1]()
