"""Files of a git revision, `git:REV[:PATH]`, read through the user's git; the repository does not change.

PATH counts from the top of the repository, as in git itself; `./PATH` and `../PATH` count from the current folder,
and `git:main` alone is what `.` was there. `git:A..B:PATH` are all versions that PATH had from A to B, and
`git:..B:PATH` all that it ever had up to B.

Where two versions of a repository are compared, `git:REV` is where the current branch left REV (`base_of`), and
`git:=REV` is REV itself, as it is everywhere else.
"""

import os
import posixpath
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from sidecarctl.engine.facts.errors import InputError, usage_error
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.files.fixed_files import top_of
from sidecarctl.engine.files.git_trees import (
    Blob,
    blobs_of,
    contents_of,
    git_error,
    git_output,
    has_path,
    is_shallow,
    run_git,
    sparse_checkout,
)
from sidecarctl.engine.files.inputs import EXTENSIONS, HIDDEN, LINK, PREFIX, SPARSE, Input, LeftOut, is_manifest_name

_EXACT = "="
_LINK = b"120000"
_MOST_LINKS = 8
_SHORT = 12
"""Characters of a commit's name that are shown."""


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
        chosen = chosen if left_out is None else _without_sparse(name, _without_hidden(chosen, left_out), left_out)
    resolved = {blob: _resolved(name, blob, blobs, is_named=blob == root) for blob in chosen}
    files = {blob: file for blob, file in resolved.items() if file}
    if left_out is not None:
        left_out[LINK] += len(chosen) - len(files)
    contents = contents_of(name, list(files.values()))
    copies = []
    for number, (full, content) in enumerate(zip(files, contents, strict=True)):
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


def _without_sparse(name: str, chosen: Mapping[str, str], left_out: LeftOut) -> dict[str, str]:
    """The files that a sparse checkout has too, unless it has nothing of the folder, which was named for itself."""
    sparse = sparse_checkout(name)
    kept = {blob: rest for blob, rest in chosen.items() if not sparse.lacks(blob)}
    left_out[SPARSE] += len(chosen) - len(kept) if kept else 0
    return kept or dict(chosen)


def _is_below(path: str, folders: Container[str]) -> bool:
    return any(str(above) in folders for above in PurePosixPath(path).parents)


def at_revision(name: str, path: str) -> str:
    """The name of an absolute path in the revision `name`; empty if the revision has no such file or folder."""
    full = os.path.relpath(path, top_of(Path.cwd()))
    commit = commit_named(name, name.removeprefix(PREFIX))
    if full == ".":
        return f"{name}:"
    return f"{name}:{full}" if not full.startswith("..") and has_path(name, commit, full) else ""


def nearest_file(name: str, file: str) -> tuple[str, bytes] | None:
    """The nearest file of that name, in the current folder or above it, in a revision: its path, and its content."""
    commit = commit_named(name, name.removeprefix(PREFIX).partition(":")[0])
    here = PurePosixPath(from_the_top(name, "."))
    for folder in (here, *here.parents):
        path = str(folder / file)
        if blobs := dict(blobs_of(name, commit, path)):
            blob = _resolved(name, path, blobs, is_named=False)
            return next(((path, content) for content in contents_of(name, [blob] if blob else [])), None)
    return None


def ignored_below(folder: Path) -> frozenset[str]:
    """The files and folders below a folder that git ignores, relative to it; none if it ignores the folder itself.

    Also None if git does not say: then they are read.
    """
    words = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z", "."]
    try:
        ended = run_git(str(folder), words, folder=folder)
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
    commit = _commit(name, revision.removeprefix(_EXACT))
    if not commit:
        _refuse_no_repository(name)
        lacks = "the clone is shallow and lacks it" if is_shallow(name) else "if the clone is shallow"
        hint = f"{lacks}: fetch-depth: 0 of actions/checkout brings all revisions, or {_fetching(revision)}"
        raise git_error(name, f"git does not know the revision {revision}", hint)
    return commit


def _commit(name: str, revision: str) -> str:
    """The commit of a revision; empty if git does not know it."""
    words = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
    return run_git(name, words).stdout.decode().strip()


_ANCESTOR = lazy_pattern(r"([^~^]+)((?:~[0-9]*|\^)+)\Z")
_STEP = lazy_pattern(r"~([0-9]*)|\^")


def _fetching(revision: str) -> str:
    """The command that brings a revision."""
    if found := _ANCESTOR.match(revision):
        steps = sum(int(step.group(1) or 1) for step in _STEP.finditer(found[2]))
        return f"git fetch --deepen {steps}"
    remote, slash, branch = revision.removeprefix(_EXACT).partition("/")
    if slash and remote == "origin":
        return f"git fetch {remote} {branch}:refs/remotes/{remote}/{branch}"
    return f"git fetch origin {revision.removeprefix(_EXACT)}"


class Base(NamedTuple):
    """Where the current branch left a revision: the path there, and the commits of the revision and of the base."""

    name: str
    revision: str
    base: str


def base_of(name: str) -> Base | None:
    """What a change is compared with, as code hosts do: the merge base of a revision and HEAD.

    On the commit by which a host merges a pull request to test it, that is its first parent. None for a revision that
    HEAD contains, one that is meant exactly, ranges, and what is no revision. InputError if there is no merge base.
    """
    revision, colon, path = name.removeprefix(PREFIX).partition(":")
    if not name.startswith(PREFIX) or not revision or ".." in revision or revision.startswith(_EXACT):
        return None
    asked, head = commit_named(name, revision), commit_named(name, "HEAD")
    base = _merged_into(name, head) or run_git(name, ["merge-base", asked, head]).stdout.decode().strip()
    if not base:
        deeper = "the clone is shallow: git fetch --unshallow" if is_shallow(name) else "they have no common history"
        hint = f"{deeper}; or git:={revision}{colon}{path} to compare with {revision} itself"
        raise git_error(name, f"git knows no merge base of {revision} and HEAD", hint)
    return None if base == asked else Base(f"{PREFIX}{base[:_SHORT]}{colon}{path}", asked[:_SHORT], base[:_SHORT])


def _merged_into(name: str, head: str) -> str:
    """The first parent of a commit that merges a pull request to test it; empty for any other commit."""
    said = run_git(name, ["log", "-1", "--format=%P%n%s", head]).stdout.decode(errors="replace").split("\n")
    parents = said[0].split()
    if len(parents) != 2:
        return ""
    is_tested = said[1] == f"Merge {parents[1]} into {parents[0]}" or _tests_a_merge(head)
    return parents[0] if is_tested else ""


def _tests_a_merge(head: str) -> bool:
    """Whether GitHub or GitLab checked out HEAD to test the merge of a pull request."""
    said = os.environ.get
    reference = said("GITHUB_REF", "")
    if reference.startswith("refs/pull/") and reference.endswith("/merge"):
        return said("GITHUB_SHA", head) == head
    return said("CI_MERGE_REQUEST_EVENT_TYPE") in {"merged_result", "merge_train"}


def _refuse_no_repository(name: str) -> None:
    ended = run_git(name, ["rev-parse", "--git-dir"])
    if ended.returncode:
        said = ended.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        first, *_, last = said.split("\n") if "\n" in said else (said, "")
        raise git_error(name, first or "this is not a git repository", last.strip())


def from_the_top(name: str, path: str) -> str:
    """The path from the top of the repository; empty for the top itself."""
    here = os.fsdecode(git_output(name, ["rev-parse", "--show-prefix"]).rstrip(b"\n"))
    is_from_here = path.split("/", maxsplit=1)[0] in (".", "..")
    full = posixpath.normpath(posixpath.join(here if is_from_here else "", path))
    if full.startswith(("../", "/")) or full == "..":
        raise git_error(name, f"{path} lies outside the repository", "it is relative to the current folder")
    return "" if full == "." else full


def _resolved(name: str, path: str, blobs: Mapping[str, Blob], *, is_named: bool) -> Blob | None:
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
        (target,) = contents_of(name, [blob])
        at = posixpath.normpath(posixpath.join(posixpath.dirname(at), os.fsdecode(target)))
    is_outside = at.startswith(("/", "../")) or at in {".", ".."}
    if not is_named and (is_outside or any(blob.startswith(f"{at}/") for blob in blobs)):
        return None
    raise git_error(name, f"{path} is a symbolic link to something that is not a file of the revision", "")


class _Version(NamedTuple):
    """A version of a file; `within` is its path in the folder that was named, empty for a named file."""

    commit: str
    within: str
    blob: Blob


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
    contents = contents_of(name, [version.blob for version in versions])
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
                yield _Version(commit, within, blob)


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
