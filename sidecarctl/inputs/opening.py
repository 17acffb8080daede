"""Paths to files: standard input, pipes and git revisions are kept for as long as a run lasts, to be read again."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Generic, Protocol, TypeVar

from sidecarctl.documents.reading.streams import Chunk
from sidecarctl.facts.errors import InputError, usage_error
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.files.inputs import STDIN, Input, inputs, keep_pipe, keep_stdin, lenient_inputs, refuse_changed
from sidecarctl.inputs.located import Located


class Named(NamedTuple):
    """What a command line names: `paths` to work on, read-only `deciders`, `older` manifests of SidecarSets.

    `at_hand` are objects that were read already, such as those inside a SidecarInjection. `exclude` are patterns of
    files among `paths` that are left out.
    """

    paths: Sequence[str]
    deciders: Sequence[str] = ()
    older: Sequence[str] = ()
    recursive: bool = False
    at_hand: Sequence[Located] = ()
    exclude: Sequence[str] = ()


class Source(Protocol):
    """A file, or a text in memory: the name that the user knows, and the documents."""

    @property
    def name(self) -> str:
        """The name for messages."""

    def blocks(self) -> Iterable[bytes]:
        """Its bytes, from the beginning."""

    def chunks(self, size_limit: int) -> Iterable[Chunk]:
        """The texts of the documents; InputError, with the file, where one is larger."""


AnySource_co = TypeVar("AnySource_co", bound=Source, covariant=True)


class Sources(NamedTuple, Generic[AnySource_co]):
    """The same, as files."""

    paths: Sequence[AnySource_co] = ()
    deciders: Sequence[AnySource_co] = ()
    older: Sequence[AnySource_co] = ()
    at_hand: Sequence[Located] = ()

    @property
    def every(self) -> Sequence[AnySource_co]:
        """Read-only inputs first, then what is worked on."""
        return [*self.deciders, *self.paths]


@contextmanager
def opened(*trees: Named, lenient: bool = False) -> Iterator[Sequence[Sources[Input]]]:
    """The files behind the paths of each tree, to be read and computed from; nothing is written in here.

    As `opened_to_write`. At the end ImpossibleError for files that were saved meanwhile, so that no report is made of
    two versions of a file.
    """
    with opened_to_write(*trees, lenient=lenient) as found:
        every = [source for tree in found for source in (*tree.every, *tree.older)]
        try:
            yield found
        except InputError:
            refuse_changed(every)  # what cannot be read may be half of what was being saved
            raise
        refuse_changed(every)


@contextmanager
def opened_to_write(*trees: Named, lenient: bool = False) -> Iterator[Sequence[Sources[Input]]]:
    """The same for a run that may replace these files: it looks for itself whether they were saved meanwhile.

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
        find = lenient_inputs if lenient else inputs

        def found(paths: Sequence[str], tree: Named) -> list[Input]:
            return [
                source
                for path in paths
                for source in (
                    _of_revision(copies, path, tree)
                    if path.startswith("git:")
                    else find([path], recursive=tree.recursive, stdin=stdin, keep=keep)
                )
            ]

        yield [
            Sources(
                _without_excluded(found(tree.paths, tree), tree.exclude),
                found(tree.deciders, tree),
                found(tree.older, tree),
                tree.at_hand,
            )
            for tree in trees
        ]


def _without_excluded(files: list[Input], patterns: Sequence[str]) -> list[Input]:
    if not patterns:
        return files
    from sidecarctl.inputs.exclusion import not_excluded

    return not_excluded(files, patterns)


def _of_revision(copies: ExitStack, name: str, tree: Named) -> list[Input]:
    """The files of a git revision, kept like pipes."""
    from tempfile import TemporaryDirectory  # it loads much, as git's answers do

    from sidecarctl.files.git_revisions import revision_inputs

    folder = copies.enter_context(TemporaryDirectory(prefix="sidecarctl-git-"))
    return revision_inputs(name, Path(folder), recursive=tree.recursive)


def _copied(copies: ExitStack, pipe: Path) -> Path:
    return _copy(copies, partial(keep_pipe, pipe))


def _copy(copies: ExitStack, read: Callable[[IO[bytes]], None]) -> Path:
    from tempfile import NamedTemporaryFile  # it loads much, and few inputs are pipes

    kept = copies.enter_context(NamedTemporaryFile(prefix="sidecarctl-input-"))  # noqa: SIM115 - the stack closes it
    read(kept.file)
    return Path(kept.name)
