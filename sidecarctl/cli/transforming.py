"""How a transforming command runs: the files are opened, and the results go where the command line says."""

from collections.abc import Iterator
from contextlib import contextmanager

from sidecarctl.cli.flags.outputs import WritingFlags
from sidecarctl.cli.sinks import Together, sinks
from sidecarctl.cli.spool import Spool
from sidecarctl.files.inputs import Input
from sidecarctl.files.outputs import written
from sidecarctl.files.process import WithoutCollector
from sidecarctl.files.workers import workers_for
from sidecarctl.inputs.opening import Named, Sources, opened_to_write
from sidecarctl.operations.report import ObjectResult, Report, RunFacts
from sidecarctl.operations.transforming.run import Sink, TransformRequest, Writing, transform

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
    """Where the flags say that results go."""

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
