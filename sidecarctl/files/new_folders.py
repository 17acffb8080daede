"""Folders that are made for files which may never take their places; the empty ones go again."""

from contextlib import suppress
from pathlib import Path


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
        """Remove those in which nothing lies."""
        while self._made:
            with suppress(OSError):
                self._made.pop().rmdir()
