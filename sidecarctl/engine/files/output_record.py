"""What runs have written into a folder, so that a later one can name what it no longer writes, and remove it.

A file that somebody changed since, or that a symbolic link leads to, is not a run's own anymore.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from sidecarctl.engine.facts.start_up import sha256

RECORD = ".sidecarctl-output"
"""The file in the folder: a digest and a path on each line."""

Record = Mapping[str, str]
"""The digests of the files that runs have written, by their paths in the folder."""


def read_record(folder: Path) -> dict[str, str]:
    """What earlier runs wrote into a folder; nothing if there is no record."""
    file = folder / RECORD
    if file.is_symlink():
        return {}
    with suppress(OSError, UnicodeError):
        parts = (line.partition("  ") for line in file.read_text(encoding="utf-8").splitlines())
        return {name: digest for digest, _, name in parts if _is_below(name)}
    return {}


def record_text(record: Record) -> str:
    """The record as the file has it; without names that a line cannot hold."""
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(record.items()) if name.isprintable())


def is_there(folder: Path, name: str) -> bool:
    """Whether a recorded file is still in the folder, as a regular file that no symbolic link leads to."""
    path = folder
    for part in Path(name).parts:
        path /= part
        if path.is_symlink():
            return False
    with suppress(OSError):
        return S_ISREG(path.lstat().st_mode)
    return False


def is_own(folder: Path, name: str, digest: str) -> bool:
    """Whether a recorded file still has the content that a run gave it."""
    with suppress(OSError):
        return is_there(folder, name) and sha256((folder / name).read_bytes()).hexdigest() == digest
    return False


def remove(folder: Path, names: Iterable[str]) -> None:
    """Remove files from the folder, and the folders in it that become empty; OSError if one cannot be removed."""
    for name in names:
        if not is_there(folder, name):
            continue
        path = folder / name
        path.unlink()
        for above in Path(name).parents[:-1]:
            with suppress(OSError):
                (folder / above).rmdir()


def _is_below(name: str) -> bool:
    path = Path(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts
