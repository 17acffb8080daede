"""The inputs of a run and the world that they make."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

from sidecarctl.cli.flags.config import Config
from sidecarctl.documents.document import Reader
from sidecarctl.facts.errors import InputError, SidecarctlError, usage_error
from sidecarctl.facts.findings import Finding
from sidecarctl.files.inputs import STDIN, Input, inputs, keep_pipe, keep_stdin, lenient_inputs
from sidecarctl.inputs.deciding_objects import in_file, located_in
from sidecarctl.inputs.world import Located, World, deciding, may_decide, names_a_set, world_of


class Named(NamedTuple):
    """What the command line names: what is worked on, what only decides, what sets were once."""

    paths: Sequence[str]
    sidecarsets: Sequence[str] = ()
    revision_from: Sequence[str] = ()
    recursive: bool = False
    config: Config | None = None


class Sources(NamedTuple):
    """The same, as files."""

    paths: list[Input]
    deciders: list[Input]
    older: list[Input]
    config: list[Located]
    """What stands in the config itself."""
    named: Named


@contextmanager
def opened(named: Named, *, lenient: bool = False, optional: bool = False) -> Iterator[Sources]:
    """The files behind the command line's paths; standard input is kept for as long, to be read twice.

    InputError for a path that is not there; if `lenient` only once its file is read. UsageError for no paths at all,
    unless they are `optional`.
    """
    deciders = [*named.sidecarsets, *(named.config.paths if named.config else ())]
    every = [*named.paths, *deciders, *named.revision_from]
    if not named.paths and not optional:
        raise usage_error("no PATHS are given", hint="name files or folders, or - for stdin")
    if every.count(STDIN) > 1:
        raise usage_error("standard input (-) can be read only once")
    with ExitStack() as copies:

        def copy(read: Callable[[IO[bytes]], None]) -> Path:
            from tempfile import NamedTemporaryFile  # it loads much, and few inputs are pipes

            kept = copies.enter_context(NamedTemporaryFile(prefix="sidecarctl-input-"))
            read(kept.file)
            return Path(kept.name)

        def copied(pipe: Path) -> Path:
            return copy(partial(keep_pipe, pipe))

        stdin = copy(keep_stdin) if STDIN in every else None
        found = partial(lenient_inputs if lenient else inputs, recursive=named.recursive, stdin=stdin, keep=copied)
        paths, sets, older = map(found, (named.paths, deciders, named.revision_from))
        yield Sources(paths, sets, older, named.config.located if named.config else [], named)


def no_sidecarset_in(named: Named) -> InputError:
    """The error for inputs without any SidecarSet."""
    from sidecarctl.cli.emptiness import no_sidecarset

    return no_sidecarset(named.paths, named.sidecarsets, recursive=named.recursive)


def read_world(sources: Sources, reader: Reader, *, allow_empty: bool, trust_annotated_hash: bool = False) -> World:
    """The world of all inputs; InputError where a set cannot be read, or there is none."""
    found: list[Located] = [*sources.config]
    failures: list[Finding] = []
    for source, decides in [*((one, True) for one in sources.deciders), *((one, False) for one in sources.paths)]:
        for chunk in source.chunks(reader.limits.size):
            if not decides and not may_decide(chunk.data):
                continue
            try:
                found += deciding(reader.documents(chunk), source.name)
            except SidecarctlError as fault:
                if decides or names_a_set(chunk.data):  # other documents are reported when their turn comes
                    failures += in_file(fault, source.name)
    if failures:
        raise InputError(*failures)
    older = [located for located in located_in(sources.older, reader) if located.reference.kind == "SidecarSet"]
    world = world_of(found, older, trust_annotated_hash=trust_annotated_hash)
    if not world.sidecarsets and not allow_empty:
        raise no_sidecarset_in(sources.named)
    return world
