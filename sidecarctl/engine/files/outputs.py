"""Where transformed text goes: stdout, the files themselves, a folder. Nothing is visible before `commit`."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from stat import S_ISDIR, S_ISLNK
from typing import BinaryIO, Protocol, TypeVar

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.findings import Finding, Place, Severity, named, note, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import Digest, lazy_pattern
from sidecarctl.engine.files.inputs import Fingerprint, Input, changed_meanwhile, refuse_changed, stop_watching
from sidecarctl.engine.files.process import silence_stdout
from sidecarctl.engine.files.replacing import (
    NewFile,
    NewFolders,
    release_folders,
    remove_left,
    stream_written,
    sync_files,
    sync_folders,
)
from sidecarctl.engine.files.workers import end_if_signaled

_Output = TypeVar("_Output", bound="Discarded")
STDOUT = "-"
_HALVES = lazy_pattern("[\ud800-\udc7f\udd00-\udfff]")  # never part of a file name
_IN_MEMORY = 1 << 16
"""Bytes of stdout that are kept without a temporary file."""


class Discarded(Protocol):
    """Shows nothing unless it is committed."""

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
        """ImpossibleError if nothing may be written, because the files have changed since they were read."""

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
    from tempfile import TemporaryFile  # slow to load, and small outputs do not need it

    file: BinaryIO = TemporaryFile()  # noqa: SIM115 - closed by discard, which always follows
    file.write(content)
    return file


def to_stdout(text: str) -> None:
    """Write a text to stdout; ImpossibleError if that fails."""
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
    """The error for a file or stream that cannot be written."""
    message = f"cannot be written: {fault.strerror or fault}"
    return ImpossibleError(Finding(Severity.ERROR, Reason.UNWRITABLE_FILE, message, place=Place(name), hint=hint))


class Files(Output):
    """New contents of files, which replace them together."""

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
        """Move all new contents into place; ImpossibleError if one fails, with the number of those that succeeded.

        All of them are on the disk before the first takes its place. A file that was saved since it was read is not
        replaced: what was saved would be lost.
        """
        try:
            sync_files(self._new)
        except OSError:
            end_if_signaled()  # a signal may have removed a file
            raise
        folders: dict[Path, None] = {}
        try:
            self._replace(folders)
        finally:
            sync_folders(folders)

    def _replace(self, folders: dict[Path, None]) -> None:
        """Let the new files take their places; `folders` become those in which one did."""
        replaced: set[Fingerprint | None] = set()
        for number, file in enumerate(self._new):
            before = f"files already written: {number}"
            if file.read not in replaced and file.is_outdated():  # several names may lead to one file
                raise ImpossibleError(changed_meanwhile(str(file.target))._replace(hint=before))
            replaced.add(file.read)
            try:
                file.replace()
                folders[file.target.parent] = None
            except OSError as fault:
                end_if_signaled()
                raise unwritable(str(file.target), fault, hint=before) from None

    def discard(self) -> None:
        """Remove new contents that did not take their places."""
        for file in self._new:
            file.discard()
        release_folders()

    def _tidy(self, folder: Path) -> None:
        """Remove the temporary files of killed runs from a folder, and report it."""
        if folder not in self._folders:
            self._folders.add(folder)
            if left := remove_left(folder):
                message = f"removed temporary files of a killed run: {len(left)}"
                self.findings.append(Finding(Severity.NOTE, Reason.LEFT_BEHIND, message, place=Place(str(folder))))


class InPlace(Files):
    """Each file into its own place, if it changed."""

    def __init__(self) -> None:
        super().__init__()
        self._sources: list[Input] = []

    def begin(self, source: Input) -> None:
        """Begin a file, which has not changed so far."""
        self._source = source
        self._sources.append(source)
        self._tidy(source.path.resolve().parent)
        self._unchanged = 0
        self._file: NewFile | None = None

    def write(self, part: bytes, size: int, *, changed: bool) -> None:
        """Write a part: from the first change on, everything, including the parts before it."""
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
        """ImpossibleError for files that were saved since they were read: the output would mix two versions."""
        refuse_changed(self._sources)

    def _warn_of_hard_links(self, target: Path) -> None:
        others = target.stat().st_nlink - 1
        if others > 0:
            message = f"it has other hard links ({others}), which keep the old content"
            found = warning(Reason.HARD_LINK, message, hint="use a symbolic link instead")
            self.findings.append(found._replace(place=Place(self._source.name)))

    def _copy_unchanged(self, file: NewFile) -> None:
        left = self._unchanged
        for block in self._source.blocks():
            file.write(block[:left])
            left -= min(len(block), left)
            if not left:
                return

    def end(self) -> None:
        """The new content is complete."""
        if self._file is not None:
            self._file.finish()


class Folder(Files):
    """All files into a folder, at the paths that they have inside the folders which were named.

    A record in the folder has what was written; `prunes`: remove what earlier runs recorded and this one lacks.
    """

    def __init__(self, folder: Path, *, prunes: bool = False) -> None:
        super().__init__()
        self._folder = folder
        self._prunes = prunes
        self._digests: dict[str, str] = {}
        self._gone: list[str] = []
        self._is_whole = prunes
        self._made = NewFolders()
        self._prepared: dict[Path, Path] = {}

    def begin(self, source: Input) -> None:
        """Begin with a file of the same relative path."""
        target = self._folder / source.within
        parent = self._prepared.get(target.parent) or self._prepare(target.parent)
        place = parent / target.name
        with suppress(FileNotFoundError):
            mode = place.lstat().st_mode
            if S_ISLNK(mode):
                raise _outside(target)
            if S_ISDIR(mode):  # at the end, other files would already be in place
                raise OSError(0, "a folder with this name exists", str(target))
        self._new.append(NewFile(place, is_real=True))
        self._names.append(str(target))
        self._is_whole |= not source.is_named
        self._within, self._digest = str(source.within), Digest()

    def _prepare(self, parent: Path) -> Path:
        """Make a folder for files; its own path, without links."""
        self._made.make(parent)
        real = parent.resolve()
        if not real.is_relative_to(self._folder.resolve()):
            raise _outside(parent)
        self._tidy(parent)
        self._prepared[parent] = real
        return real

    def write(self, part: bytes, size: int, *, changed: bool) -> None:
        """Write a part."""
        del size, changed
        self._new[-1].write(part)
        self._digest.update(part)

    def end(self) -> None:
        """The file is complete."""
        self._new[-1].finish()
        self._digests[self._within] = self._digest.hexdigest()

    def verify(self) -> None:
        """Name what an earlier run wrote and this one does not, and write the record."""
        from sidecarctl.engine.files.output_record import (  # `inject` of a pod writes no folder
            RECORD,
            is_own,
            is_there,
            read_record,
            record_text,
        )

        if not self._digests or self._folder.is_symlink():
            return
        record = read_record(self._folder)
        left = [name for name in record if name not in self._digests and is_there(self._folder, name)]
        own = [name for name in left if is_own(self._folder, name, record[name])]
        self._gone = own if self._prunes else []
        kept = [name for name in left if name not in self._gone]
        for said, names, hint in (
            ("removed {}, which an earlier run wrote", self._gone, ""),
            ("still has {} of an earlier run, which this one does not write", kept, _PRUNE),
        ):
            if names and self._is_whole:  # single files are no new version of the folder
                which = f"{len(names):,} file{'s' * (len(names) != 1)} ({named(sorted(names))})"
                found = note if names is self._gone else warning
                finding = found(Reason.EARLIER_OUTPUT, said.format(which))
                self.findings.append(finding._replace(place=Place(str(self._folder)), hint=hint))
        file = NewFile(self._folder / RECORD, is_real=True)
        self._new.append(file)
        file.write(utf8(record_text({**{name: record[name] for name in kept}, **self._digests})))
        file.finish()

    def commit(self) -> None:
        """Move all files to their targets, then remove what is to go."""
        from sidecarctl.engine.files.output_record import remove

        super().commit()
        remove(self._folder, self._gone)

    def discard(self) -> None:
        """Remove files that were not committed, and the folders created only for them."""
        super().discard()
        self._made.discard()


_PRUNE = "--prune removes those that nobody changed"


def _outside(path: Path) -> OSError:
    return OSError(0, "a symbolic link points outside the folder", str(path))
