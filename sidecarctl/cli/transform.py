"""How every transforming command runs: read the world, do the task to each document, write all of it or nothing."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sidecarctl.cli.batches import BatchResult, Work, batches
from sidecarctl.cli.collector import without_collector
from sidecarctl.cli.colours import tell
from sidecarctl.cli.diffs import Diffs
from sidecarctl.cli.exiting import report
from sidecarctl.cli.worlds import Named, Sources, opened, read_world
from sidecarctl.documents.document import Reader
from sidecarctl.documents.limits import DEFAULT_LIMITS
from sidecarctl.facts.errors import usage_error
from sidecarctl.files.inputs import STDIN, Input
from sidecarctl.files.outputs import Folder, InPlace, Output, Stdout, written
from sidecarctl.files.workers import spread
from sidecarctl.inputs.world import World
from sidecarctl.operations.sidecarset_warnings import remarks
from sidecarctl.operations.transforming.chunks import Task
from sidecarctl.operations.transforming.form_names import Form
from sidecarctl.operations.transforming.object_changes import Outcome, Transform
from sidecarctl.reports.run.text import Verbosity, summary_line

OBJECTION = 1


class TransformRequest(NamedTuple):
    """What the command line of a transforming command asks for."""

    named: Named
    in_place: bool
    folder: str | None
    form: Form | None
    diff: bool
    check: bool
    keep_going: bool
    strict: bool
    allow_empty: bool
    needs_sets: bool
    trust_annotated_hash: bool
    jobs: int
    max_document_size: int
    verbosity: Verbosity


class Totals:
    """What the batches so far came to."""

    def __init__(self, warnings: int) -> None:
        self.outcomes: Counter[Outcome] = Counter()
        self.warnings = warnings
        self.exit_code = 0
        self.kinds: frozenset[str] = frozenset()
        self.patches: list[dict[str, object]] = []

    def add(self, result: BatchResult) -> None:
        """Count one more batch."""
        self.outcomes += result.outcomes
        self.warnings += result.warnings
        self.exit_code = max(self.exit_code, result.exit_code)
        self.kinds |= result.kinds
        self.patches += result.patches


def transform(request: TransformRequest, verb: str, prepare: Callable[[World], Transform]) -> int:
    """Do a task to everything that the request names; the exit code. `verb` is the word for it: `injected`."""
    _refuse_contradictions(request)
    reader = Reader(DEFAULT_LIMITS._replace(size=request.max_document_size * 1024 * 1024))
    with opened(request.named) as sources, without_collector():
        _refuse_to_replace_copies(request, sources)
        _refuse_to_write_twice(request, sources)
        world = read_world(
            sources,
            reader,
            allow_empty=request.allow_empty or not request.needs_sets,
            trust_annotated_hash=request.trust_annotated_hash,
        )
        odd = remarks(world)
        if request.verbosity > Verbosity.QUIET:
            report(odd)
        task = Task(prepare(world), reader, request.form or Form.TEXT)
        work = Work(task, verb, request.verbosity, with_texts=request.diff)
        totals = Totals(warnings=len(odd))
        with written(_output(request)) as output, written(_diff_output(request)) as diff_output:
            _do(request, sources, work, totals, output, Diffs(diff_output))
            _refuse_emptiness(request, totals)
            _warn_of_strangers(request, totals)
            if not totals.exit_code or request.keep_going:
                output.commit()
                diff_output.commit()
    if request.verbosity > Verbosity.QUIET:
        tell(summary_line(totals.outcomes, verb, totals.warnings))
    return _exit_code(request, totals)


def _do(
    request: TransformRequest, sources: Sources, work: Work, totals: Totals, output: Output, diffs: Diffs
) -> None:
    """All batches in order, each into its output and its diff."""
    current: Input | None = None
    all_batches = batches(sources.paths, request.max_document_size * 1024 * 1024)
    for result in spread(work.result, all_batches, request.jobs):
        source = sources.paths[result.source]
        if source is not current:
            if current is not None:
                output.end()
                diffs.end()
            current = source
            output.begin(source)
            diffs.begin(source)
            if totals.kinds:
                output.part_from_others(result.joint)
        totals.add(result)
        if result.lines:
            tell("\n".join(result.lines))
        output.write(result.data, result.size, changed=bool(result.outcomes[Outcome.CHANGED]))
        diffs.add(result)
    if current is not None:
        output.end()
        diffs.end()
    if request.form is Form.JSONPATCH:
        output.write(_patches(totals), 0, changed=True)


def _patches(totals: Totals) -> bytes:
    """The bare patch where the input is a single object, else the list of all: each has to say what it is for."""
    single = len(totals.patches) == totals.outcomes.total() == 1
    return (json.dumps(totals.patches[0]["patch"] if single else totals.patches, indent=2) + "\n").encode()


def _refuse_to_replace_copies(request: TransformRequest, sources: Sources) -> None:
    pipes = [source.name for source in sources.paths if source.is_copy]
    if pipes and (request.in_place or request.folder):
        raise usage_error(f"{pipes[0]} is no file that can be written back", hint="leave out -i or -d")


def _refuse_to_write_twice(request: TransformRequest, sources: Sources) -> None:
    """Two files of one relative path would take the same place below -d, and the first would be lost."""
    names: dict[Path, str] = {}
    for source in sources.paths if request.folder else ():
        if first := names.get(source.within):
            message = (
                f"{first} and {source.name} would both be written to {Path(request.folder or '', source.within)}"
            )
            raise usage_error(message, hint="name the folder that holds both, with -R")
        names[source.within] = source.name


def _refuse_contradictions(request: TransformRequest) -> None:
    if request.in_place and request.folder:
        raise usage_error("-i writes into the files and -d into a folder: say one of them")
    if STDIN in request.named.paths and (request.in_place or request.folder):
        raise usage_error("standard input (-) cannot be written back", hint="leave out -i or -d")
    if (request.in_place or request.folder) and request.check:
        raise usage_error("--check writes nothing", hint="leave out -i or -d")
    if (request.in_place or request.folder or request.diff) and request.form:
        raise usage_error("-o chooses what stdout gets, so it does not go with -i, -d or --diff")
    if request.in_place and len(set(request.named.paths)) < len(request.named.paths):
        raise usage_error("a path stands there twice, which -i would write twice")


def _refuse_emptiness(request: TransformRequest, totals: Totals) -> None:
    if not totals.kinds and not totals.exit_code and not request.allow_empty:
        from sidecarctl.cli.emptiness import no_manifest

        raise no_manifest(request.named.paths, recursive=request.named.recursive)
    if len(totals.kinds) > 1 and request.form is None and not (request.in_place or request.folder or request.check):
        raise usage_error("YAML and JSON cannot stand in one stream", hint="say -o yaml or -o json")


def _warn_of_strangers(request: TransformRequest, totals: Totals) -> None:
    """Say so where there are documents, but nothing that could be worked on: a table of kubectl, values of Helm."""
    if totals.outcomes or not totals.kinds or totals.exit_code or request.allow_empty:
        return
    from sidecarctl.cli.emptiness import no_object

    totals.warnings += 1
    if request.verbosity > Verbosity.QUIET:
        report([no_object(request.named.paths)])


def _output(request: TransformRequest) -> Output:
    if request.in_place:
        return InPlace()
    if request.folder:
        return Folder(Path(request.folder))
    return Output() if request.check or request.diff else Stdout()


def _diff_output(request: TransformRequest) -> Output:
    return Stdout() if request.diff else Output()


def _exit_code(request: TransformRequest, totals: Totals) -> int:
    if totals.exit_code:
        return OBJECTION if request.keep_going else totals.exit_code
    changed = bool(totals.outcomes[Outcome.CHANGED])
    return OBJECTION if (request.check and changed) or (request.strict and totals.warnings) else 0
