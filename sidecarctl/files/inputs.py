"""What PATHS name: files, folders, stdin; each read as often as needed, in blocks."""

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, TypeAlias

from sidecarctl.documents.reading.streams import Chunk, split
from sidecarctl.facts.errors import ImpossibleError, InputError, usage_error
from sidecarctl.facts.findings import Finding, Severity, error
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place
from sidecarctl.files.fingerprints import Fingerprint, fingerprint_of, is_outdated
from sidecarctl.files.reading_progress import was_read

STDIN = "-"
EXTENSIONS = (".json", ".yaml", ".yml")
_BLOCK = 1 << 20


class Input(NamedTuple):
    """A file to read. `name` is what the user called it, `within` its path inside the folder that was named.

    For standard input and pipes, which can be read only once, `path` is a copy that cannot be written back.
    `found` is what the file was before any of it was read. `is_named`: the user named the file itself, not a folder
    that contains it.
    """

    name: str
    path: Path
    within: Path
    is_copy: bool = False
    found: Fingerprint | None = None
    is_named: bool = False

    def blocks(self) -> Iterator[bytes]:
        """The file's bytes; InputError if it cannot be read."""
        try:
            with self.path.open("rb") as file:
                while block := file.read(_BLOCK):
                    was_read(self.name, len(block))
                    yield block
        except OSError as fault:
            raise unreadable(self.name, fault) from None

    def refuse_unreadable(self) -> None:
        """InputError if the file cannot be read."""
        next(self.blocks(), None)

    def chunks(self, size_limit: int) -> Iterator[Chunk]:
        """The file's documents; InputError with the file's name where it cannot be read or one is too large."""
        return split(self.blocks(), size_limit, self.name)


def refuse_changed(sources: Iterable[Input]) -> None:
    """ImpossibleError for files that were saved since they were found: what came of them is of no version."""
    outdated = [changed_meanwhile(source.name) for source in sources if is_outdated(source.path, source.found)]
    if outdated:
        raise ImpossibleError(*outdated)


def changed_meanwhile(name: str) -> Finding:
    """The error for a file that somebody saved during the run."""
    message = "changed while sidecarctl was reading it, so nothing is written"
    return error(Reason.CHANGED_MEANWHILE, message, hint="run it again")._replace(place=Place(name))


def unreadable(name: str, fault: OSError) -> InputError:
    """The error for a file that the system does not give."""
    message = f"cannot be read: {fault.strerror or fault}"
    return InputError(Finding(Severity.ERROR, Reason.UNREADABLE_FILE, message, place=Place(name)))


Keep: TypeAlias = Callable[[Path], Path]
"""Copies a pipe; the path of the copy."""


def inputs(paths: Sequence[str], *, recursive: bool, stdin: Path | None, keep: Keep | None = None) -> list[Input]:
    """The files that the paths name, folders in lexical order; `stdin` is where standard input was kept.

    Pipes (such as the shell's `<(command)`) are kept likewise. InputError for what is not there, UsageError for
    standard input named twice.
    """
    if list(paths).count(STDIN) > 1:
        raise usage_error("standard input (-) can be read only once")
    return [found for path in paths for found in _inputs_of(path, stdin, keep, recursive=recursive)]


def lenient_inputs(
    paths: Sequence[str], *, recursive: bool, stdin: Path | None, keep: Keep | None = None
) -> list[Input]:
    """The same, but a path that does not exist becomes a file that fails when it is read."""
    found: list[Input] = []
    for path in paths:
        try:
            found += _inputs_of(path, stdin, keep, recursive=recursive)
        except InputError:
            found.append(Input(path, Path(path), Path(path)))
    return found


def _inputs_of(name: str, stdin: Path | None, keep: Keep | None, *, recursive: bool) -> Iterable[Input]:
    if name == STDIN:
        return [Input("stdin", stdin, Path("stdin"), is_copy=True, is_named=True)] if stdin else []
    path = Path(name)
    try:
        if path.is_dir():
            found = _files_below(path, recursive=recursive)
            return sorted(found, key=lambda file: file.within.parts)  # kubectl's order: folders among the files
        if keep and not stat.S_ISREG(path.stat().st_mode):
            return [Input(name, keep(path), Path(path.name), is_copy=True, is_named=True)]
        path.stat()
        return [Input(name, path, Path(path.name), found=fingerprint_of(path), is_named=True)]
    except OSError as fault:
        raise unreadable(name, fault) from None


def _files_below(folder: Path, *, recursive: bool) -> Iterator[Input]:
    """The manifests of a folder, as kubectl takes them: hidden and linked files too, linked folders not."""

    def fail(fault: OSError) -> None:
        raise fault

    for parent, _, names in os.walk(folder, onerror=fail):
        for name in names:
            if name.endswith(EXTENSIONS):
                path = Path(parent, name)
                if path.exists() and not path.is_file():  # a pipe would be waited for without end
                    raise OSError(0, f"{path} is not a regular file")
                yield Input(str(path), path, path.relative_to(folder), found=fingerprint_of(path))
        if not recursive:
            return


def keep_stdin(target: IO[bytes]) -> None:
    """Copy standard input, which can be read only once, into a file."""
    _copy(sys.stdin.buffer, target, "stdin")


def keep_pipe(path: Path, target: IO[bytes]) -> None:
    """Copy a pipe, which can be read only once, into a file."""
    with path.open("rb") as pipe:
        _copy(pipe, target, str(path))


def _copy(source: IO[bytes], target: IO[bytes], name: str) -> None:
    while block := source.read(_BLOCK):
        was_read(name, len(block))
        target.write(block)
    target.flush()
