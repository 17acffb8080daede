"""How a transforming command runs: the files are opened, and the results go where the command line says.

Each sink takes results, file by file, and writes nothing before it is committed.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sidecarctl.cli.flags.outputs import WritingFlags
from sidecarctl.cli.spool import Spool
from sidecarctl.cli.terminal import colored_diff, shows_colors
from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object
from sidecarctl.files.inputs import Input
from sidecarctl.files.outputs import Folder, InPlace, Output, Stdout, utf8, written
from sidecarctl.files.process import WithoutCollector
from sidecarctl.files.workers import workers_for
from sidecarctl.inputs.opening import Named, Sources, opened_to_write
from sidecarctl.operations.report import Form, ObjectResult, Report, RunFacts
from sidecarctl.operations.transforming.batches import BatchResult
from sidecarctl.operations.transforming.run import Sink, TransformRequest, Writing, transform
from sidecarctl.reports.layout.lines import shown


def sinks(flags: WritingFlags) -> list[Sink]:
    """The destination of the results on the command line."""
    chosen: list[Sink] = []
    if flags.writes_files:
        chosen.append(FilesSink(Folder(Path(flags.output_folder)) if flags.output_folder else InPlace()))
    elif flags.prints_manifests:
        chosen.append(PatchSink() if flags.form is Form.JSONPATCH else StreamSink(flags.output))
    return [*chosen, DiffSink()] if flags.diff else chosen


class FilesSink:
    """Each file in place, or into a folder."""

    def __init__(self, output: Output) -> None:
        self._output = output

    @property
    def wrote(self) -> list[str]:
        """The files to write."""
        return self._output.wrote

    def begin(self, source: Input, first: BatchResult) -> None:
        """Begin with a file."""
        del first
        self._output.begin(source)

    def add(self, result: BatchResult) -> None:
        """Write a part of the file."""
        self._output.write(result.data, result.size, changed=result.changed)

    def end(self) -> None:
        """Flush the file to disk."""
        self._output.end()

    def verify(self) -> Sequence[Finding]:
        """ImpossibleError for files that were saved since they were read."""
        self._output.verify()
        return self._output.findings

    def commit(self) -> None:
        """Move all files to their targets."""
        self._output.commit()

    def discard(self) -> None:
        """Remove files that were not committed."""
        self._output.discard()


class StreamSink(FilesSink):
    """All files in one stream on stdout, separated if needed."""

    def __init__(self, form: Form | None) -> None:
        super().__init__(Stdout())
        self._form = form
        self._kinds: frozenset[str] = frozenset()

    def begin(self, source: Input, first: BatchResult) -> None:
        """Separate a file from those before it."""
        if self._kinds:
            self._output.part_from_others(first.joint)
        super().begin(source, first)

    def add(self, result: BatchResult) -> None:
        """Take a part of the stream."""
        self._kinds |= result.kinds
        super().add(result)

    def commit(self) -> None:
        """Print the stream; UsageError if it would mix YAML and JSON."""
        if len(self._kinds) > 1 and self._form is None:
            raise usage_error("YAML and JSON cannot be combined in one stream", hint="use -o yaml or -o json")
        super().commit()


class PatchSink:
    """The JSON patches of all objects as one JSON document on stdout."""

    def __init__(self) -> None:
        self._stdout = Stdout()
        self._patches: list[Object] = []
        self._objects = 0

    @property
    def wrote(self) -> list[str]:
        """Standard output."""
        return self._stdout.wrote

    def begin(self, source: Input, first: BatchResult) -> None:
        """Patches contain their file names."""

    def add(self, result: BatchResult) -> None:
        """Take the patches of a batch."""
        self._patches += result.patches
        self._objects += len(result.objects)

    def end(self) -> None:
        """Nothing to do: all files are in one document."""

    def verify(self) -> Sequence[Finding]:
        """Stdout accepts everything."""
        return ()

    def commit(self) -> None:
        """Print the bare patch if the input is a single object, else a list of all, each with its target."""
        single = len(self._patches) == self._objects == 1
        document = self._patches[0]["patch"] if single else self._patches
        self._stdout.write((json.dumps(document, indent=2) + "\n").encode(), 0, changed=True)
        self._stdout.commit()

    def discard(self) -> None:
        """Discard what was kept."""
        self._stdout.discard()


class DiffSink:
    """Unified diffs of all files that change, on stdout."""

    def __init__(self) -> None:
        self._stdout = Stdout()
        self._header = ""
        self._for_people = _a_person_reads_stdout()

    @property
    def wrote(self) -> list[str]:
        """Standard output."""
        return self._stdout.wrote

    def begin(self, source: Input, first: BatchResult) -> None:
        """Begin with a file."""
        from sidecarctl.reports.layout.unified_diff import UnifiedDiff, file_header

        del first
        self._header = file_header(source.name)
        self._diff = UnifiedDiff()

    def add(self, result: BatchResult) -> None:
        """Take what changed in a batch."""
        for part in result.texts:
            self._write(self._diff.add(part.before, part.after))

    def end(self) -> None:
        """Complete the last hunk of the file."""
        self._write(self._diff.end())

    def verify(self) -> Sequence[Finding]:
        """Stdout accepts everything."""
        return ()

    def commit(self) -> None:
        """Print the diffs."""
        self._stdout.commit()

    def discard(self) -> None:
        """Discard what was kept."""
        self._stdout.discard()

    def _write(self, text: str) -> None:
        if text:
            self._stdout.write(utf8(self._shown(self._header + text)), 0, changed=True)
            self._header = ""

    def _shown(self, text: str) -> str:
        if not self._for_people:
            return text
        lines = ["        ".join(map(shown, line.split("\t"))) for line in text.split("\n")]
        return colored_diff("\n".join(lines), sys.stdout)


class Together:
    """Several sinks, given the same results."""

    def __init__(self, every: Sequence[Sink]) -> None:
        self._every = every

    @property
    def wrote(self) -> list[str]:
        """What all of them write."""
        return [name for sink in self._every for name in sink.wrote]

    def begin(self, source: Input, first: BatchResult) -> None:
        """Begin with a file in each."""
        for sink in self._every:
            sink.begin(source, first)

    def add(self, result: BatchResult) -> None:
        """Give a result to each."""
        for sink in self._every:
            sink.add(result)

    def end(self) -> None:
        """Complete the file in each."""
        for sink in self._every:
            sink.end()

    def verify(self) -> Sequence[Finding]:
        """The findings of each about its files."""
        return [finding for sink in self._every for finding in sink.verify()]

    def commit(self) -> None:
        """Publish everything."""
        for sink in self._every:
            sink.commit()

    def discard(self) -> None:
        """Discard everything that is not committed."""
        for sink in self._every:
            sink.discard()


def _a_person_reads_stdout() -> bool:
    return sys.stdout.isatty() or shows_colors(sys.stdout)


_RESULTS_IN_MEMORY = 5000


def run_transformation(named: Named, request: TransformRequest, flags: WritingFlags) -> Report[RunFacts]:
    """Transform what is named as the flags say; UsageError for flags that exclude each other, or for targets."""
    flags.refuse_contradictions(named)
    results: Spool[ObjectResult] = Spool(_RESULTS_IN_MEMORY)
    with opened_to_write(named, lenient=flags.keep_going) as (sources,), WithoutCollector():
        jobs = flags.jobs or workers_for([source.found.size for source in sources.paths if source.found])
        writing = Writing(flags.form, flags.diff, flags.keep_going, flags.check, jobs)
        return transform(sources, request._replace(writing=writing), _Target(flags), results)


class _Target:
    """The destination of the results according to the flags."""

    def __init__(self, flags: WritingFlags) -> None:
        self._flags = flags

    def refuse(self, sources: Sources[Input]) -> None:
        """UsageError for files that cannot be written."""
        self._flags.refuse_targets(sources, descends=sources.named.recursive)

    @contextmanager
    def opened(self) -> Iterator[Sink]:
        """All sinks together, discarded at the end unless they were committed."""
        with written(Together(sinks(self._flags))) as sink:
            yield sink
