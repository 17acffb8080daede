"""The files that PATHS name: found, watched while they are read, and checked for changes during the run."""

import os
import stat
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, NamedTuple, Protocol, TypeAlias

from sidecarctl.engine.documents.reading.document import GivenNamespace, Reader
from sidecarctl.engine.documents.reading.streams import Chunk, split
from sidecarctl.engine.facts.errors import ImpossibleError, InputError, SidecarctlError, usage_error
from sidecarctl.engine.facts.findings import Finding, Place, Severity, error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files.fixed_files import top_of


class Fingerprint(NamedTuple):
    """The system's data about a file, which every save changes. Times are in nanoseconds."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int


def fingerprint_of(path: Path) -> Fingerprint | None:
    """The fingerprint of the file at a path, following links; None if it cannot be read."""
    try:
        return _fingerprint(os.stat(path))  # noqa: PTH116 - called for every file of a run
    except OSError:
        return None


def _fingerprint(found: os.stat_result) -> Fingerprint:
    return Fingerprint(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def is_outdated(path: Path, read: Fingerprint | None) -> bool:
    """Whether somebody else saved a file since it was read; False if nothing was known about it."""
    return read is not None and fingerprint_of(path) != read


class Watcher(Protocol):
    """Receives the progress of the work, to show it."""

    def expect(self, sizes: Mapping[str, int]) -> None:
        """The total size of some files, in bytes."""

    def read(self, name: str, size: int) -> None:
        """Bytes of a file were read."""

    def simulated(self, done: int, total: int) -> None:
        """Pods of a rollout were updated, out of those that may be."""

    def answered(self, done: int, total: int) -> None:
        """The answers for some of the clusters are done."""

    def stop(self) -> None:
        """Output begins."""


_watchers: list[Watcher] = []


def was_read(name: str, size: int) -> None:
    """Some bytes of a file were read."""
    for watcher in _watchers:
        watcher.read(name, size)


def was_simulated(done: int, total: int) -> None:
    """A round of a rollout was simulated; how many pods are updated after it, and how many there are."""
    for watcher in _watchers:
        watcher.simulated(done, total)


def was_answered(done: int, total: int) -> None:
    """Clusters are done, out of all of them."""
    for watcher in _watchers:
        watcher.answered(done, total)


def will_be_read(found: "Iterable[Input]") -> None:
    """These files are going to be read, perhaps more than once."""
    if _watchers:
        sizes = {item.name: item.found.size for item in found if item.found is not None}
        for watcher in _watchers:
            watcher.expect(sizes)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Report everything that is read in here to a watcher; it is stopped at the end, or when output begins."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        stop_watching()


@contextmanager
def unwatched() -> Iterator[None]:
    """Report no progress in here, as part of something that is reported as a whole."""
    before = [*_watchers]
    _watchers.clear()
    try:
        yield
    finally:
        _watchers[:] = before


def stop_watching() -> None:
    """Output begins, and must not be mixed with a progress line."""
    while _watchers:
        _watchers.pop().stop()


STDIN = "-"
FROM = " (from "
"""Follows the folder of what an object was rendered from, before its file: `overlays/prod (from base/web.yaml)`."""
PREFIX = "git:"
"""Begins the name of a path in a git revision."""
EXTENSIONS = (".json", ".yaml", ".yml")
_BLOCK = 1 << 20


class Input(NamedTuple):
    """A file to read. `name` is what the user called it, `within` its path inside the folder that was named.

    For standard input and pipes, which can be read only once, `path` is a copy that cannot be written back.
    `found` is what the file was before any of it was read. `is_named`: the user named the file itself, not a folder
    that contains it. `given`: the namespace of its objects, where what deploys the file says so. `fault`: why what
    should be in it was not rendered.
    """

    name: str
    path: Path
    within: Path
    is_copy: bool = False
    found: Fingerprint | None = None
    is_named: bool = False
    given: GivenNamespace | None = None
    fault: Finding | None = None

    def reader(self, reader: Reader) -> Reader:
        """A reader of this file, whose objects have the namespace that is given."""
        return reader._replace(given=self.given) if self.given else reader

    def blocks(self) -> Iterator[bytes]:
        """The file's bytes; InputError if it cannot be read."""
        if self.fault:
            raise InputError(self.fault)
        size = _BLOCK if self.found is None else min(self.found.size + 1, _BLOCK)
        buffering = 0 if size < _BLOCK else -1  # blocks of a long file, read without it, leave the heap in pieces
        try:
            with open(self.path, "rb", buffering) as file:  # noqa: PTH123 - it is called for every file of a run
                while block := file.read(size):
                    was_read(self.name, len(block))
                    yield block
        except OSError as fault:
            raise unreadable(self.name, fault) from None

    def refuse_unreadable(self) -> None:
        """InputError if the file cannot be read."""
        next(self.blocks(), None)

    def chunks(self, size_limit: int) -> Iterator[Chunk]:
        """The file's documents; InputError with the file's name if it cannot be read or one is too large."""
        return split(self.blocks(), size_limit, self.name)


def refuse_changed(sources: Iterable[Input]) -> None:
    """ImpossibleError for files that were saved since they were found: the output would mix two versions."""
    outdated = [changed_meanwhile(source.name) for source in sources if is_outdated(source.path, source.found)]
    if outdated:
        raise ImpossibleError(*outdated)


def changed_meanwhile(name: str) -> Finding:
    """The error for a file that somebody saved during the run."""
    message = "changed while sidecarctl was reading it, so nothing is written"
    return error(Reason.CHANGED_MEANWHILE, message, hint="run it again")._replace(place=Place(name))


def unreadable(name: str, fault: OSError) -> InputError:
    """The error for a file that the system cannot read."""
    message = f"cannot be read: {fault.strerror or fault}"
    hint = f"curl -L {name} | sidecarctl ... -" if name.startswith(("http://", "https://")) else ""
    return InputError(Finding(Severity.ERROR, Reason.UNREADABLE_FILE, message, place=Place(name), hint=hint))


Keep: TypeAlias = Callable[[Path], Path]
"""Copies a pipe; the path of the copy."""


HIDDEN, IGNORED, LINK = "hidden folder", "path that git ignores", "symbolic link to a folder or out of the repository"
SPARSE = "file outside of the sparse checkout"

LeftOut: TypeAlias = Counter[str]
"""How many files and folders are left out, by kind."""


def inputs(
    paths: Sequence[str],
    *,
    recursive: bool,
    stdin: Path | None,
    keep: Keep | None = None,
    left_out: LeftOut | None = None,
    lenient: bool = False,
) -> list[Input]:
    """The files that the paths name, folders in lexical order; `stdin` is where standard input was kept.

    Pipes (such as the shell's `<(command)`) are kept too. Hidden folders and what git ignores below a named
    folder are left out and counted in `left_out`, unless that is None. InputError for what is not there; if `lenient`
    only once it is read. UsageError for standard input named twice.
    """
    if list(paths).count(STDIN) > 1:
        raise usage_error("standard input (-) can be read only once")
    found: list[Input] = []
    for path in paths:
        try:
            found += _inputs_of(path, stdin, keep, left_out, recursive=recursive)
        except InputError:
            if not lenient:
                raise
            found.append(Input(path, Path(path), Path(path)))
    return found


def _inputs_of(
    name: str, stdin: Path | None, keep: Keep | None, left_out: LeftOut | None, *, recursive: bool
) -> Iterable[Input]:
    if name == STDIN:
        return [Input("stdin", stdin, Path("stdin"), is_copy=True, is_named=True)] if stdin else []
    path = Path(name)
    try:
        if path.is_dir():
            found = _files_below(path, left_out, recursive=recursive)
            return sorted(found, key=lambda file: file.within.parts)  # kubectl's order: folders among the files
        if keep and not stat.S_ISREG(path.stat().st_mode):
            return [Input(name, keep(path), Path(path.name), is_copy=True, is_named=True)]
        path.stat()
        return [Input(name, path, Path(path.name), found=fingerprint_of(path), is_named=True)]
    except OSError as fault:
        raise unreadable(name, fault) from None


def is_whole(name: str) -> bool:
    """Whether a name is a revision without a path, which means the current folder."""
    revision = name.removeprefix(PREFIX)
    return name.startswith(PREFIX) and ":" not in revision and ".." not in revision


def is_manifest_name(name: str) -> bool:
    """Whether a file of this name is found in folders; a `Kustomization` and a `.tpl` only feed what others build."""
    return name.endswith((*EXTENSIONS, ".tpl")) or name == "Kustomization"


def _files_below(folder: Path, left_out: LeftOut | None, *, recursive: bool) -> Iterator[Input]:
    """The manifests of a folder, as kubectl takes them: hidden and linked files too, linked folders not.

    Of a repository's folder no files that a link out of it leads to: a revision has none of them either.
    """
    ignored: Collection[str] = frozenset()
    top = top_of(folder.resolve())
    if left_out is not None and top:
        from sidecarctl.engine.files.git import ignored_below

        ignored = ignored_below(folder)

    def fail(fault: OSError) -> None:
        raise fault

    for parent, folders, names in os.walk(folder, onerror=fail):
        within = os.path.relpath(parent, folder)
        if left_out is not None:
            left_out[LINK] += sum(is_manifest_name(name) and Path(parent, name).is_symlink() for name in folders)
        folders[:] = [name for name in folders if not _is_left_out(within, name, ignored, left_out)]
        for name in filter(is_manifest_name, names):
            path = Path(parent, name)
            is_ignored = bool(ignored) and os.path.normpath(f"{within}/{name}") in ignored
            kind = IGNORED if is_ignored else LINK if top and _leads_out(path, top) else ""
            if kind:
                _count(left_out, kind)
                continue
            yield Input(str(path), path, Path(within, name), found=_found_file(path))
        if not recursive:
            return


def _found_file(path: Path) -> Fingerprint | None:
    """What a file is; None if it is not there. OSError for a pipe, which might block forever."""
    try:
        found = os.stat(path)  # noqa: PTH116 - called for every file of a run
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(0, f"{path} is not a regular file")
    return _fingerprint(found)


def _leads_out(link: Path, top: Path) -> bool:
    """Whether a link leads out of the repository, wherever that is checked out; an absolute one always does."""
    if not link.is_symlink():
        return False
    return link.readlink().is_absolute() or not Path(os.path.realpath(link)).is_relative_to(top.resolve())


def _count(left_out: LeftOut | None, kind: str) -> None:
    if left_out is not None:
        left_out[kind] += 1


def _is_left_out(within: str, name: str, ignored: Container[str], left_out: LeftOut | None) -> bool:
    """Whether a folder is left out; it is counted then, unless it is git's own."""
    if name == ".git":
        return True
    kind = HIDDEN if name.startswith(".") else IGNORED if os.path.normpath(f"{within}/{name}") in ignored else ""
    if left_out is None or not kind:
        return False
    left_out[kind] += 1
    return True


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


_AROUND = 2
_LONGEST = 400
_MOST_LINES = 5_000


def excerpts(sources: Iterable[Input], places: Iterable[Place]) -> dict[str, dict[int, str]]:
    """By file and number the lines at the places, with the two before and after each; long ones are cut.

    Empty for a file that cannot be read, or is not among the sources.
    """
    wanted: defaultdict[str, set[int]] = defaultdict(set)
    for place in places:
        if place.line:
            wanted[place.file].update(range(max(place.line - _AROUND, 1), place.line + _AROUND + 1))
    return {
        source.name: _lines(source, sorted(wanted[source.name])[:_MOST_LINES])
        for source in sources
        if source.name in wanted
    }


def _lines(source: Input, numbers: Sequence[int]) -> dict[int, str]:
    wanted, found = set(numbers), {}
    try:
        source.refuse_unreadable()
        with source.path.open("rb") as file, TextIOWrapper(file, "utf-8-sig", errors="replace") as text:
            for number, line in enumerate(text, 1):
                if number in wanted:
                    found[number] = _cut(line.rstrip("\r\n"))
                if number > numbers[-1]:
                    break
    except (SidecarctlError, OSError):
        return {}
    return found


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
