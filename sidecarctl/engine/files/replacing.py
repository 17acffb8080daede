"""Replaces files as a whole: a file always has its old or its new content, never a part.

New content goes into temporary files next to their targets, and none is left, however a run ends: a signal that can
be caught removes them at once (`remove_pending`), and after one that cannot, the next run that writes into the folder
finds them by their name. A run holds a shared lock on each folder in which it has some; whoever gets the lock for
itself alone knows that the run is gone.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from sidecarctl.engine.files.inputs import Fingerprint, is_outdated

_files: list[str] = []
_streams: set[str] = set()
_patches: list[int] = []
"""How many patches were sent; a list, since threads append to it."""


def file_written(path: str) -> None:
    """A file was written, or took the place of another one."""
    _files.append(path)


def stream_written(name: str) -> None:
    """Something was written to a standard stream, which cannot be undone."""
    _streams.add(name)


def patch_sent() -> None:
    """A patch is about to be sent to a cluster; the journal has its result."""
    _patches.append(1)


def forget_writes() -> None:
    """A new run begins: several may follow each other in one process."""
    _files.clear()
    _streams.clear()
    _patches.clear()


def what_was_written() -> str:
    """`nothing was written`, or `3 files were written, the last is web.yaml`, and how to continue."""
    said = []
    if _files:
        is_single = len(_files) == 1
        last = f": {_files[-1]}" if is_single else f", the last is {_files[-1]}"
        said.append(f"{len(_files)} file{'' if is_single else 's'} {'was' if is_single else 'were'} written{last}")
        said[0] += " (run the same command again to write the rest)"
    if _streams:
        said.append(f"the output on {' and '.join(sorted(_streams))} is incomplete")
    if _patches:
        number = len(_patches)
        said.append(f"{number:,} patch{'' if number == 1 else 'es'} had been sent to the cluster, see the journal")
    return "; ".join(said) or "nothing was written"


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
    """The file was moved into place, or removed."""
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


class NewFolders:
    """The folders that a run has made."""

    def __init__(self) -> None:
        self._made: list[Path] = []

    def make(self, folder: Path) -> None:
        """Make a folder with those around it, as far as they are not there."""
        missing = []
        while not folder.exists():
            missing.append(folder)
            folder = folder.parent
        for absent in reversed(missing):
            with suppress(FileExistsError):  # another run makes it at the same time
                absent.mkdir()
                self._made.append(absent)
        if not folder.is_dir():
            raise NotADirectoryError(20, "a file has this name", str(folder))

    def discard(self) -> None:
        """Remove the empty ones."""
        while self._made:
            with suppress(OSError):
                self._made.pop().rmdir()


class NewFile:
    """New content for a file, written next to it under a temporary name until it replaces the file.

    `read` is the fingerprint of the file that the content was made from, if that is the same one. `is_real`: no
    part of the target is a symlink.
    """

    def __init__(self, target: Path, read: Fingerprint | None = None, *, is_real: bool = False) -> None:
        # A symlink stays one: what it points to is replaced.
        self.target = target if is_real else Path(os.path.realpath(target))
        self.read = read
        with telling_of(self.target):
            descriptor, self.path = create(self.target.parent)
        self._file: BinaryIO = os.fdopen(descriptor, "wb")
        self._inode: int | None = None

    def is_outdated(self) -> bool:
        """Whether the file was saved by somebody else since it was read."""
        return is_outdated(self.target, self.read)

    def write(self, content: bytes) -> None:
        """Write the next part."""
        with telling_of(self.target):
            self._file.write(content)

    def finish(self) -> None:
        """The content is complete; it gets the old file's mode and owner."""
        with telling_of(self.target):
            self._finish()

    def _finish(self) -> None:
        self._file.flush()
        self._inode = os.fstat(self._file.fileno()).st_ino
        try:
            old = self.target.stat()
        except FileNotFoundError:
            os.fchmod(self._file.fileno(), 0o666 & ~_umask())
        else:
            with suppress(PermissionError):  # another user's file: it becomes ours, as with any editor
                os.fchown(self._file.fileno(), old.st_uid, old.st_gid)
            os.fchmod(self._file.fileno(), old.st_mode & 0o7777)  # last: another owner takes the setuid bits away
        self._file.close()

    def replace(self) -> None:
        """Let the new content take the file's place."""
        with telling_of(self.target):
            is_done = False
            try:
                self.path.replace(self.target)
                is_done = True
                settle(self.path)
            finally:
                if is_done or self._is_in_place():  # a signal's exception may come right after the file has moved
                    file_written(str(self.target))

    def _is_in_place(self) -> bool:
        with suppress(OSError):
            return self.target.stat().st_ino == self._inode
        return False

    def discard(self) -> None:
        """Leave the file as it was."""
        with suppress(OSError):
            self._file.close()
        with suppress(FileNotFoundError):
            self.path.unlink()
        settle(self.path)


@contextmanager
def telling_of(target: Path) -> Iterator[None]:
    """An OSError names the target file, not the temporary file next to it."""
    try:
        yield
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror, str(target)) from None


def sync_files(files: Sequence[NewFile]) -> None:
    """Bring the contents to the disk."""
    _sync_together([(file.path, file.target) for file in files])


def sync_folders(folders: Iterable[Path]) -> None:
    """Bring to the disk which files lie in the folders."""
    _sync_together([(folder, folder) for folder in folders])


_AT_ONCE = 16
"""Syncs that wait for the disk at a time: it writes the data of all of them in one go."""


def _sync_together(paths: Sequence[tuple[Path, Path]]) -> None:
    """Sync files or folders, each with the path that errors name."""
    if len(paths) == 1:
        _sync(*paths[0])
    elif paths:
        from concurrent.futures import ThreadPoolExecutor  # slow to load, and many runs write one file

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for _ in pool.map(_sync, *zip(*paths, strict=True)):
                pass


def _sync(path: Path, named: Path) -> None:
    with telling_of(named):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
