"""Where transformed text goes: stdout, the files themselves, a folder. Nothing shows before `commit`."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import BinaryIO, Protocol, TypeVar

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place
from sidecarctl.files.effects import stream_written
from sidecarctl.files.inputs import Input
from sidecarctl.files.reading_progress import stop_watching
from sidecarctl.files.standard_streams import silence_stdout

_Output = TypeVar("_Output", bound="Discarded")
STDOUT = "-"
_HALVES = lazy_pattern("[\ud800-\udc7f\udd00-\udfff]")  # what no file name has
_IN_MEMORY = 1 << 16
"""Bytes of stdout that are kept without a temporary file."""


class Discarded(Protocol):
    """What shows nothing unless it is committed."""

    def discard(self) -> None:
        """Discard everything that is not committed."""


class Output:
    """What a command writes to, file by file and part by part; this one goes nowhere.

    `findings` are about the files and folders that are written to.
    """

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    @property
    def wrote(self) -> list[str]:
        """The files that a commit writes, `-` for stdout."""
        return []

    def begin(self, source: Input) -> None:
        """The parts that follow are of this file."""

    def part_from_others(self, joint: bytes) -> None:
        """Keep what follows apart from other files' parts in the same stream, by this text."""

    def write(self, part: bytes, size: int, *, changed: bool) -> None:
        """A part of the file, which had `size` bytes as it was read."""

    def end(self) -> None:
        """The file is complete."""

    def verify(self) -> None:
        """ImpossibleError if nothing may be written, because what was read is no longer so."""

    def commit(self) -> None:
        """Publish everything."""

    def discard(self) -> None:
        """Discard everything that is not committed."""


class Stdout(Output):
    """Everything on stdout, kept until it is complete: a little in memory, more in a temporary file."""

    def __init__(self) -> None:
        super().__init__()
        self._spool: BinaryIO = BytesIO()
        self._last = b"\n"

    @property
    def wrote(self) -> list[str]:
        """Standard output."""
        return [STDOUT]

    def part_from_others(self, joint: bytes) -> None:
        """Write the joint, in a line of its own."""
        self._spool.write(b"" if self._last.endswith(b"\n") else b"\n")
        self._spool.write(joint)

    def write(self, part: bytes, size: int, *, changed: bool) -> None:
        """Keep a part."""
        del size, changed
        self._last = part or self._last
        if isinstance(self._spool, BytesIO) and self._spool.tell() + len(part) > _IN_MEMORY:
            self._spool = _temporary_file(self._spool.getvalue())
        self._spool.write(part)

    def commit(self) -> None:
        """Copy everything to stdout."""
        self._spool.seek(0)
        with _stdout() as stdout:
            shutil.copyfileobj(self._spool, stdout, 1 << 20)

    def discard(self) -> None:
        """Discard what was kept."""
        self._spool.close()


def _temporary_file(content: bytes) -> BinaryIO:
    from tempfile import TemporaryFile  # it loads much, which little output does without

    file: BinaryIO = TemporaryFile()  # noqa: SIM115 - closed by discard, which always follows
    file.write(content)
    return file


def to_stdout(text: str) -> None:
    """Write a text to stdout; ImpossibleError if the system does not take it."""
    with _stdout() as stdout:
        stdout.write(utf8(text))


def utf8(text: str) -> bytes:
    """A report as bytes that every reader takes, whatever there is in names of files and values of manifests.

    Bytes that Python could not read in the user's locale are read as UTF-8; what is not that becomes U+FFFD.
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _HALVES.sub("\ufffd", text).encode(errors="surrogateescape").decode(errors="replace").encode()


@contextmanager
def _stdout() -> Iterator[BinaryIO]:
    try:
        stop_watching()
        stream_written("stdout")
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as fault:
        silence_stdout()
        raise unwritable("stdout", fault) from None


@contextmanager
def written(output: _Output) -> Iterator[_Output]:
    """The output, discarded at the end unless it was committed; ImpossibleError if the system does not write."""
    try:
        yield output
    except BrokenPipeError:
        raise
    except OSError as fault:
        raise unwritable(str(fault.filename or "stdout"), fault) from None
    finally:
        output.discard()


def unwritable(name: str, fault: OSError, hint: str = "") -> ImpossibleError:
    """The error of a file or stream that the system does not write."""
    message = f"cannot be written: {fault.strerror or fault}"
    return ImpossibleError(Finding(Severity.ERROR, Reason.UNWRITABLE_FILE, message, place=Place(name), hint=hint))
