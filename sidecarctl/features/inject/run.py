"""How every transformation of manifests runs: documents to results to a sink; everything is written, or nothing."""

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import groupby, islice
from typing import NamedTuple, Protocol, TypeAlias

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.streams import Chunk
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.exit_codes import COMPLETED, UNREADABLE
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files.inputs import Input, refuse_changed
from sidecarctl.engine.files.memory import Spool
from sidecarctl.engine.files.outputs import written
from sidecarctl.engine.files.workers import BATCH, FIRST_BATCH, noted, spread_over_workers
from sidecarctl.engine.inputs.opening import Sources
from sidecarctl.engine.inputs.reading import (
    Reading,
    no_manifest,
    no_manifests,
    no_manifests_note,
    no_object,
    no_sidecarset,
    read_world,
    without_manifest,
)
from sidecarctl.engine.inputs.unknown_templates import UnknownTemplates, take_out
from sidecarctl.engine.inputs.world import unknown_namespaces
from sidecarctl.engine.report import Form, ObjectResult, Outcome, Report, RunFacts, Transform, lacks_namespace
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.transforming.inject import Inject
from sidecarctl.features.inject.batches import Batch, BatchResult, Transformation

_MOST_PASSED = 1 << 20  # bytes that are not parsed, and wait for what is before them
RESULTS_IN_MEMORY = 5000


class Sink(Protocol):
    """A place for the results of a run."""

    @property
    def wrote(self) -> Sequence[str]:
        """The files that a commit writes, `-` for stdout."""

    def begin(self, source: Input, first: BatchResult) -> None:
        """Begin a file; its first result is known."""

    def add(self, result: BatchResult) -> None:
        """Take a result."""

    def end(self) -> None:
        """The file is complete."""

    def verify(self) -> Sequence[Finding]:
        """Findings about the targets; ImpossibleError if nothing may be written."""

    def commit(self) -> None:
        """Publish everything."""

    def discard(self) -> None:
        """Discard everything that is not committed."""

    def take_beside(self, sources: Sources[Input]) -> Sequence[Finding]:
        """Copy files that belong to the sources unchanged; a note about those, if any."""


class TransformRequest(NamedTuple):
    """What is transformed and how.

    - `prepare` creates the transformation for a world; `look_at` returns warnings about the world, or rejects it.
    - `accepts_unknown`: nothing may be injected although labels of namespaces are not known.
    - `stands_alone`: objects do not depend on each other, so the world stays empty, and a folder may contain several
      versions of a SidecarSet.
    - `as_pods`: print the pods of workloads instead of the workloads.
    - `strict`: if validation rejects an object, nothing is written.
    - `verb`, `done`: the words for what it does to an object; `differs`: the code for one that `check` rejects.
    - `form`: that of the results. `with_texts`: with the texts before and after, for a diff.
    - `keep_going`: write what can be written although something fails. `check`: write nothing, object to changes.
    - `ignored`: fields of containers in which running pods may differ.
    - `jobs`: how many processes work.
    """

    reading: Reading
    verb: str
    done: str
    prepare: Callable[[World], Transform]
    look_at: Callable[[World], list[Finding]]
    needs_sidecarsets: bool
    allow_empty: bool
    accepts_unknown: bool = False
    stands_alone: bool = False
    strict: bool = False
    as_pods: bool = False
    differs: Reason = Reason.INJECTION_DIFFERS
    form: Form = Form.TEXT
    with_texts: bool = False
    keep_going: bool = False
    check: bool = False
    ignored: Sequence[str] = ()
    jobs: int = 1


class Totals:
    """The totals of the batches so far."""

    def __init__(self) -> None:
        self.results: Spool[ObjectResult] = Spool(RESULTS_IN_MEMORY)
        self.outcomes: Counter[Outcome] = Counter()
        self.severities: set[Severity] = set()
        self.failures: list[Finding] = []
        self.exit_code = COMPLETED
        self.is_whole = True
        self.kinds: frozenset[str] = frozenset()
        self.holding: set[str] = set()
        self.is_refused = False
        self.files = 0
        self.unknown_namespaces: set[str] = set()
        self.unknown_templates = UnknownTemplates()
        self.strange: list[str] = []

    def add_unreadable(self, fault: InputError) -> None:
        """Count a file that cannot be read."""
        self.failures += fault.findings
        self.exit_code = max(self.exit_code, fault.exit_code)
        self.is_whole = False

    def add(self, result: BatchResult, source: str) -> None:
        """Count another batch of a file."""
        objects = [self._without_unknown(outcome) for outcome in result.objects]
        self.results.add(objects)
        self.failures += result.failures
        self.exit_code = max(self.exit_code, result.exit_code)
        self.kinds |= result.kinds
        unread = any(finding.severity is Severity.ERROR for finding in result.failures)
        if result.objects or unread:
            self.holding.add(source)
        self.is_whole &= not unread
        for outcome in objects:
            self.is_whole &= outcome.exit_code != UNREADABLE
            self.outcomes[outcome.change.outcome] += 1
            self.severities.update(finding.severity for finding in outcome.change.findings)
            self.is_refused |= any(finding.rule for finding in outcome.change.findings)
            if lacks_namespace(outcome.change):
                self.unknown_namespaces.add(outcome.reference.namespace)

    def _without_unknown(self, result: ObjectResult) -> ObjectResult:
        """The result without its notes on pod templates of unknown kinds, which are summed up by kind."""
        findings = result.change.findings
        unknown, others = take_out(findings) if findings else ([], [])
        if not unknown:
            return result
        self.unknown_templates.add(unknown)
        return result._replace(change=result.change._replace(findings=tuple(others)))


def transform(
    found: Sources[Input], request: TransformRequest, sinks: Sequence[Sink], refuse: Callable[[Sources[Input]], None]
) -> Report[RunFacts]:
    """Transform all files, and write the results to each sink: all of them or, if something fails, none.

    `refuse` raises UsageError for files that cannot be written. InputError if nothing is there to transform, or what
    decides cannot be read; ImpossibleError for files that were saved in the meantime.
    """
    totals = Totals()
    goes_on = request.keep_going or any(source.fault for source in found.paths)
    sources = found._replace(paths=list(_readable(found.paths, totals))) if goes_on else found
    refuse(sources)
    totals.files = 0 if all(source.is_named for source in sources.paths) else len(sources.paths)
    world = _world(request, sources)
    findings = request.look_at(world)
    transform = request.prepare(world)
    if request.as_pods:
        transform, missing = _pods_instead(transform, sources, request.reading)
        findings += missing
    elif request.check and isinstance(transform, Inject):
        from sidecarctl.features.inject.running_pods import CheckedPods  # few runs check

        transform = CheckedPods(transform, sources, request.reading, request.ignored)
    reading = request.reading
    reader = reading.reader._replace(for_edits=True)
    work = Transformation(
        transform,
        reader,
        request.form,
        request.as_pods,
        reading.look,
        with_texts=request.with_texts,
        proves=bool(sinks),
    )
    with ExitStack() as opened:
        for sink in sinks:
            opened.enter_context(written(sink))
        _send(request, sources, work, totals, sinks)
        findings += [finding for sink in sinks for finding in sink.take_beside(sources)]
        _refuse_emptiness(request, sources, totals, world)
        refused = request.strict and totals.is_refused
        commits = not refused and (not totals.exit_code or request.keep_going)
        unknown = totals.unknown_templates.notes()
        findings += [*_strangers(request, sources, totals), *unknown]
        findings += [finding for sink in sinks for finding in sink.verify()]
        refuse_changed([*found.every, *found.older])
        for sink in sinks if commits else ():
            sink.commit()
    wrote = [name for sink in sinks for name in sink.wrote] if commits else []
    return _report(request, totals, findings, wrote, is_written=commits)


def _pods_instead(transform: Transform, sources: Sources[Input], how: Reading) -> tuple[Transform, Sequence[Finding]]:
    """The pods of workloads instead of the workloads, as other objects affect them; notes on what is missing."""
    from sidecarctl.engine.inputs.manifests import read_manifests
    from sidecarctl.engine.inputs.references import changed_by_references  # few runs ask for pods
    from sidecarctl.features.inject.created_pods import CreatedPods

    if not isinstance(transform, Inject):
        return transform, ()
    every = read_manifests(sources, how).objects  # the run itself reports what cannot be read
    changed, missing = changed_by_references(every, how.namespace)
    return CreatedPods(transform, changed), missing


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
        return World(remarks=tuple(sources.remarks))
    world = read_world(sources, request.reading)
    if request.needs_sidecarsets and not (world.sidecarsets or request.allow_empty):
        raise no_sidecarset(sources.named)
    return world


def _send(
    request: TransformRequest, sources: Sources[Input], work: Transformation, totals: Totals, sinks: Sequence[Sink]
) -> None:
    """All batches in order, each to the sinks."""
    batches = _batches(sources.paths, request.reading.reader, work)
    jobs = request.jobs
    spread = _spread(work, batches, jobs) if jobs > 1 else spread_over_workers(work.result, batches, jobs)
    with closing(spread) as results:
        for number, group in groupby(results, key=lambda result: result.source):
            _send_file(sources.paths[number], group, totals, sinks)


_Bundle: TypeAlias = tuple[list[Batch], dict[int, BatchResult]]
"""Some batches: those to be parsed, and the results of the others, by their places in the bundle."""


def _spread(work: Transformation, batches: Iterable[Batch], jobs: int) -> Generator[BatchResult, None, None]:
    """The results of the batches. Workers get only what is to be parsed: sending more costs more than it saves.

    What the first bundle needs is loaded and known before there are workers to inherit it.
    """
    bundles = _bundles(work, batches)
    for parsed, passed in islice(bundles, 1):
        yield from _in_order(work.results(parsed), passed)
    sent: deque[_Bundle] = deque()
    to_parse = (parsed for parsed, _ in noted(bundles, sent))
    with closing(spread_over_workers(work.results, to_parse, jobs)) as every:
        for results in every:
            yield from _in_order(results, sent.popleft()[1])


def _in_order(parsed: list[BatchResult], passed: dict[int, BatchResult]) -> Iterator[BatchResult]:
    rest = iter(parsed)
    for place in range(len(parsed) + len(passed)):
        yield passed.get(place) or next(rest)


def _bundles(work: Transformation, batches: Iterable[Batch]) -> Iterator[_Bundle]:
    """Small files together: sending each by itself takes as long as the work."""
    parsed: list[Batch] = []
    passed: dict[int, BatchResult] = {}
    size, size_passed, enough = 0, 0, FIRST_BATCH
    for batch in batches:
        if work.passes(batch):
            passed[len(parsed) + len(passed)] = result = work.result(batch)
            size_passed += result.size
        else:
            parsed.append(batch)
            size += sum(len(chunk.data) for chunk in batch.chunks)
        if size >= enough or size_passed >= _MOST_PASSED:
            yield parsed, passed
            parsed, passed, size, size_passed, enough = [], {}, 0, 0, BATCH
    if parsed or passed:
        yield parsed, passed


def _send_file(source: Input, results: Iterable[BatchResult], totals: Totals, sinks: Sequence[Sink]) -> None:
    for index, result in enumerate(results):
        if result.failures:
            result.failures, strange = no_manifests(result.failures, [source])
            totals.strange += strange
            if strange and not result.failures:
                result.exit_code = max((item.exit_code for item in result.objects), default=COMPLETED)
        totals.add(result, source.name)
        for sink in sinks:
            if not index:
                sink.begin(source, result)
            sink.add(result)
    for sink in sinks:
        sink.end()


def _batches(sources: Iterable[Input], reader: Reader, work: Transformation) -> Iterator[Batch]:
    """The files in batches, in order, a long list in several; an empty file is a batch without documents."""
    for number, source in enumerate(sources):
        chunks: list[Chunk] = []
        first = size = 0
        for chunk in source.chunks(reader.limits.size):
            if parts := work.parts(chunk, reader):
                if chunks:
                    yield Batch(number, source.name, first, chunks, source.given)
                first, size, chunks = first + len(chunks), 0, []
                yield from (Batch(number, source.name, first, [part], source.given) for part in parts)
                first += 1
                continue
            chunks.append(chunk)
            size += len(chunk.data)
            if size >= BATCH:
                yield Batch(number, source.name, first, chunks, source.given)
                first, size, chunks = first + len(chunks), 0, []
        if chunks or not first:
            yield Batch(number, source.name, first, chunks, source.given)


def _refuse_emptiness(request: TransformRequest, sources: Sources[Input], totals: Totals, world: World) -> None:
    injects_nothing = totals.outcomes.keys() <= {Outcome.SKIPPED, Outcome.OTHER}
    if totals.unknown_namespaces and injects_nothing and not request.accepts_unknown:
        raise unknown_namespaces(name or request.reading.namespace for name in totals.unknown_namespaces)
    if request.allow_empty:
        return
    if not (totals.kinds or totals.exit_code):
        raise no_manifest(sources.named)
    if empty := list(without_manifest(sources.paths, totals.holding, request.reading.reader)):
        raise InputError(*empty, *world.remarks)
    is_idle = not (totals.outcomes.keys() - {Outcome.OTHER} or totals.exit_code)
    if request.stands_alone and request.needs_sidecarsets and is_idle:
        raise no_sidecarset(sources.named)


def _strangers(request: TransformRequest, sources: Sources[Input], totals: Totals) -> list[Finding]:
    """A warning for a file with documents but no object, such as a kubectl table or Helm values."""
    if totals.outcomes or not totals.kinds or totals.exit_code or request.allow_empty:
        return []
    return [no_object(sources.named)]


def _report(
    request: TransformRequest, totals: Totals, findings: list[Finding], wrote: list[str], *, is_written: bool
) -> Report[RunFacts]:
    check = request.check
    word = f"to {request.verb}" if check else request.done if is_written else f"would {request.verb}"
    return Report(
        "run",
        RunFacts(
            word,
            totals.outcomes,
            writes=not check,
            written=is_written,
            is_whole=totals.is_whole,
            files=totals.files,
            differs=request.differs,
        ),
        [*no_manifests_note(list(dict.fromkeys(totals.strange))), *findings, *totals.failures],
        totals.results,
        frozenset(totals.severities),
        is_objection=check and bool(totals.outcomes[Outcome.CHANGED] + totals.outcomes[Outcome.DRIFTED]),
        failure=totals.exit_code,
        release=request.reading.release,
        wrote=wrote,
    )
