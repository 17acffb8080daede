"""Whether a file is still the one that was read."""

import os
from pathlib import Path

from sidecarctl.facts.named_tuples import NamedTuple


class Fingerprint(NamedTuple):
    """What the system knows of a file; any save changes a part of it. Times are in nanoseconds."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int


def fingerprint_of(path: Path) -> Fingerprint | None:
    """The fingerprint of the file behind a path, links followed; None if there is none that can be asked."""
    try:
        found = os.stat(path)  # noqa: PTH116 - it is asked of every file of a run
    except OSError:
        return None
    return Fingerprint(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def is_outdated(path: Path, read: Fingerprint | None) -> bool:
    """Whether a file was saved by somebody else since it was read; never, where nothing was known of it."""
    return read is not None and fingerprint_of(path) != read
