"""Keeps a run within its memory: a lack is reported, very many results go into a file."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import IO, Generic, TypeVar

from sidecarctl.engine.facts.errors import ImpossibleError, impossible
from sidecarctl.engine.facts.reasons import Reason

Item = TypeVar("Item")


def out_of_memory() -> ImpossibleError:
    """The error for a MemoryError."""
    message = "not enough memory; a document needs up to 75 times its size"
    hint = "split the document, a List with anchors for instance, or use fewer workers (-j)"
    return impossible(Reason.TOO_LARGE, message, hint=hint)


class Spool(Generic[Item]):
    """Items in the order in which they were added; about `most_in_memory` of them are kept in memory."""

    def __init__(self, most_in_memory: int) -> None:
        self._most = most_in_memory
        self._kept: list[Item] = []
        self._in_file = 0
        self._file: IO[bytes] | None = None

    def add(self, items: Iterable[Item]) -> None:
        """Add some items."""
        self._kept += items
        if len(self._kept) > self._most:
            import pickle

            if self._file is None:
                self._file = self._new_file()
            pickle.dump(self._kept, self._file)
            self._in_file += len(self._kept)
            self._kept = []

    def _new_file(self) -> IO[bytes]:
        """A file that is closed, and so is gone, when the spool is."""
        from tempfile import TemporaryFile  # slow to load, and few inputs need it
        from weakref import finalize

        file = TemporaryFile()  # noqa: SIM115 - closed by the line below
        finalize(self, file.close)
        return file

    def __len__(self) -> int:
        return self._in_file + len(self._kept)

    def __iter__(self) -> Iterator[Item]:
        if self._file is not None:
            import pickle

            self._file.seek(0)
            with suppress(EOFError):
                while True:
                    yield from pickle.load(self._file)  # noqa: S301 - this process wrote it a moment ago
        yield from self._kept


def spooled(items: Iterable[Item], most_in_memory: int) -> Spool[Item]:
    """The items in a spool; each is made when the one before is kept."""
    spool: Spool[Item] = Spool(most_in_memory)
    for item in items:
        spool.add([item])
    return spool
