"""How every transforming command runs: documents to results to sinks; everything is written, or nothing."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import groupby

from sidecarctl.cli.collector import without_collector
from sidecarctl.cli.flags.writing import WritingFlags
from sidecarctl.cli.sinks import Sink, Together, sinks
from sidecarctl.cli.spool import Spool
from sidecarctl.documents.reading.document import Reader
from sidecarctl.documents.reading.streams import Chunk
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.exit_codes import COMPLETED, UNREADABLE
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.files.inputs import Input, refuse_changed
from sidecarctl.files.outputs import written
from sidecarctl.files.workers import spread
from sidecarctl.inputs.emptiness import no_manifest, no_object, no_sidecarset
from sidecarctl.inputs.named_files import without_manifest
from sidecarctl.inputs.opening import Named, Sources, opened_to_write
from sidecarctl.inputs.reading import Reading, read_world
from sidecarctl.inputs.world import World
from sidecarctl.operations.report import Report
from sidecarctl.operations.transforming.batches import Batch, BatchResult, Work
from sidecarctl.operations.transforming.chunks import Transformation
from sidecarctl.operations.transforming.object_changes import ObjectResult, Outcome, Transform
from sidecarctl.operations.transforming.run_facts import RunFacts, Verb

_BATCH = 256 * 1024  # bytes: enough to make sending it worth while, little enough to keep several in memory
_RESULTS_IN_MEMORY = 5000


class TransformRequest(NamedTuple):
    """What is transformed and how.

    - `prepare` creates the transformation for a world; `look_at` returns warnings about the world, or rejects it.
    - `stands_alone`: objects do not depend on each other, so the world stays empty, and a folder may contain several
      versions of a SidecarSet.
    - `strict`: if validation rejects an object, nothing is written.
    """

    named: Named
    reading: Reading
    writing: WritingFlags
    verb: Verb
    prepare: Callable[[World], Transform]
    look_at: Callable[[World], list[Finding]]
    needs_sidecarsets: bool
    allow_empty: bool
    stands_alone: bool = False
    strict: bool = False


class Totals:
    """The totals of the batches so far."""

    def __init__(self) -> None:
        self.results: Spool[ObjectResult] = Spool(_RESULTS_IN_MEMORY)
        self.outcomes: Counter[Outcome] = Counter()
        self.severities: set[Severity] = set()
        self.failures: list[Finding] = []
        self.exit_code = COMPLETED
        self.is_whole = True
        self.kinds: frozenset[str] = frozenset()
        self.holding: set[str] = set()
        self.is_refused = False

    def add_unreadable(self, fault: InputError) -> None:
        """Count a file that cannot be read."""
        self.failures += fault.findings
        self.exit_code = max(self.exit_code, fault.exit_code)
        self.is_whole = False

    def add(self, result: BatchResult, source: str) -> None:
        """Count another batch of a file."""
        self.results.add(result.objects)
        self.failures += result.failures
        self.exit_code = max(self.exit_code, result.exit_code)
        self.kinds |= result.kinds
        if result.objects or result.failures:
            self.holding.add(source)
        self.is_whole &= not result.failures
        for outcome in result.objects:
            self.is_whole &= outcome.exit_code != UNREADABLE
            self.outcomes[outcome.change.outcome] += 1
            self.severities.update(finding.severity for finding in outcome.change.findings)
            self.is_refused |= any(finding.rule for finding in outcome.change.findings)


def transform(request: TransformRequest) -> Report[RunFacts]:
    """Transform all inputs of the request; returns the report."""
    request.writing.refuse_contradictions(request.named)
    totals = Totals()
    keeps_going = request.writing.keep_going
    with opened_to_write(request.named, lenient=keeps_going) as (found,), without_collector():
        sources = found._replace(paths=list(_readable(found.paths, totals))) if keeps_going else found
        request.writing.refuse_targets(sources)
        world = _world(request, sources)
        findings = request.look_at(world)
        transformation = Transformation(request.prepare(world), request.reading.reader, request.writing.form)
        with written(Together(sinks(request.writing))) as sink:
            _send(request, sources, Work(transformation, with_texts=request.writing.diff), totals, sink)
            _refuse_emptiness(request, sources, totals, world)
            refused = request.strict and totals.is_refused
            commits = not refused and (not totals.exit_code or request.writing.keep_going)
            findings += [*_strangers(request, totals), *sink.verify()]
            refuse_changed([*found.every, *found.older])
            if commits:
                sink.commit()
    return _report(request, totals, findings, sink.wrote if commits else [], written=commits)


def _readable(sources: Iterable[Input], totals: Totals) -> Iterator[Input]:
    """The files that can be read; the others are left unchanged and counted."""
    for source in sources:
        try:
            source.refuse_unreadable()
        except InputError as fault:
            totals.add_unreadable(fault)
        else:
            yield source


def _world(request: TransformRequest, sources: Sources[Input]) -> World:
    if request.stands_alone:
        return World()
    world = read_world(sources, request.reading)
    if request.needs_sidecarsets and not (world.sidecarsets or request.allow_empty):
        raise no_sidecarset(request.named)
    return world


def _send(request: TransformRequest, sources: Sources[Input], work: Work, totals: Totals, sink: Sink) -> None:
    """All batches in order, each to the sink."""
    every = _batches(sources.paths, request.reading.reader, work)
    with closing(spread(work.result, every, request.writing.jobs)) as results:
        for number, group in groupby(results, key=lambda result: result.source):
            _send_file(sources.paths[number], group, totals, sink)


def _send_file(source: Input, results: Iterable[BatchResult], totals: Totals, sink: Sink) -> None:
    for index, result in enumerate(results):
        if not index:
            sink.begin(source, result)
        totals.add(result, source.name)
        sink.add(result)
    sink.end()


def _batches(sources: Iterable[Input], reader: Reader, work: Work) -> Iterator[Batch]:
    """The files in batches, in order, a long list in several; an empty file is a batch without documents."""
    for number, source in enumerate(sources):
        chunks: list[Chunk] = []
        first = size = 0
        for chunk in source.chunks(reader.limits.size):
            if parts := work.parts(chunk, reader):
                if chunks:
                    yield Batch(number, source.name, first, chunks)
                first, size, chunks = first + len(chunks), 0, []
                yield from (Batch(number, source.name, first, [part]) for part in parts)
                first += 1
                continue
            chunks.append(chunk)
            size += len(chunk.data)
            if size >= _BATCH:
                yield Batch(number, source.name, first, chunks)
                first, size, chunks = first + len(chunks), 0, []
        if chunks or not first:
            yield Batch(number, source.name, first, chunks)


def _refuse_emptiness(request: TransformRequest, sources: Sources[Input], totals: Totals, world: World) -> None:
    if request.allow_empty:
        return
    if not (totals.kinds or totals.exit_code):
        raise no_manifest(request.named)
    if empty := list(without_manifest(sources.paths, totals.holding, request.reading.reader)):
        raise InputError(*empty, *world.remarks)
    is_idle = not (totals.outcomes.keys() - {Outcome.OTHER} or totals.exit_code)
    if request.stands_alone and request.needs_sidecarsets and is_idle:
        raise no_sidecarset(request.named)


def _strangers(request: TransformRequest, totals: Totals) -> list[Finding]:
    """A warning for a file with documents but no object, such as a kubectl table or Helm values."""
    if totals.outcomes or not totals.kinds or totals.exit_code or request.allow_empty:
        return []
    return [no_object(request.named)]


def _report(
    request: TransformRequest, totals: Totals, findings: list[Finding], wrote: list[str], *, written: bool
) -> Report[RunFacts]:
    check = request.writing.check
    word = request.verb.to_do if check else request.verb.done if written else request.verb.would
    return Report(
        "run",
        RunFacts(
            word,
            totals.outcomes,
            writes=not check,
            written=written,
            is_whole=totals.is_whole,
            differs=request.verb.differs,
        ),
        [*findings, *totals.failures],
        totals.results,
        frozenset(totals.severities),
        is_objection=check and bool(totals.outcomes[Outcome.CHANGED]),
        failure=totals.exit_code,
        release=request.reading.release,
        wrote=wrote,
    )
