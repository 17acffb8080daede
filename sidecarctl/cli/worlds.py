"""The inputs of a run and the world that they make."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sidecarctl.documents.document import Reader
from sidecarctl.documents.streams import split
from sidecarctl.facts.errors import InputError, SidecarctlError, input_error, usage_error
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.reasons import Reason
from sidecarctl.files.inputs import STDIN, Input, inputs, keep_stdin
from sidecarctl.tasks.world import Located, World, deciding, may_decide, names_a_set, world_of


class Sources(NamedTuple):
    """The files that a command works on, and those that only decide."""

    paths: list[Input]
    deciders: list[Input]


@contextmanager
def opened(paths: Sequence[str], sidecarsets: Sequence[str], *, recursive: bool) -> Iterator[Sources]:
    """The files behind the command line's paths; standard input is kept for as long, to be read twice."""
    if not paths:
        raise usage_error("no PATHS are given", hint="name files or folders, or - for stdin")
    if [*paths, *sidecarsets].count(STDIN) > 1:
        raise usage_error("standard input (-) can be read only once")
    with tempfile.NamedTemporaryFile(prefix="sidecarctl-stdin-") as kept:
        if STDIN in (*paths, *sidecarsets):
            keep_stdin(kept.file)
            kept.flush()
        stdin = Path(kept.name)
        yield Sources(
            inputs(paths, recursive=recursive, stdin=stdin), inputs(sidecarsets, recursive=recursive, stdin=stdin)
        )


def read_world(sources: Sources, reader: Reader, *, allow_empty: bool) -> World:
    """The world of all inputs; InputError where a set cannot be read, or there is none."""
    found: list[Located] = []
    failures: list[Finding] = []
    for source, decides in [*((one, True) for one in sources.deciders), *((one, False) for one in sources.paths)]:
        for chunk in split(source.blocks(), reader.limits.size):
            if not decides and not may_decide(chunk.data):
                continue
            try:
                found += deciding(reader.documents(chunk), source.name)
            except SidecarctlError as fault:
                if decides or names_a_set(chunk.data):  # other documents are reported when their turn comes
                    failures += in_file(fault, source.name)
    if failures:
        raise InputError(*failures)
    world = world_of(found)
    if not world.sidecarsets and not allow_empty:
        hint = "give them with -s, or say --allow-empty"
        raise input_error(Reason.NO_SIDECARSET, "there is no SidecarSet among the inputs", hint=hint)
    return world


def in_file(fault: SidecarctlError, file: str) -> list[Finding]:
    """The findings of an error, with their file."""
    return [
        finding._replace(place=finding.place._replace(file=file)) if finding.place else finding
        for finding in fault.findings
    ]
