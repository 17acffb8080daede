"""Temporary files next to the files that they will replace: none is left, however a run ends.

A signal that can be caught removes them at once (`remove_pending`). After one that cannot, the next run that writes
into the folder finds them by their name. A run holds a shared lock on each folder in which it has some; whoever
gets the lock for itself alone knows that the run is gone.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX, _SUFFIX = ".sidecarctl-", ".tmp"
_RANDOM = 8  # bytes of a name

_pending: set[str] = set()
_locks: dict[str, int] = {}
"""The descriptors of the locked folders; the system gives the locks back when the process ends."""


def create(folder: Path) -> tuple[int, Path]:
    """A new temporary file in a folder, open for writing; OSError if there can be none."""
    _hold(str(folder))
    path = folder / f"{_PREFIX}{os.urandom(_RANDOM).hex()}{_SUFFIX}"
    _pending.add(str(path))  # before it is there: a signal may come in between
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), path


def settle(path: Path) -> None:
    """The file has taken its place, or is gone."""
    _pending.discard(str(path))


def remove_pending() -> None:
    """Remove every temporary file of this process."""
    for name in tuple(_pending):
        with suppress(OSError):
            os.unlink(name)  # noqa: PTH108 - a signal handler does as little as it can


def release_folders() -> None:
    """Let other runs look for what is left in the folders."""
    while _locks:
        os.close(_locks.popitem()[1])


def remove_left(folder: Path) -> list[Path]:
    """Remove what runs that were killed have left in a folder; the removed files.

    Nothing where another run is writing there, or where the file system has no locks.
    """
    if str(folder) in _locks:
        return []
    removed: list[Path] = []
    with suppress(OSError), os.scandir(folder) as entries:
        left = [Path(entry.path) for entry in entries if _is_temporary(entry)]
        if left:
            with _alone_in(folder):
                for path in left:
                    path.unlink(missing_ok=True)
                    removed.append(path)
    return removed


def _is_temporary(entry: os.DirEntry[str]) -> bool:
    middle = entry.name.removeprefix(_PREFIX).removesuffix(_SUFFIX)
    is_named_so = len(entry.name) == len(_PREFIX) + 2 * _RANDOM + len(_SUFFIX) and len(middle) == 2 * _RANDOM
    return is_named_so and entry.is_file(follow_symlinks=False)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """While no other run writes into the folder; OSError if one does."""
    from fcntl import LOCK_EX, LOCK_NB, flock

    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _hold(folder: str) -> None:
    """Lock a folder until `release_folders`; without locks of the file system there are none."""
    if folder in _locks:
        return
    from fcntl import LOCK_SH, flock

    with suppress(OSError):
        _locks[folder] = _opened(folder)
        flock(_locks[folder], LOCK_SH)


def _opened(folder: str) -> int:
    try:
        return os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        from resource import RLIMIT_NOFILE, getrlimit, setrlimit

        most = getrlimit(RLIMIT_NOFILE)[1]
        setrlimit(RLIMIT_NOFILE, (most, most))  # a run may write into thousands of folders
        return os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
