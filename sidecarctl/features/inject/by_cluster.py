"""A transformation over several clusters: each as over that cluster alone, and everything is written, or nothing."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import Protocol

from sidecarctl.cli.clusters.running import findings_by_cluster
from sidecarctl.cli.flags.outputs import WritingFlags
from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.files.memory import spooled
from sidecarctl.engine.files.outputs import written
from sidecarctl.engine.inputs.opening import Sources
from sidecarctl.engine.inputs.settings import Cluster
from sidecarctl.engine.report import ObjectResult, Report, RunFacts
from sidecarctl.features.inject.batches import BatchResult
from sidecarctl.features.inject.run import RESULTS_IN_MEMORY, Sink
from sidecarctl.features.inject.sinks import sinks


class RunOfCluster(Protocol):
    """The run over a cluster, into the sinks that all clusters share, if any."""

    def __call__(  # noqa: D102 - the class says it
        self, of: Cluster, into: Sequence[Sink] = ()
    ) -> Report[RunFacts]: ...


class _Shared:
    """A sink of several runs, which is committed after all of them."""

    wrote = ()

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def begin(self, source: Input, first: BatchResult) -> None:
        self._sink.begin(source, first)

    def add(self, result: BatchResult) -> None:
        self._sink.add(result)

    def end(self) -> None:
        self._sink.end()

    def take_beside(self, sources: Sources[Input]) -> Sequence[Finding]:
        return self._sink.take_beside(sources)

    def verify(self) -> Sequence[Finding]:
        """Wait for the other runs."""
        return ()

    def commit(self) -> None:
        """Wait for the other runs."""

    def discard(self) -> None:
        """Wait for the other runs."""


def transformed_by_cluster(run: RunOfCluster, flags: WritingFlags, clusters: Sequence[Cluster]) -> Report[RunFacts]:
    """The results of all clusters, written if nothing failed; with -d each cluster gets a folder of its name."""
    with ExitStack() as opened:
        every = [opened.enter_context(written(sink)) for sink in sinks(flags)]
        reports = [_named(run, cluster, [*map(_Shared, every)]) for cluster in clusters]
        about = [finding for sink in every for finding in sink.verify()]
        writes = all(report.facts.written for report in reports)
        for sink in every if writes else ():
            sink.commit()
        joined = _joined(clusters, reports, [name for sink in every for name in sink.wrote] if writes else [])
        return joined._replace(findings=[*joined.findings, *about])


def _named(run: RunOfCluster, cluster: Cluster, into: Sequence[Sink]) -> Report[RunFacts]:
    """The report of a cluster; an error that ends it names the cluster."""
    try:
        return run(cluster, into)
    except SidecarctlError as fault:
        raise type(fault)(*findings_by_cluster([cluster], [fault.findings])) from None


def _joined(
    clusters: Sequence[Cluster], reports: Sequence[Report[RunFacts]], wrote: Sequence[str]
) -> Report[RunFacts]:
    facts = [report.facts for report in reports]
    outcomes = {
        outcome: sum(each.outcomes.get(outcome, 0) for each in facts) for each in facts for outcome in each.outcomes
    }
    last = next((each for each in facts if not each.written), facts[0])
    return Report(
        "run",
        last._replace(
            outcomes=outcomes, files=sum(each.files for each in facts), is_whole=all(each.is_whole for each in facts)
        ),
        findings_by_cluster(clusters, [report.findings for report in reports]),
        spooled(_results(clusters, reports), RESULTS_IN_MEMORY),
        frozenset().union(*(report.severities for report in reports)),
        is_objection=any(report.is_objection for report in reports),
        failure=max(report.failure for report in reports),
        release=reports[0].release,
        wrote=wrote,
    )


def _results(clusters: Iterable[Cluster], reports: Iterable[Report[RunFacts]]) -> Iterator[ObjectResult]:
    """The results of the objects, which name their clusters."""
    for cluster, report in zip(clusters, reports, strict=True):
        for result in report.objects:
            said = f"cluster {cluster.name}: {result.change.summary}" if result.change.summary else ""
            yield result._replace(change=result.change._replace(summary=said))
