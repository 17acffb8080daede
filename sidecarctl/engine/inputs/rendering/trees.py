"""The files of a checkout or git revision by their paths from the top, for renderers; no link leads out of it."""

import os
import posixpath
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Protocol

from sidecarctl.engine.facts.errors import InputError, input_error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files.git import commit_named
from sidecarctl.engine.files.git_trees import Blob, blobs_of, contents_of
from sidecarctl.engine.files.inputs import EXTENSIONS, PREFIX

_LINK = b"120000"
_MOST_LINKS = 8
_LFS = b"version https://git-lfs.github.com/spec/"


class FileTree(Protocol):
    """Files by their paths from the top, with `/` and without `..`."""

    def content(self, path: str) -> bytes | None:
        """The content of a file; None if there is none. InputError for a link out of the tree, or content in LFS."""

    def below(self, folder: str) -> list[str]:
        """The files of a folder and its subfolders, in order."""

    def folders_like(self, pattern: str) -> list[str]:
        """The folders that match a pattern, or have this path."""

    def shown(self, path: str) -> str:
        """What the user calls a path."""


class CheckoutTree:
    """The tree of a folder on disk; `top` is absolute."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._real = os.path.realpath(top)

    def content(self, path: str) -> bytes | None:
        """As `FileTree`."""
        found = self._top / path
        if path.startswith("../") or not found.is_file():
            return None
        if not Path(os.path.realpath(found)).is_relative_to(self._real):
            raise leads_out(self.shown(path))
        try:
            return _local(found.read_bytes(), self.shown(path))
        except OSError as fault:
            raise input_error(Reason.NOT_RENDERED, f"{self.shown(path)}: {fault.strerror or fault}") from None

    def below(self, folder: str) -> list[str]:
        """As `FileTree`."""
        found = (
            os.path.relpath(Path(parent, name), self._top)
            for parent, folders, names in os.walk(self._top / folder)
            if ".git" not in Path(os.path.relpath(parent, self._top)).parts
            for name in names
        )
        return sorted(found)

    def folders_like(self, pattern: str) -> list[str]:
        """As `FileTree`."""
        if not is_pattern(pattern):
            return [pattern] if (self._top / pattern).is_dir() else []
        found = (path for path in self._top.glob(pattern) if path.is_dir() and not path.name.startswith("."))
        return sorted(os.path.relpath(path, self._top) for path in found)

    def shown(self, path: str) -> str:
        """As `FileTree`."""
        return os.path.relpath(self._top / path)


class RevisionTree:
    """The tree of a git revision, `git:REV`, as it would be checked out."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._revision = name.removeprefix(PREFIX)
        self._contents: dict[Blob, bytes] = {}

    @cached_property
    def _blobs(self) -> dict[str, Blob]:
        blobs = dict(blobs_of(self._name, commit_named(self._name, self._revision)))
        manifests = [blob for path, blob in blobs.items() if path.endswith(EXTENSIONS)]
        self._contents = dict(zip(manifests, contents_of(self._name, manifests), strict=True))  # by one call of git
        return blobs

    def content(self, path: str) -> bytes | None:
        """As `FileTree`."""
        blob = self._blobs.get(self._resolved(path))
        return None if blob is None else _local(self._content(blob), self.shown(path))

    def _content(self, blob: Blob) -> bytes:
        if blob not in self._contents:
            [self._contents[blob]] = contents_of(self._name, [blob])
        return self._contents[blob]

    def _resolved(self, path: str) -> str:
        """The path without links."""
        for _ in range(_MOST_LINKS):
            ways = [str(each) for each in (PurePosixPath(path), *PurePosixPath(path).parents)]
            link = next((way for way in ways if way in self._blobs and self._blobs[way].mode == _LINK), None)
            if link is None:
                return path
            target = os.fsdecode(self._content(self._blobs[link]))
            path = posixpath.normpath(posixpath.join(posixpath.dirname(link), target, path[len(link) + 1 :]))
            if path.startswith(("/", "../")):
                raise leads_out(self.shown(link))
        return path

    def below(self, folder: str) -> list[str]:
        """As `FileTree`."""
        before = "" if folder == "." else f"{folder}/"
        return sorted(path for path in self._blobs if path.startswith(before))

    def folders_like(self, pattern: str) -> list[str]:
        """As `FileTree`."""
        folders = {str(folder) for path in self._blobs for folder in PurePosixPath(path).parents if folder.parts}
        if not is_pattern(pattern):
            return [pattern] if pattern in folders else []
        wanted = PurePosixPath(pattern).parts
        return sorted(
            folder
            for folder in folders
            if matches(PurePosixPath(folder).parts, wanted) and not posixpath.basename(folder).startswith(".")
        )

    def shown(self, path: str) -> str:
        """As `FileTree`."""
        return f"{self._name}:{path}"


def tree_of(source: str, top: Path) -> FileTree:
    """The tree of `git:REV`, of another checkout, or for no name of the one at the top."""
    if source.startswith(PREFIX):
        return RevisionTree(f"{PREFIX}{source.removeprefix(PREFIX).partition(':')[0]}")
    return CheckoutTree(Path(source).absolute() if source else top)


def is_pattern(text: str) -> bool:
    """Whether a path has wildcards."""
    return any(mark in text for mark in "*?[")


def leads_out(name: str) -> InputError:
    """The error for a link that leads out of the tree."""
    return input_error(
        Reason.NOT_RENDERED, f"{name} is a symbolic link out of the repository, so nothing is rendered"
    )


def _local(content: bytes, name: str) -> bytes:
    if content.startswith(_LFS):
        message = f"{name} is in Git LFS and its content is not here, so what it feeds cannot be rendered"
        raise input_error(Reason.NOT_RENDERED, message, hint="git lfs pull")
    return content


def matches(path: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether the parts of a path match those of a pattern, as Path.glob has it."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(matches(path[number:], pattern[1:]) for number in range(len(path) + 1))
    return bool(path) and fnmatchcase(path[0], pattern[0]) and matches(path[1:], pattern[1:])


def parts_of(tree: FileTree, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Files with their contents, without those that are not there."""
    for path in paths:
        content = tree.content(path)
        if content is not None:
            yield path, content
