"""Files that `--exclude` leaves out, by patterns as .gitignore has them."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePath

from sidecarctl.files.inputs import Input


def not_excluded(files: Iterable[Input], patterns: Sequence[str]) -> list[Input]:
    """The files that no pattern names; standard input has no name to be excluded by."""
    return [file for file in files if not any(is_excluded(file, pattern) for pattern in patterns)]


def is_excluded(file: Input, pattern: str) -> bool:
    """Whether a pattern names a file or a folder above it.

    A pattern without a slash is compared with each part of the path; one with a slash with the path from the folder
    that was named, and with the path as the user would write it. `*` stands for any characters.
    """
    if file.is_copy:
        return False
    pattern = pattern.removeprefix("./").rstrip("/")
    if "/" not in pattern:
        return any(fnmatchcase(part, pattern) for part in (*file.within.parts, PurePath(file.name).name))
    return any(fnmatchcase(path, pattern) for whole in (file.within, PurePath(file.name)) for path in _above(whole))


def _above(path: PurePath) -> list[str]:
    """The path, and those of the folders above it."""
    return [str(above) for above in (path, *path.parents) if str(above) not in (".", "/")]
