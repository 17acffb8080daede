"""How a transforming command runs: the files are opened, and the results go where the command line says.

Each sink takes results, file by file, and writes nothing before it is committed.
"""

import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.fleet import ClusterChoiceFlags
from sidecarctl.cli.flags.inputs import ManifestFlags
from sidecarctl.cli.flags.outputs import ReportFlags, WritingFlags
from sidecarctl.cli.flags.repository import clusters_of_settings
from sidecarctl.cli.terminal import colored_diff, shows_colors
from sidecarctl.engine.facts.errors import InputError, usage_error
from sidecarctl.engine.facts.findings import Finding, named, note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.files.outputs import Folder, InPlace, Output, Stdout, utf8
from sidecarctl.engine.files.process import WithoutCollector
from sidecarctl.engine.files.workers import workers_for
from sidecarctl.engine.inputs.opening import Named, Sources, opened_to_write
from sidecarctl.engine.inputs.settings import Cluster
from sidecarctl.engine.report import Form, Report, RunFacts
from sidecarctl.features.inject.batches import BatchResult
from sidecarctl.features.inject.run import Sink, TransformRequest, transform
from sidecarctl.render.lines import shown

if TYPE_CHECKING:  # few repositories name clusters
    from sidecarctl.features.inject.by_cluster import RunOfCluster


def sinks(flags: WritingFlags) -> list[Sink]:
    """The destination of the results on the command line."""
    chosen: list[Sink] = []
    if flags.writes_files:
        folder = Path(flags.output_folder or "")
        chosen.append(FolderSink(Folder(folder, prunes=flags.prune)) if flags.output_folder else FilesSink(InPlace()))
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

    def take_beside(self, sources: Sources[Input]) -> Sequence[Finding]:
        """Take no more files."""
        del sources
        return ()

    def commit(self) -> None:
        """Move all files to their targets."""
        self._output.commit()

    def discard(self) -> None:
        """Remove files that were not committed."""
        self._output.discard()


class FolderSink(FilesSink):
    """Each file into a folder, with the files that overlays and charts need beside them."""

    def take_beside(self, sources: Sources[Input]) -> Sequence[Finding]:
        """Copy what kustomizations name, and the rest of charts."""
        from sidecarctl.engine.inputs.companions import companions  # few runs write a folder

        copied = companions(sources)
        for file in copied:
            self._output.begin(file)
            for block in file.blocks():
                self._output.write(block, len(block), changed=False)
            self._output.end()
        which = named([file.name for file in copied])
        message = f"copied as {'it is' if len(copied) == 1 else 'they are'}: {which}"
        return [note(Reason.COPIED, message)] if copied else []


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


class PatchSink(FilesSink):
    """The JSON patches of all objects as one JSON document on stdout."""

    def __init__(self) -> None:
        super().__init__(Stdout())
        self._patches: list[Object] = []
        self._objects = 0

    def add(self, result: BatchResult) -> None:
        """Take the patches of a batch, which contain their file names."""
        self._patches += result.patches
        self._objects += len(result.objects)

    def commit(self) -> None:
        """Print the bare patch if the input is a single object, else a list of all, each with its target."""
        single = len(self._patches) == self._objects == 1
        document = self._patches[0]["patch"] if single else self._patches
        self._output.write((json.dumps(document, indent=2) + "\n").encode(), 0, changed=True)
        super().commit()


class DiffSink(FilesSink):
    """Unified diffs of all files that change, on stdout."""

    def __init__(self) -> None:
        super().__init__(Stdout())
        self._header = ""
        self._for_people = _a_person_reads_stdout()

    def begin(self, source: Input, first: BatchResult) -> None:
        """Begin with a file."""
        from sidecarctl.render.unified_diff import UnifiedDiff, file_header

        del first
        self._header = file_header(source.name)
        self._diff = UnifiedDiff()

    def add(self, result: BatchResult) -> None:
        """Take what changed in a batch."""
        for before, after in result.texts:
            self._write(self._diff.add(before, after))

    def end(self) -> None:
        """Complete the last hunk of the file."""
        self._write(self._diff.end())

    def _write(self, text: str) -> None:
        if text:
            self._output.write(utf8(self._shown(self._header + text)), 0, changed=True)
            self._header = ""

    def _shown(self, text: str) -> str:
        if not self._for_people:
            return text
        lines = ["        ".join(map(shown, line.split("\t"))) for line in text.split("\n")]
        return colored_diff("\n".join(lines), sys.stdout)


def _a_person_reads_stdout() -> bool:
    return sys.stdout.isatty() or shows_colors(sys.stdout)


def run_transformation(
    named: Named, request: TransformRequest, flags: WritingFlags, into: Sequence[Sink] = (), below: str = ""
) -> Report[RunFacts]:
    """Transform what is named as the flags say; UsageError for flags that exclude each other, or for targets.

    `into`: sinks instead of those of the flags; they get the files `below` a folder of this name.
    """
    flags.refuse_contradictions(named)
    with opened_to_write(named, lenient=flags.keep_going) as (sources,), WithoutCollector():
        asked = request._replace(
            form=flags.form,
            with_texts=flags.diff,
            keep_going=flags.keep_going,
            check=flags.check,
            jobs=flags.jobs or workers_for([source.found.size for source in sources.paths if source.found]),
        )
        paths = [source._replace(within=Path(below if into else "", source.within)) for source in sources.paths]
        return transform(sources._replace(paths=paths), asked, into or sinks(flags), flags.refuse_targets)


def conclude_transformation(
    run: "RunOfCluster", inputs: ManifestFlags, fleet: ClusterChoiceFlags, flags: WritingFlags, reporting: ReportFlags
) -> NoReturn:
    """Conclude a transformation, of the files of each cluster if clusters are named."""
    if inputs.names_paths and not fleet.only_cluster:
        named = partial(_run_of_files, run, inputs, fleet)
        conclude(named, reporting, "run", stdout_is_free=flags.leaves_stdout)
    from sidecarctl.cli.clusters.running import conclude_over_clusters

    def together(clusters: Sequence[Cluster]) -> Report[RunFacts]:
        from sidecarctl.features.inject.by_cluster import transformed_by_cluster  # few repositories name clusters

        return transformed_by_cluster(run, flags, clusters)

    conclude_over_clusters(
        run, inputs, fleet, reporting, "run", together=together, stdout_is_free=flags.leaves_stdout
    )


def _run_of_files(run: "RunOfCluster", inputs: ManifestFlags, fleet: ClusterChoiceFlags) -> Report[RunFacts]:
    """The run over named files, with the cluster that has them; InputError that asks for one where it is needed."""
    clusters = [] if inputs.sidecarsets or inputs.config else fleet.of_files(inputs.every_path)
    if len(clusters) == 1:
        report = run(clusters[0])
        message = f"with the SidecarSets of cluster {clusters[0].name}, which has these files"
        return report._replace(findings=[note(Reason.CLUSTER_CHOSEN, message), *report.findings])
    try:
        return run(Cluster())
    except InputError as fault:
        if fault.findings[0].reason is not Reason.NO_SIDECARSET or not (known := clusters_of_settings()):
            raise
        hint = f"choose a cluster with --only-cluster NAME: {named([each.name for each in clusters or known])}"
        raise InputError(*(item._replace(hint=hint) for item in fault.findings)) from None
