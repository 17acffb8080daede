"""Paths to files: standard input, pipes and git revisions are kept for as long as a run lasts, to be read again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Generic, NamedTuple, TypeVar

from sidecarctl.engine.facts.errors import InputError, usage_error
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.files.fixed_files import whole_path
from sidecarctl.engine.files.inputs import (
    STDIN,
    Input,
    LeftOut,
    inputs,
    keep_pipe,
    keep_stdin,
    refuse_changed,
    will_be_read,
)
from sidecarctl.engine.inputs.folders import (
    NOTHING,
    Exclusion,
    NamespacesByPath,
    chosen,
    gives_namespaces,
    included,
    left_out_note,
)
from sidecarctl.engine.inputs.objects import Source
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.sidecarset.world import Located


class Named(NamedTuple):
    """What a command line names: `paths` to work on, read-only `deciders`, `older` manifests of SidecarSets.

    `at_hand` are objects that have been read already, such as those inside a SidecarInjection. `recursive`: whether
    folders are read with their subfolders, which they are for None, the default. `exclude` are patterns of files that
    are left out; with `ignores` hidden folders and what git ignores are too.

    `usual`, `excluded` and `namespaces` are what `.sidecarctl.yaml` says; `yields`: a SidecarSet in the other inputs
    replaces a usual one of its name. `side`: which side of a comparison it is.
    `render`: what is rendered in addition to the PATHS.
    """

    paths: Sequence[str]
    deciders: Sequence[str] = ()
    older: Sequence[str] = ()
    recursive: bool | None = None
    at_hand: Sequence[Located] = ()
    exclude: Sequence[str] = ()
    ignores: bool = True
    usual: Sequence[str] = ()
    yields: bool = False
    excluded: Exclusion = NOTHING
    namespaces: NamespacesByPath = NamespacesByPath()
    render: "RenderPlan | None" = None
    side: str = ""


class ClusterIdentity(NamedTuple):
    """The uid of the Namespace kube-system, unique to a cluster, and the Kruise version; empty if unknown."""

    uid: str = ""
    kruise: str = ""

    def document(self) -> Object:
        """The identity as recorded in a plan, without unknown parts."""
        known = {"uid": self.uid, "kruiseVersion": self.kruise}
        return {key: value for key, value in known.items() if value}


class Live(NamedTuple):
    """What was read from a cluster, as files, and findings about what could not be read.

    `versions`: the resourceVersion at which each kind was read, by its plural.
    """

    inputs: Sequence[Input] = ()
    findings: Sequence[Finding] = ()
    versions: Mapping[str, str] = {}
    identity: ClusterIdentity | None = None
    release: Release | None = None
    """The release of Kruise that runs there, if it was asked for and is known."""
    gates: Sequence[str] = ()
    """The feature gates that Kruise runs with there, as `NAME=true`."""
    kubernetes: str = ""
    """The minor release of Kubernetes there, such as `1.27`, if it was asked for and is known."""


if TYPE_CHECKING:
    from sidecarctl.engine.inputs.settings import RenderPlan

AnySource_co = TypeVar("AnySource_co", bound=Source, covariant=True)


class Sources(NamedTuple, Generic[AnySource_co]):
    """What was named, as files; `left_out` counts the other files in the folders, `notes` are about the files.

    `yielding`: the names of the files whose SidecarSets yield to others of the same name. `named`: what was named,
    for errors. `found`: the files, with those that only feed kustomizations and charts. `live`: what a cluster has;
    a SidecarSet of the files replaces one of the cluster.
    """

    paths: Sequence[AnySource_co] = ()
    deciders: Sequence[AnySource_co] = ()
    older: Sequence[AnySource_co] = ()
    at_hand: Sequence[Located] = ()
    left_out: LeftOut = LeftOut()
    yielding: frozenset[str] = frozenset()
    named: Named = Named(())
    found: Sequence[Input] = ()
    notes: Sequence[Finding] = ()
    live: Live = Live()

    @property
    def remarks(self) -> list[Finding]:
        """Notes on what was left out, and where the namespaces of the files come from."""
        return [*left_out_note(self.left_out), *self.notes]

    @property
    def every(self) -> Sequence[AnySource_co]:
        """Read-only inputs first, then what is worked on."""
        return [*self.deciders, *self.paths]


@contextmanager
def opened(*trees: Named, lenient: bool = False) -> Iterator[Sequence[Sources[Input]]]:
    """The files behind the paths of each tree, for runs that only read them.

    As `opened_to_write`. At the end ImpossibleError for files that were saved meanwhile, so that no report is made of
    two versions of a file.
    """
    with opened_to_write(*trees, lenient=lenient) as found:
        every = [source for tree in found for source in (*tree.every, *tree.older)]
        try:
            yield found
        except InputError:
            refuse_changed(every)  # a file that cannot be read may have been half saved
            raise
        refuse_changed(every)


@contextmanager
def opened_to_write(*trees: Named, lenient: bool = False) -> Iterator[Sequence[Sources[Input]]]:
    """The files of a run that may replace them: it looks for itself whether they were saved in the meantime.

    Standard input can be named once among all trees. UsageError for an empty path, as an unset variable of a shell
    is. InputError for one that does not exist; if `lenient` only once its file is read.
    """
    every = [path for tree in trees for path in (*tree.paths, *tree.deciders, *tree.older)]
    if "" in every:
        raise usage_error("a path is empty", hint="name a file or folder; . is the current folder")
    if every.count(STDIN) > 1:
        raise usage_error("standard input (-) can be read only once")
    with ExitStack() as copies:
        keep = partial(_copied, copies)
        stdin = _copy(copies, keep_stdin) if STDIN in every else None
        find = partial(inputs, stdin=stdin, keep=keep, lenient=lenient)

        def files(tree: Named, path: str, left_out: LeftOut) -> list[Input]:
            recursive, counted = tree.recursive is not False, left_out if tree.ignores else None
            if path.startswith("git:"):
                return _of_revision(copies, path, counted, recursive=recursive)
            return find([path], recursive=recursive, left_out=counted)

        found = [_sources(tree, partial(files, tree)) for tree in trees]
        if any(tree.render for tree in trees):
            from sidecarctl.engine.inputs.rendering.rendered import with_rendered  # few runs render

            found = with_rendered(found, copies)
        will_be_read(source for tree in found for source in (*tree.every, *tree.older))
        yield found


def _sources(tree: Named, find: Callable[[str, LeftOut], list[Input]]) -> Sources[Input]:
    left_out = LeftOut()
    every: list[Input] = []

    def files(paths: Sequence[str], *, named: bool = False) -> list[Input]:
        kept: list[Input] = []
        for path in paths:
            found = included(find(path, left_out), tree.exclude, left_out, tree.excluded, named=named)
            kept += chosen(found, left_out)
            every.extend(found)
        return kept

    paths, deciders, older = files(tree.paths, named=True), files(tree.deciders), files(tree.older)
    known = {whole_path(file.name) for file in (*paths, *deciders)} if tree.usual else set()
    usual = [file for file in files(tree.usual) if whole_path(file.name) not in known]
    yielding = frozenset(file.name for file in usual) if tree.yields else frozenset()
    found = Sources(paths, [*usual, *deciders], older, tree.at_hand, left_out, yielding, tree, every)
    return _with_namespaces(found) if tree.namespaces.patterns or any(map(gives_namespaces, every)) else found


def _with_namespaces(found: Sources[Input]) -> Sources[Input]:
    from sidecarctl.engine.inputs.given_namespaces import given_namespaces, namespace_note  # not of plain manifests

    given = given_namespaces(found.found, found.named.namespaces)
    paths, deciders, older = ([file._replace(given=given.get(file.name)) for file in files] for files in found[:3])
    used = [file.given for file in (*paths, *deciders) if file.given]
    return found._replace(paths=paths, deciders=deciders, older=older, notes=namespace_note(used))


def _of_revision(copies: ExitStack, name: str, left_out: LeftOut | None, *, recursive: bool) -> list[Input]:
    """The files of a git revision, kept like pipes."""
    from tempfile import TemporaryDirectory  # slow to load, like git's answers

    from sidecarctl.engine.files.git import revision_inputs

    folder = copies.enter_context(TemporaryDirectory(prefix="sidecarctl-git-"))
    return revision_inputs(name, Path(folder), recursive=recursive, left_out=left_out)


def _copied(copies: ExitStack, pipe: Path) -> Path:
    return _copy(copies, partial(keep_pipe, pipe))


def _copy(copies: ExitStack, read: Callable[[IO[bytes]], None]) -> Path:
    from tempfile import NamedTemporaryFile  # slow to load, and few inputs are pipes

    kept = copies.enter_context(NamedTemporaryFile(prefix="sidecarctl-input-"))  # noqa: SIM115 - the stack closes it
    read(kept.file)
    return Path(kept.name)
