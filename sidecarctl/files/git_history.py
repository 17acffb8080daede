"""The versions that files had in git, `git:A..B:PATH`: those of A and of each later commit of B's branch."""

import posixpath
from collections.abc import Iterable, Iterator
from pathlib import Path

from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.files.git_revisions import (
    LINK,
    PREFIX,
    answer_of,
    blobs_of,
    commit_named,
    contents_of,
    failed,
    from_the_top,
    is_shallow,
)
from sidecarctl.files.inputs import EXTENSIONS, Input

_SHORT = 12
"""Characters of a commit's name that are shown."""


class _Version(NamedTuple):
    """A version of a file; `within` is its path in the folder that was named, empty for a named file."""

    commit: str
    within: str
    sha: str


def history_inputs(name: str, revisions: str, path: str, folder: Path, *, recursive: bool) -> list[Input]:
    """The versions of a file, or of those of a folder, oldest first; each content once in a row."""
    start, _, end = revisions.partition("..")
    if not path or end.startswith("."):
        raise usage_error(
            f"{name} names no file whose versions are wanted", hint="such as git:v1..main:sets/logs.yaml"
        )
    root = from_the_top(name, path)
    commits = _commits(name, start, end or "HEAD", root)
    versions = list(_versions(name, commits, root, recursive=recursive))
    if not versions:
        raise failed(name, f"no version of {path} is in {revisions}", "the path is relative to the current folder")
    contents = contents_of(name, [version.sha for version in versions])
    copies = []
    for number, (version, content) in enumerate(zip(versions, contents, strict=True)):
        copy = folder / str(number)
        copy.write_bytes(content)
        shown = (
            f"{PREFIX}{version.commit[:_SHORT]}:{posixpath.join(path, version.within) if version.within else path}"
        )
        within = Path(version.within or posixpath.basename(path))
        copies.append(Input(shown, copy, within, is_copy=True, is_named=not version.within))
    return copies


def _versions(name: str, commits: Iterable[str], root: str, *, recursive: bool) -> Iterator[_Version]:
    latest: dict[str, str] = {}
    for commit in commits:
        for full, blob in blobs_of(name, commit, root):
            within = full.removeprefix(root).removeprefix("/")
            is_chosen = not within or (within.endswith(EXTENSIONS) and (recursive or "/" not in within))
            if is_chosen and blob.mode != LINK and latest.get(full) != blob.sha:
                latest[full] = blob.sha
                yield _Version(commit, within, blob.sha)


def _commits(name: str, start: str, end: str, root: str) -> list[str]:
    """The commits of a branch that changed a path, oldest first, after the one that it begins with."""
    words = ["rev-list", "--first-parent", "--reverse", commit_named(name, end)]
    first = [commit_named(name, start)] if start else []
    if not first and is_shallow(name):
        raise failed(name, "the clone is shallow, so its history is not whole", "fetch it whole, or name the start")
    later = answer_of(name, [*words, *(f"^{commit}" for commit in first), "--", f":/{root}"])
    return [*first, *later.decode().split()]
