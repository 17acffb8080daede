"""Files of a git revision, `git:REV[:PATH]`, read through the user's git; the repository stays as it is.

PATH is relative to the current folder, as other paths are, so that `git:main` is what `.` was there. `git:A..B:PATH`
are all versions that PATH had from A to B, and `git:..B:PATH` all that it ever had up to B.
"""

import os
import posixpath
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from sidecarctl.facts.errors import InputError, input_error, usage_error
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.files.inputs import EXTENSIONS, Input

PREFIX = "git:"
_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
LINK, _SUBMODULE = b"120000", b"160000"
_MOST_LINKS = 8


class _Blob(NamedTuple):
    """A file of a tree: its mode and the name of its content."""

    mode: bytes
    sha: str


def revision_inputs(name: str, folder: Path, *, recursive: bool) -> list[Input]:
    """The manifests that a revision holds below a path, or the one file that it names, copied into `folder`.

    UsageError for a name without a revision, InputError if git does not give it.
    """
    revision, _, path = name.removeprefix(PREFIX).partition(":")
    if not revision:
        raise usage_error(f"{name} names no revision", hint="such as git:main or git:main:apps")
    if ".." in revision:
        from sidecarctl.files.git_history import history_inputs  # few runs look back

        return history_inputs(name, revision, path, folder, recursive=recursive)
    commit = commit_named(name, revision)
    root = from_the_top(name, path)
    blobs = dict(blobs_of(name, commit))
    if root in blobs:
        chosen = {root: posixpath.basename(root)}
    else:
        below = f"{root}/" if root else ""
        found = [blob for blob in blobs if blob.startswith(below)]
        if not found and root:
            raise failed(name, f"there is no {path} in {revision}", "the path is relative to the current folder")
        within = {blob: blob.removeprefix(below) for blob in found}
        chosen = {blob: rest for blob, rest in within.items() if rest.endswith(EXTENSIONS)}
        chosen = {blob: rest for blob, rest in chosen.items() if recursive or "/" not in rest}
    contents = contents_of(name, [_resolved(name, blob, blobs).sha for blob in chosen])
    copies = []
    for number, ((full, rest), content) in enumerate(zip(chosen.items(), contents, strict=True)):
        copy = folder / str(number)
        copy.write_bytes(content)
        shown = f"{PREFIX}{revision}:{posixpath.join(path, rest) if full != root else path}"
        copies.append(Input(shown, copy, Path(rest), is_copy=True, is_named=full == root))
    return sorted(copies, key=lambda source: source.within.parts)


def commit_named(name: str, revision: str) -> str:
    """The commit of a revision; InputError if git knows none. `name` is what the user called it."""
    words = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
    ended = _git(name, words)
    if ended.returncode:
        _refuse_no_repository(name)
        lacks = "the clone is shallow and lacks it" if is_shallow(name) else "if the clone is shallow"
        hint = f"{lacks}: fetch-depth: 0 of actions/checkout brings all revisions, or git fetch origin {revision}"
        raise failed(name, f"git knows no revision {revision}", hint)
    return ended.stdout.decode().strip()


def _refuse_no_repository(name: str) -> None:
    ended = _git(name, ["rev-parse", "--git-dir"])
    if ended.returncode:
        said = ended.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise failed(name, said.split("\n")[0] or "this is no git repository", "")


def is_shallow(name: str) -> bool:
    """Whether the clone lacks a part of its history."""
    return _git(name, ["rev-parse", "--is-shallow-repository"]).stdout.strip() == b"true"


def from_the_top(name: str, path: str) -> str:
    """The path from the top of the repository; empty for the top itself."""
    here = os.fsdecode(answer_of(name, ["rev-parse", "--show-prefix"]).rstrip(b"\n"))
    full = posixpath.normpath(posixpath.join(here, path))
    if full.startswith(("../", "/")) or full == "..":
        raise failed(name, f"{path} lies outside the repository", "the path is relative to the current folder")
    return "" if full == "." else full


def blobs_of(name: str, commit: str, root: str = "") -> Iterator[tuple[str, _Blob]]:
    """The files of a commit, or those at and below a path, by their paths from the top."""
    below = ["--", root] if root else []
    for entry in answer_of(name, ["ls-tree", "-r", "-z", "--full-tree", commit, *below]).split(b"\0"):
        if entry:
            head, _, path = entry.partition(b"\t")
            mode, _, sha = head.split(b" ")
            if mode != _SUBMODULE:
                yield os.fsdecode(path), _Blob(mode, sha.decode())


def _resolved(name: str, path: str, blobs: Mapping[str, _Blob]) -> _Blob:
    """The file that a path is, through symbolic links to others of the revision."""
    at = path
    for _ in range(_MOST_LINKS):
        blob = blobs.get(at)
        if blob is None:
            break
        if blob.mode != LINK:
            return blob
        (target,) = contents_of(name, [blob.sha])
        at = posixpath.normpath(posixpath.join(posixpath.dirname(at), os.fsdecode(target)))
    raise failed(name, f"{path} is a symbolic link to what is no file of the revision", "")


def contents_of(name: str, shas: Sequence[str]) -> Iterable[bytes]:
    """The contents of files, in the order of their names."""
    if not shas:
        return []
    answer = answer_of(name, ["cat-file", "--batch"], "".join(f"{sha}\n" for sha in shas).encode())
    return list(_parts(name, answer))


def _parts(name: str, answer: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(answer):
        end = answer.index(b"\n", at)
        words = answer[at:end].split(b" ")
        if len(words) != 3:  # "SHA missing": a partial clone that has not fetched it
            raise failed(name, "the clone lacks a file of this revision", "a clone without --filter has all of them")
        size = int(words[2])
        yield answer[end + 1 : end + 1 + size]
        at = end + 1 + size + 1


def answer_of(name: str, words: Sequence[str], stdin: bytes = b"") -> bytes:
    """The output of git; InputError if it fails."""
    ended = _git(name, words, stdin)
    if ended.returncode:
        said = ended.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise failed(name, f"git {words[0]} failed: {said}", "")
    return ended.stdout


def _git(name: str, words: Sequence[str], stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603 - a list, read by no shell
            ["git", *words],  # noqa: S607 - the git that the user would call
            input=stdin,
            capture_output=True,
            check=False,
            env={**os.environ, **_QUIET},
        )
    except OSError as fault:
        raise failed(name, f"git cannot be run: {fault.strerror or fault}", "install git, or give files") from None


def failed(name: str, message: str, hint: str) -> InputError:
    """The error about a path of the user's."""
    return input_error(Reason.UNREADABLE_FILE, f"{name}: {message}", hint=hint)
