"""Files replaced whole: at every moment a file has its old content or its new, never a part."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


class NewFile:
    """New content for a file, written beside it under a name of its own until it takes the file's place."""

    def __init__(self, target: Path) -> None:
        self.target = Path(os.path.realpath(target))  # a symlink stays one: what it points to is replaced
        from tempfile import mkstemp  # it loads much, and many runs write no file

        with telling_of(self.target):
            descriptor, name = mkstemp(prefix=f".{self.target.name}.", suffix=".tmp", dir=self.target.parent)
        self.path = Path(name)
        self._file: BinaryIO = os.fdopen(descriptor, "wb")

    def write(self, content: bytes) -> None:
        """Write what comes next in it."""
        with telling_of(self.target):
            self._file.write(content)

    def finish(self) -> None:
        """Bring the content to the disk, with the old file's mode and owner."""
        with telling_of(self.target):
            self._finish()

    def _finish(self) -> None:
        self._file.flush()
        try:
            old = self.target.stat()
        except FileNotFoundError:
            os.fchmod(self._file.fileno(), 0o666 & ~_umask())
        else:
            os.fchmod(self._file.fileno(), old.st_mode & 0o7777)
            with suppress(PermissionError):  # another user's file: it becomes ours, as with any editor
                os.fchown(self._file.fileno(), old.st_uid, old.st_gid)
        os.fsync(self._file.fileno())
        self._file.close()

    def replace(self) -> None:
        """Let the new content take the file's place."""
        with telling_of(self.target):
            self.path.replace(self.target)
            _sync_folder(self.target.parent)

    def discard(self) -> None:
        """Leave the file as it was."""
        with suppress(OSError):
            self._file.close()
        with suppress(FileNotFoundError):
            self.path.unlink()


@contextmanager
def telling_of(target: Path) -> Iterator[None]:
    """An OSError tells of the file that was to be written, not of the one beside it."""
    try:
        yield
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror, str(target)) from None


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
