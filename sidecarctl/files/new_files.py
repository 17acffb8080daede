"""New contents of files, in their own places or in a folder: all of them take their places together, or none."""

from pathlib import Path

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.findings import Finding, Severity, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place
from sidecarctl.files.fingerprints import Fingerprint
from sidecarctl.files.inputs import Input, changed_meanwhile, refuse_changed
from sidecarctl.files.new_folders import NewFolders
from sidecarctl.files.outputs import Output, unwritable
from sidecarctl.files.replacing import NewFile
from sidecarctl.files.signals import end_if_signalled
from sidecarctl.files.temporary import release_folders, remove_left


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
        """Put all new contents into their places; ImpossibleError if one cannot, saying how many could.

        A file that was saved since it was read is not replaced: what was saved would be lost.
        """
        replaced: set[Fingerprint | None] = set()
        for number, file in enumerate(self._new):
            before = f"files already written: {number}"
            if file.read not in replaced and file.is_outdated():  # several names may lead to one file
                raise ImpossibleError(changed_meanwhile(str(file.target))._replace(hint=before))
            replaced.add(file.read)
            try:
                file.replace()
            except OSError as fault:
                end_if_signalled()
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
        """Begin with a file of which nothing has changed so far."""
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
        """ImpossibleError for files that were saved since they were read: what came of them is of no version."""
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
        """Bring the new content to the disk."""
        if self._file is not None:
            self._file.finish()


class Folder(Files):
    """All files into a folder, at the paths that they have inside the folders which were named."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._made = NewFolders()

    def begin(self, source: Input) -> None:
        """Begin with a file of the same relative path."""
        target = self._folder / source.within
        self._made.make(target.parent)
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
        """Flush the file to disk."""
        self._new[-1].finish()

    def discard(self) -> None:
        """Remove files that were not committed, and the folders created only for them."""
        super().discard()
        self._made.discard()
