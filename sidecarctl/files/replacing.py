"""Files replaced whole: at every moment a file has its old content or its new, never a part."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from sidecarctl.files.effects import file_written
from sidecarctl.files.fingerprints import Fingerprint, is_outdated
from sidecarctl.files.temporary import create, settle


class NewFile:
    """New content for a file, written next to it under a temporary name until it replaces the file.

    `read` is the fingerprint of the file that the content was made from, where that is the same one.
    """

    def __init__(self, target: Path, read: Fingerprint | None = None) -> None:
        self.target = Path(os.path.realpath(target))  # a symlink stays one: what it points to is replaced
        self.read = read
        with telling_of(self.target):
            descriptor, self.path = create(self.target.parent)
        self._file: BinaryIO = os.fdopen(descriptor, "wb")

    def is_outdated(self) -> bool:
        """Whether the file was saved by somebody else since it was read."""
        return is_outdated(self.target, self.read)

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
            with suppress(PermissionError):  # another user's file: it becomes ours, as with any editor
                os.fchown(self._file.fileno(), old.st_uid, old.st_gid)
            os.fchmod(self._file.fileno(), old.st_mode & 0o7777)  # last: another owner takes the setuid bits away
        os.fsync(self._file.fileno())
        self._file.close()

    def replace(self) -> None:
        """Let the new content take the file's place."""
        with telling_of(self.target):
            self.path.replace(self.target)
            settle(self.path)
            file_written(str(self.target))
            _sync_folder(self.target.parent)

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
