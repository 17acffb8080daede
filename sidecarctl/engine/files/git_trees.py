"""The files of a commit as they would be checked out: with those of submodules, and converted by filters.

A submodule is read at its recorded commit, from its own repository.
"""

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from sidecarctl.engine.facts.errors import InputError, input_error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files.fixed_files import top_of

_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
_OF_ANOTHER = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX")
"""What a hook sets for the repository that it runs in."""
_SUBMODULE = b"160000"
_CONVERTING = ("filter", "working-tree-encoding", "ident")
"""The attributes by which a file that is checked out may differ from its content."""


class Blob(NamedTuple):
    """A file of a tree: its mode, the name of its content, and its path in its repository.

    `repository`: the folder of the submodule that it is in; None for the repository itself.
    """

    mode: bytes
    sha: str
    path: str
    repository: Path | None = None


def blobs_of(name: str, commit: str, root: str = "", repository: Path | None = None) -> Iterator[tuple[str, Blob]]:
    """The files of a commit, or those at and below a path, by their paths from the top.

    Submodules that are not checked out have none, as on disk. InputError for one whose commit is not there.
    """
    below = ["--", root] if root else []
    listed = git_output(name, ["ls-tree", "-r", "-z", "--full-tree", commit, *below], folder=repository)
    for entry in listed.split(b"\0"):
        if not entry:
            continue
        head, _, encoded = entry.partition(b"\t")
        path = os.fsdecode(encoded)
        mode, _, sha = head.split(b" ")
        if mode != _SUBMODULE:
            yield path, Blob(mode, sha.decode(), path, repository)
            continue
        for within, blob in _of_submodule(name, repository or _top(), path, sha.decode()):
            yield f"{path}/{within}", blob


def _of_submodule(name: str, top: Path, path: str, commit: str) -> Iterator[tuple[str, Blob]]:
    folder = top / path
    if not (folder / ".git").exists():
        if run_git(name, ["ls-files", "--error-unmatch", "--", path], folder=top).returncode:
            message = f"{path} was a submodule then, and is not checked out, so its files cannot be compared"
            raise git_error(name, message, f"leave it out with --exclude {path}")
        return
    if run_git(name, ["cat-file", "-e", f"{commit}^{{commit}}"], folder=folder).returncode:
        message = f"the submodule {path} lacks commit {commit}, so its files cannot be compared"
        raise git_error(name, message, f"git -C {os.path.relpath(folder)} fetch")
    yield from blobs_of(name, commit, repository=folder)


def _top() -> Path:
    return top_of(Path.cwd()) or Path.cwd()


def has_path(name: str, commit: str, full: str) -> bool:
    """Whether a commit, with its submodules, has a file or folder."""
    if next(blobs_of(name, commit, full), None):
        return True
    is_inside = any((_top() / above / ".git").exists() for above in PurePosixPath(full).parents if above.parts)
    return is_inside and any(path == full or path.startswith(f"{full}/") for path, _ in blobs_of(name, commit))


class SparseCheckout(NamedTuple):
    """The files of the index by whether they are checked out; empty if all are."""

    inside: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()

    def lacks(self, path: str) -> bool:
        """Whether a file would not be checked out; one that is not in the index is judged by its neighbors."""
        if path in self.outside or not self.outside:
            return path in self.outside
        folders = [f"{folder}/" for folder in PurePosixPath(path).parents if folder.parts]
        for folder in folders:
            known = {way for way in (self.inside, self.outside) if any(item.startswith(folder) for item in way)}
            if known:
                return known == {self.outside}
        return False


def sparse_checkout(name: str) -> SparseCheckout:
    """What a sparse checkout leaves out of the current folder's repository."""
    if run_git(name, ["config", "--bool", "core.sparseCheckout"]).stdout.strip() != b"true":
        return SparseCheckout()
    entries = git_output(name, ["ls-files", "-t", "-z", "--full-name", ":/"]).split(b"\0")
    found = [(entry[:1] == b"S", os.fsdecode(entry[2:])) for entry in entries if entry]
    return SparseCheckout(*(frozenset(path for skips, path in found if skips is way) for way in (False, True)))


def contents_of(name: str, blobs: Sequence[Blob]) -> list[bytes]:
    """The contents of files, as a checkout has them, in their order."""
    found: dict[Blob, bytes] = {}
    for repository in dict.fromkeys(blob.repository for blob in blobs):
        own = list(dict.fromkeys(blob for blob in blobs if blob.repository == repository))
        converted = _converted(name, own, repository)
        plain = [blob for blob in own if blob not in converted]
        asked = "".join(f"{blob.sha}\n" for blob in plain).encode()
        answer = git_output(name, ["cat-file", "--batch"], asked, repository)
        found |= converted | dict(zip(plain, _parts(name, answer), strict=True))
    return [found[blob] for blob in blobs]


def _converted(name: str, blobs: Sequence[Blob], repository: Path | None) -> dict[Blob, bytes]:
    """The files that a filter or an encoding changes when they are checked out."""
    top = repository or _top()
    asked = b"".join(os.fsencode(blob.path) + b"\0" for blob in blobs)
    answer = git_output(name, ["check-attr", "-z", "--stdin", *_CONVERTING], asked, top).split(b"\0")
    values = zip(answer[::3], answer[2::3], strict=False)
    paths = {os.fsdecode(path) for path, value in values if value not in (b"unspecified", b"unset")}
    return {
        blob: git_output(name, ["cat-file", "--filters", f"--path={blob.path}", blob.sha], folder=top)
        for blob in blobs
        if blob.path in paths
    }


def _parts(name: str, answer: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(answer):
        end = answer.index(b"\n", at)
        words = answer[at:end].split(b" ")
        if len(words) != 3:  # "SHA missing": a partial clone that has not fetched it
            raise git_error(
                name, "the clone lacks a file of this revision", "a clone without --filter has all of them"
            )
        size = int(words[2])
        yield answer[end + 1 : end + 1 + size]
        at = end + 1 + size + 1


def git_output(name: str, words: Sequence[str], stdin: bytes = b"", folder: Path | None = None) -> bytes:
    """The output of git; InputError if it fails."""
    ended = run_git(name, words, stdin, folder)
    if ended.returncode:
        said = ended.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise git_error(name, f"git {words[0]} failed: {said}", "")
    return ended.stdout


def run_git(
    name: str, words: Iterable[str], stdin: bytes = b"", folder: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Git, run in a folder, by default the current one; InputError if it cannot be run."""
    kept = {key: value for key, value in os.environ.items() if folder is None or key not in _OF_ANOTHER}
    try:
        return subprocess.run(  # noqa: S603 - a list, read by no shell
            ["git", *words],  # noqa: S607 - the git that the user would call
            input=stdin,
            capture_output=True,
            check=False,
            cwd=folder,
            env={**kept, **_QUIET},
        )
    except OSError as fault:
        raise git_error(name, f"git cannot be run: {fault.strerror or fault}", "install git, or name files") from None


def git_error(name: str, message: str, hint: str) -> InputError:
    """The error about a path of the user's."""
    return input_error(Reason.UNREADABLE_FILE, f"{name}: {message}", hint=hint)


def is_shallow(name: str) -> bool:
    """Whether the clone lacks part of its history."""
    return run_git(name, ["rev-parse", "--is-shallow-repository"]).stdout.strip() == b"true"
