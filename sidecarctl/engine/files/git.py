"""Files of a git revision, `git:REV[:PATH]`, read through the user's git; the repository does not change.

PATH counts from the top of the repository, as in git itself; `./PATH` and `../PATH` count from the current folder,
and `git:main` alone is what `.` was there. `git:A..B:PATH` are all versions that PATH had from A to B, and
`git:..B:PATH` all that it ever had up to B.
"""

import os
import posixpath
import subprocess
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from sidecarctl.engine.facts.errors import InputError, input_error, usage_error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files.fixed_files import top_of
from sidecarctl.engine.files.inputs import EXTENSIONS, HIDDEN, LINK, Input, LeftOut, is_manifest_name

PREFIX = "git:"
_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
_LINK, _SUBMODULE = b"120000", b"160000"
_MOST_LINKS = 8


class _Blob(NamedTuple):
    """A file of a tree: its mode and the name of its content."""

    mode: bytes
    sha: str


def revision_inputs(name: str, folder: Path, *, recursive: bool, left_out: LeftOut | None = None) -> list[Input]:
    """The manifests of a revision below a path, or the one file that it names, copied into `folder`.

    Hidden folders, and links to folders or out of the revision, are left out and counted in `left_out`; hidden
    folders are read if that is None.

    UsageError for a name without a revision, InputError if git does not give it.
    """
    revision, colon, path = name.removeprefix(PREFIX).partition(":")
    if ".." in revision:
        return history_inputs(name, revision, path, folder, recursive=recursive)
    commit = commit_named(name, revision)
    root = from_the_top(name, path if colon else ".")
    blobs = dict(blobs_of(name, commit))
    if root in blobs:
        chosen = {root: posixpath.basename(root)}
    else:
        below = f"{root}/" if root else ""
        found = [blob for blob in blobs if blob.startswith(below)]
        if not found and root:
            hint = f"paths count from the top of the repository; {PREFIX}{revision}:./{path} counts from here"
            raise git_error(name, f"there is no {path} in {revision}", hint)
        within = {blob: blob.removeprefix(below) for blob in found}
        chosen = {blob: rest for blob, rest in within.items() if is_manifest_name(posixpath.basename(rest))}
        chosen = {blob: rest for blob, rest in chosen.items() if recursive or "/" not in rest}
        chosen = chosen if left_out is None else _without_hidden(chosen, left_out)
    resolved = {blob: _resolved(name, blob, blobs, is_named=blob == root) for blob in chosen}
    shas = {blob: file.sha for blob, file in resolved.items() if file}
    if left_out is not None:
        left_out[LINK] += len(chosen) - len(shas)
    contents = contents_of(name, list(shas.values()))
    copies = []
    for number, (full, content) in enumerate(zip(shas, contents, strict=True)):
        copy = folder / str(number)
        copy.write_bytes(content)
        shown = f"{PREFIX}{revision}:{full}"
        copies.append(Input(shown, copy, Path(chosen[full]), is_copy=True, is_named=full == root))
    return sorted(copies, key=lambda source: source.within.parts)


def _without_hidden(chosen: Mapping[str, str], left_out: LeftOut) -> dict[str, str]:
    hidden = {
        folder
        for rest in chosen.values()
        for folder in map(str, PurePosixPath(rest).parents)
        if posixpath.basename(folder).startswith(".") and folder != "."
    }
    left_out[HIDDEN] += len([folder for folder in hidden if not _is_below(folder, hidden)])
    return {blob: rest for blob, rest in chosen.items() if not _is_below(rest, hidden)}


def _is_below(path: str, folders: Container[str]) -> bool:
    return any(str(above) in folders for above in PurePosixPath(path).parents)


def is_whole(name: str) -> bool:
    """Whether a name is a revision without a path, which stands for the current folder."""
    revision = name.removeprefix(PREFIX)
    return name.startswith(PREFIX) and ":" not in revision and ".." not in revision


def at_revision(name: str, path: str) -> str:
    """The name of an absolute path in the revision `name`; empty if the revision has no such file or folder."""
    full = os.path.relpath(path, top_of(Path.cwd()))
    commit = commit_named(name, name.removeprefix(PREFIX))
    if full == ".":
        return f"{name}:"
    return f"{name}:{full}" if not full.startswith("..") and next(blobs_of(name, commit, full), None) else ""


def nearest_file(name: str, file: str) -> tuple[str, bytes] | None:
    """The nearest file of that name, in the current folder or above it, in a revision: its path, and its content."""
    commit = commit_named(name, name.removeprefix(PREFIX).partition(":")[0])
    here = PurePosixPath(from_the_top(name, "."))
    for folder in (here, *here.parents):
        path = str(folder / file)
        if blobs := dict(blobs_of(name, commit, path)):
            blob = _resolved(name, path, blobs, is_named=False)
            return next(((path, content) for content in contents_of(name, [blob.sha] if blob else [])), None)
    return None


def ignored_below(folder: Path) -> frozenset[str]:
    """The files and folders below a folder that git ignores, relative to it; none if it ignores the folder itself.

    Also None if git cannot tell: then they are read.
    """
    words = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z", "."]
    try:
        ended = _git(str(folder), words, folder=folder)
    except InputError:
        return frozenset()
    found = frozenset(os.fsdecode(path).rstrip("/") for path in ended.stdout.split(b"\0") if path)
    return frozenset() if ended.returncode or "." in found else found


def commit_named(name: str, revision: str) -> str:
    """The commit of a revision; `name` is the user's word for it.

    UsageError for a name without a revision, InputError if git does not know it.
    """
    if not revision:
        raise usage_error(f"{name} does not name a revision", hint="such as git:main or git:main:apps")
    words = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
    ended = _git(name, words)
    if ended.returncode:
        _refuse_no_repository(name)
        lacks = "the clone is shallow and lacks it" if is_shallow(name) else "if the clone is shallow"
        hint = f"{lacks}: fetch-depth: 0 of actions/checkout brings all revisions, or git fetch origin {revision}"
        raise git_error(name, f"git does not know the revision {revision}", hint)
    return ended.stdout.decode().strip()


def _refuse_no_repository(name: str) -> None:
    ended = _git(name, ["rev-parse", "--git-dir"])
    if ended.returncode:
        said = ended.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise git_error(name, said.split("\n")[0] or "this is not a git repository", "")


def is_shallow(name: str) -> bool:
    """Whether the clone lacks part of its history."""
    return _git(name, ["rev-parse", "--is-shallow-repository"]).stdout.strip() == b"true"


def from_the_top(name: str, path: str) -> str:
    """The path from the top of the repository; empty for the top itself."""
    here = os.fsdecode(git_output(name, ["rev-parse", "--show-prefix"]).rstrip(b"\n"))
    is_from_here = path.split("/", maxsplit=1)[0] in (".", "..")
    full = posixpath.normpath(posixpath.join(here if is_from_here else "", path))
    if full.startswith(("../", "/")) or full == "..":
        raise git_error(name, f"{path} lies outside the repository", "it is relative to the current folder")
    return "" if full == "." else full


def blobs_of(name: str, commit: str, root: str = "") -> Iterator[tuple[str, _Blob]]:
    """The files of a commit, or those at and below a path, by their paths from the top."""
    below = ["--", root] if root else []
    for entry in git_output(name, ["ls-tree", "-r", "-z", "--full-tree", commit, *below]).split(b"\0"):
        if entry:
            head, _, path = entry.partition(b"\t")
            mode, _, sha = head.split(b" ")
            if mode != _SUBMODULE:
                yield os.fsdecode(path), _Blob(mode, sha.decode())


def _resolved(name: str, path: str, blobs: Mapping[str, _Blob], *, is_named: bool) -> _Blob | None:
    """The file that a path is, through symbolic links to others of the revision.

    None for a link to a folder or out of the revision, as links to folders are passed over on disk; InputError for
    one that leads nowhere, and for each that was named itself.
    """
    at = path
    for _ in range(_MOST_LINKS):
        blob = blobs.get(at)
        if blob is None:
            break
        if blob.mode != _LINK:
            return blob
        (target,) = contents_of(name, [blob.sha])
        at = posixpath.normpath(posixpath.join(posixpath.dirname(at), os.fsdecode(target)))
    is_outside = at.startswith(("/", "../")) or at in {".", ".."}
    if not is_named and (is_outside or any(blob.startswith(f"{at}/") for blob in blobs)):
        return None
    raise git_error(name, f"{path} is a symbolic link to something that is not a file of the revision", "")


def contents_of(name: str, shas: Sequence[str]) -> Iterable[bytes]:
    """The contents of files, in the order of their names."""
    if not shas:
        return []
    answer = git_output(name, ["cat-file", "--batch"], "".join(f"{sha}\n" for sha in shas).encode())
    return list(_parts(name, answer))


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


def git_output(name: str, words: Sequence[str], stdin: bytes = b"") -> bytes:
    """The output of git; InputError if it fails."""
    ended = _git(name, words, stdin)
    if ended.returncode:
        said = ended.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise git_error(name, f"git {words[0]} failed: {said}", "")
    return ended.stdout


def _git(
    name: str, words: Sequence[str], stdin: bytes = b"", folder: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603 - a list, read by no shell
            ["git", *words],  # noqa: S607 - the git that the user would call
            input=stdin,
            capture_output=True,
            check=False,
            cwd=folder,
            env={**os.environ, **_QUIET},
        )
    except OSError as fault:
        raise git_error(name, f"git cannot be run: {fault.strerror or fault}", "install git, or name files") from None


def git_error(name: str, message: str, hint: str) -> InputError:
    """The error about a path of the user's."""
    return input_error(Reason.UNREADABLE_FILE, f"{name}: {message}", hint=hint)


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
            f"{name} does not name the file whose versions to read", hint="such as git:v1..main:sets/logs.yaml"
        )
    root = from_the_top(name, path)
    commits = _commits(name, start, end or "HEAD", root)
    versions = list(_versions(name, commits, root, recursive=recursive))
    if not versions:
        raise git_error(name, f"no version of {path} is in {revisions}", "paths count from the top of the repository")
    contents = contents_of(name, [version.sha for version in versions])
    copies = []
    for number, (version, content) in enumerate(zip(versions, contents, strict=True)):
        copy = folder / str(number)
        copy.write_bytes(content)
        full = posixpath.join(root, version.within) if version.within else root
        shown = f"{PREFIX}{version.commit[:_SHORT]}:{full}"
        within = Path(version.within or posixpath.basename(root))
        copies.append(Input(shown, copy, within, is_copy=True, is_named=not version.within))
    return copies


def _versions(name: str, commits: Iterable[str], root: str, *, recursive: bool) -> Iterator[_Version]:
    latest: dict[str, str] = {}
    for commit in commits:
        for full, blob in blobs_of(name, commit, root):
            within = full.removeprefix(root).removeprefix("/")
            is_chosen = not within or (within.endswith(EXTENSIONS) and (recursive or "/" not in within))
            if is_chosen and blob.mode != _LINK and latest.get(full) != blob.sha:
                latest[full] = blob.sha
                yield _Version(commit, within, blob.sha)


def _commits(name: str, start: str, end: str, root: str) -> list[str]:
    """The commits of a branch that changed a path, oldest first, after the one that it begins with."""
    words = ["rev-list", "--first-parent", "--reverse", commit_named(name, end)]
    first = [commit_named(name, start)] if start else []
    if not first and is_shallow(name):
        raise git_error(
            name, "the clone is shallow, so its history is incomplete", "fetch the full history, or name the start"
        )
    later = git_output(name, [*words, *(f"^{commit}" for commit in first), "--", f":/{root}"])
    return [*first, *later.decode().split()]
