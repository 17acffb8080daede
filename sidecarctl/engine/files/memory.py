"""Keeps a run within its memory: a lack is reported before the system kills it, very many results go into a file."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Generic, TypeVar

from sidecarctl.engine.facts.errors import ImpossibleError, impossible
from sidecarctl.engine.facts.reasons import Reason

_LEAST = 256 * 1024 * 1024
"""Bytes that are always tried for."""

_CGROUP = Path("/sys/fs/cgroup")
Item = TypeVar("Item")


def out_of_memory() -> ImpossibleError:
    """The error for a MemoryError."""
    message = "not enough memory; a document needs up to 75 times its size"
    hint = "split the document, a List with anchors for instance, or use fewer workers (-j)"
    return impossible(Reason.TOO_LARGE, message, hint=hint)


@contextmanager
def within_available_memory() -> Iterator[None]:
    """Have Python raise MemoryError if the process asks for more than the machine, or its container, has left."""
    from resource import RLIMIT_DATA, getrlimit, setrlimit

    soft, hard = getrlimit(RLIMIT_DATA)
    available = _available()
    most = None if available is None else _held() + available
    if most is not None and (soft < 0 or most < soft):
        with suppress(OSError, ValueError):
            setrlimit(RLIMIT_DATA, (most, hard))
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            setrlimit(RLIMIT_DATA, (soft, hard))


def _held() -> int:
    """The bytes that the process has asked for so far, which are not among those still available."""
    from resource import getpagesize

    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[5]) * getpagesize()
    return 0


def _available() -> int | None:
    """The bytes still available; None if the system does not report it."""
    found = [limit for limit in (_of_machine(), _of_group()) if limit is not None]
    return max(min(found), _LEAST) if found else None


def _of_machine() -> int | None:
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None


def _of_group() -> int | None:
    """What is left below the limit of a container."""
    with suppress(OSError, ValueError):
        most = int((_CGROUP / "memory.max").read_text(encoding="utf-8"))  # `max` is no limit
        used = int((_CGROUP / "memory.current").read_text(encoding="utf-8"))
        statistics = (_CGROUP / "memory.stat").read_text(encoding="utf-8").split()
        cached = int(statistics[statistics.index("file") + 1])  # given back when it is needed
        return most - used + cached
    return None


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
