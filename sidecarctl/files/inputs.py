"""What PATHS name: files, folders, stdin; each read as often as needed, in blocks."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from sidecarctl.facts.errors import InputError, usage_error
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place

STDIN = "-"
EXTENSIONS = (".json", ".yaml", ".yml")
_BLOCK = 1 << 20


class Input(NamedTuple):
    """A file to read. `name` is what the user called it, `within` its path inside the folder that was named."""

    name: str
    path: Path
    within: Path

    def blocks(self) -> Iterator[bytes]:
        """The file's bytes; InputError where it cannot be read."""
        try:
            with self.path.open("rb") as file:
                while block := file.read(_BLOCK):
                    yield block
        except OSError as fault:
            raise unreadable(self.name, fault) from None


def unreadable(name: str, fault: OSError) -> InputError:
    """The error for a file that the system does not give."""
    message = f"cannot be read: {fault.strerror or fault}"
    return InputError(Finding(Severity.ERROR, Reason.UNREADABLE_FILE, message, place=Place(name)))


def inputs(paths: Sequence[str], *, recursive: bool, stdin: Path | None) -> list[Input]:
    """The files that the paths name, folders in lexical order; `stdin` is where standard input was kept.

    InputError for what is not there, UsageError for standard input named twice.
    """
    if list(paths).count(STDIN) > 1:
        raise usage_error("standard input (-) can be read only once")
    return [found for path in paths for found in _inputs_of(path, recursive=recursive, stdin=stdin)]


def lenient_inputs(paths: Sequence[str], *, recursive: bool, stdin: Path | None) -> list[Input]:
    """The same, but a path that is not there is a file that cannot be read when its turn comes."""
    found: list[Input] = []
    for path in paths:
        try:
            found += _inputs_of(path, recursive=recursive, stdin=stdin)
        except InputError:
            found.append(Input(path, Path(path), Path(path)))
    return found


def _inputs_of(name: str, *, recursive: bool, stdin: Path | None) -> Iterable[Input]:
    if name == STDIN:
        return [Input("stdin", stdin, Path("stdin"))] if stdin else []
    path = Path(name)
    try:
        if not path.is_dir():
            path.stat()
            return [Input(name, path, Path(path.name))]
        return list(_files_below(path, recursive=recursive))
    except OSError as fault:
        raise unreadable(name, fault) from None


def _files_below(folder: Path, *, recursive: bool) -> Iterator[Input]:
    """The manifests of a folder, as kubectl takes them: hidden and linked files too, linked folders not."""

    def fail(fault: OSError) -> None:
        raise fault

    for parent, folders, names in os.walk(folder, onerror=fail):
        folders.sort()
        for name in sorted(names):
            if name.endswith(EXTENSIONS):
                path = Path(parent, name)
                yield Input(str(path), path, path.relative_to(folder))
        if not recursive:
            return


def keep_stdin(target: IO[bytes]) -> None:
    """Copy standard input, which can be read but once, into a file."""
    import shutil

    shutil.copyfileobj(sys.stdin.buffer, target, _BLOCK)
