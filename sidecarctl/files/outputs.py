"""Where transformed text goes: stdout, the files themselves, a folder. Nothing shows before `commit`."""

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Protocol, TypeVar

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.findings import Finding, Severity, error, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place
from sidecarctl.files.fingerprints import Fingerprint, is_outdated
from sidecarctl.files.inputs import Input
from sidecarctl.files.replacing import NewFile
from sidecarctl.files.standard_streams import silence_stdout
from sidecarctl.files.temporary import release_folders, remove_left

_Output = TypeVar("_Output", bound="Discarded")
STDOUT = "-"
_HALVES = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # what no file name has
_IN_MEMORY = 1 << 16
"""Bytes of stdout that are kept without a temporary file."""


class Discarded(Protocol):
    """What shows nothing unless it is committed."""

    def discard(self) -> None:
        """Let nothing show of what is not committed."""


class Output:
    """What a command writes to, file by file and part by part; this one goes nowhere.

    `findings` are what there is to say about the places that are written to.
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
        """ImpossibleError where nothing may be written, because what was read is no longer so."""

    def commit(self) -> None:
        """Let everything show."""

    def discard(self) -> None:
        """Let nothing show of what is not committed."""


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
        """Forget what was kept."""
        self._spool.close()


def _temporary_file(content: bytes) -> BinaryIO:
    from tempfile import TemporaryFile  # it loads much, which little output does without

    file: BinaryIO = TemporaryFile()  # noqa: SIM115 - closed by discard, which always follows
    file.write(content)
    return file


class Files(Output):
    """New contents of files, which take their places together."""

    def __init__(self) -> None:
        super().__init__()
        self._new: list[NewFile] = []
        self._names: list[str] = []
        self._folders: set[Path] = set()

    @property
    def wrote(self) -> list[str]:
        """The files that get new contents, as the user calls them."""
        return self._names

    def commit(self) -> None:
        """Put all new contents into their places; ImpossibleError where one cannot, saying how many could.

        A file that was saved since it was read is not replaced: what was saved would be lost.
        """
        replaced: set[Fingerprint | None] = set()
        for number, file in enumerate(self._new):
            before = f"files already written: {number}"
            if file.read not in replaced and file.is_outdated():  # several names may lead to one file
                raise ImpossibleError(_changed_meanwhile(str(file.target))._replace(hint=before))
            replaced.add(file.read)
            try:
                file.replace()
            except OSError as fault:
                raise _unwritable(str(file.target), fault, hint=before) from None

    def discard(self) -> None:
        """Remove new contents that did not take their places."""
        for file in self._new:
            file.discard()
        release_folders()

    def _tidy(self, folder: Path) -> None:
        """Remove what runs that were killed have left in a folder, and say so."""
        if folder not in self._folders:
            self._folders.add(folder)
            if left := remove_left(folder):
                message = f"files removed that a run which was killed had left: {len(left)}"
                self.findings.append(Finding(Severity.NOTE, Reason.LEFT_BEHIND, message, place=Place(str(folder))))


class InPlace(Files):
    """Each file into its own place, if it changed."""

    def __init__(self) -> None:
        super().__init__()
        self._sources: list[Input] = []

    def begin(self, source: Input) -> None:
        """Begin with a file of which nothing has changed so far."""
        self._source = source
        self._sources.append(source)
        self._tidy(source.path.resolve().parent)
        self._unchanged = 0
        self._file: NewFile | None = None

    def write(self, part: bytes, size: int, *, changed: bool) -> None:
        """Write a part: from the first changed one on, all of them anew, with what was before them."""
        if self._file is None:
            if not changed:
                self._unchanged += size
                return
            self._file = NewFile(self._source.path, self._source.found)
            self._new.append(self._file)
            self._names.append(self._source.name)
            self._warn_of_hard_links(self._file.target)
            self._copy_unchanged(self._file)
        self._file.write(part)

    def verify(self) -> None:
        """ImpossibleError for files that were saved since they were read: what came of them is of no version."""
        outdated = [
            _changed_meanwhile(source.name) for source in self._sources if is_outdated(source.path, source.found)
        ]
        if outdated:
            raise ImpossibleError(*outdated)

    def _warn_of_hard_links(self, target: Path) -> None:
        others = target.stat().st_nlink - 1
        if others > 0:
            message = f"a hard link: its other names ({others}) keep the old content"
            found = warning(Reason.HARD_LINK, message, hint="a symbolic link would follow it")
            self.findings.append(found._replace(place=Place(self._source.name)))

    def _copy_unchanged(self, file: NewFile) -> None:
        left = self._unchanged
        for block in self._source.blocks():
            file.write(block[:left])
            left -= min(len(block), left)
            if not left:
                return

    def end(self) -> None:
        """Bring the new content to the disk."""
        if self._file is not None:
            self._file.finish()


class Folder(Files):
    """All files into a folder, at the paths that they have inside the folders which were named."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def begin(self, source: Input) -> None:
        """Begin with a file of the same relative path."""
        target = self._folder / source.within
        target.parent.mkdir(parents=True, exist_ok=True)
        inside = target.parent.resolve().is_relative_to(self._folder.resolve())
        if target.is_symlink() or not inside:
            raise OSError(0, "a symbolic link points outside the folder", str(target))
        if target.is_dir():  # found at the end, other files would have taken their places already
            raise OSError(0, "a folder with this name exists", str(target))
        self._tidy(target.parent)
        self._new.append(NewFile(target))
        self._names.append(str(target))

    def write(self, part: bytes, size: int, *, changed: bool) -> None:
        """Write a part."""
        del size, changed
        self._new[-1].write(part)

    def end(self) -> None:
        """Bring the file to the disk."""
        self._new[-1].finish()


def to_stdout(text: str) -> None:
    """Write a text to stdout; ImpossibleError where the system does not take it."""
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
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as fault:
        silence_stdout()
        raise _unwritable("stdout", fault) from None


@contextmanager
def written(output: _Output) -> Iterator[_Output]:
    """The output, discarded at the end unless it was committed; ImpossibleError where the system does not write."""
    try:
        yield output
    except BrokenPipeError:
        raise
    except OSError as fault:
        raise _unwritable(str(fault.filename or "stdout"), fault) from None
    finally:
        output.discard()


def _changed_meanwhile(name: str) -> Finding:
    message = "was saved while it was being read, so nothing is written to it"
    place = Place(name)
    return error(Reason.CHANGED_MEANWHILE, message, hint="run it again")._replace(place=place)


def _unwritable(name: str, fault: OSError, hint: str = "") -> ImpossibleError:
    message = f"cannot be written: {fault.strerror or fault}"
    return ImpossibleError(Finding(Severity.ERROR, Reason.UNWRITABLE_FILE, message, place=Place(name), hint=hint))
