"""How a command runs over clusters: once for each, as over that cluster alone, in worker processes.

Of each run only the JSON document that it would have written counts, digested in the worker, so that memory holds
the largest clusters that are read at a time, and never all.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from sidecarctl.cli.exiting import conclude, guarded, links_to_files, settled
from sidecarctl.cli.flags.fleet import FleetFlags, refuse_read_once
from sidecarctl.cli.flags.inputs import ReadingFlags
from sidecarctl.cli.flags.outputs import ReportFlags
from sidecarctl.cli.formats import document
from sidecarctl.engine.documents.reading.document import Document
from sidecarctl.engine.documents.reading.streams import Chunk
from sidecarctl.engine.facts.errors import SidecarctlError, usage_error
from sidecarctl.engine.facts.findings import Finding, named
from sidecarctl.engine.files.inputs import unwatched, was_answered
from sidecarctl.engine.files.workers import spread_over_workers, usable_cores
from sidecarctl.engine.inputs.manifests import parsed_documents
from sidecarctl.engine.inputs.opening import opened
from sidecarctl.engine.inputs.settings import Cluster
from sidecarctl.engine.report import Report
from sidecarctl.render.output import Page

if TYPE_CHECKING:
    from sidecarctl.cli.clusters.rows import ClusterRow

_Run = Callable[[Cluster], Report[Any]]
_Together = Callable[[Sequence[Cluster]], Report[Any]]


def conclude_over_clusters(
    run: _Run,
    inputs: ReadingFlags,
    fleet: FleetFlags,
    flags: ReportFlags,
    kind: str,
    *,
    for_one: str = "",
    link_base: str = "",
    together: _Together | None = None,
    stdout_is_free: bool = False,
) -> NoReturn:
    """Conclude a command: for each cluster and for all, in full for one cluster, or as usual if none are named.

    `run` gives the ordinary report, of `kind`, over what the command line and a cluster name; the cluster without a
    name adds nothing. `for_one`: an option that the user gave, and that makes sense for one cluster only. `together`
    gives a report of that kind over several clusters, instead of a row for each.
    """
    try:
        clusters = fleet.clusters(names_paths=inputs.names_paths)
        if for_one and clusters and not fleet.only_cluster:
            raise usage_error(f"{for_one} is for one cluster", hint="choose it with --only-cluster NAME")
    except SidecarctlError as fault:
        conclude(partial(_raise, fault), flags, kind)
    if not clusters or fleet.only_cluster:
        one = partial(run, *clusters or [Cluster()])
        conclude(one, flags, kind, link_base=link_base, stdout_is_free=stdout_is_free)

    def over_clusters() -> Report[Any]:
        refuse_read_once([path for cluster in clusters for path in inputs.of_cluster(cluster).every_path])
        if together:
            return together(clusters)
        page, known = None, _shared_documents(inputs, clusters)
        if any(output.form == "markdown" for output in flags.documents()):
            page = Page(links=links_to_files(link_base), all_pods=getattr(flags, "all_pods", False))
        answered = partial(_answer, run, kind, page, known)  # workers inherit the documents: they are not sent
        return _rows_of(answered, clusters, fleet.jobs or usable_cores())

    conclude(over_clusters, flags, kind if together else "fleet", link_base=link_base, stdout_is_free=stdout_is_free)


def _shared_documents(inputs: ReadingFlags, clusters: Sequence[Cluster]) -> dict[Chunk, list[Document]]:
    """The documents of what several clusters read."""
    used = Counter(path for cluster in clusters for path in cluster.include)
    shared = [*inputs.every_path, *(path for path, number in used.items() if number > 1)]
    named = inputs.alone(shared)._replace(render=None)
    with suppress(SidecarctlError), unwatched(), opened(named, lenient=True) as [sources]:
        return parsed_documents(sources.every, inputs.reading())
    return {}


def _raise(fault: SidecarctlError) -> NoReturn:
    raise fault


class _Answer(NamedTuple):
    """The message of a worker: the row (None if the run failed), the findings, and whether the operation objects.

    `in_full`: the Markdown of the cluster, where it is wanted.
    """

    row: "ClusterRow | None"
    in_full: str
    findings: Sequence[Finding]
    suppressed: Sequence[Finding]
    is_objection: bool
    failure: int


def _rows_of(answered: Callable[[Cluster], _Answer], clusters: Sequence[Cluster], jobs: int) -> Report[Any]:
    from sidecarctl.cli.clusters.matrix import fleet_of

    answers: list[_Answer] = []
    for answer in spread_over_workers(answered, clusters, min(jobs, len(clusters))):
        answers.append(answer)
        was_answered(len(answers), len(clusters))
    rows = [answer.row for answer in answers if answer.row is not None]
    in_full = {cluster.name: each.in_full for cluster, each in zip(clusters, answers, strict=True) if each.in_full}
    return Report(
        "fleet",
        fleet_of(rows)._replace(in_full=in_full) if len(rows) == len(clusters) else None,
        findings_by_cluster(clusters, [answer.findings for answer in answers]),
        suppressed=findings_by_cluster(clusters, [answer.suppressed for answer in answers]),
        is_objection=any(answer.is_objection for answer in answers),
        failure=max(answer.failure for answer in answers),
    )


_JOINED = ("validation", "tree-diff", "diff")
"""Kinds of which the joined report says everything that the report of a cluster does."""


def _answer(
    run: _Run, kind: str, page: Page | None, known: Mapping[Chunk, list[Document]], cluster: Cluster
) -> _Answer:
    """The answer for a cluster, from the JSON document that a run over it alone would write; its Markdown for a page.

    The findings are in the joined report.
    """
    from sidecarctl.cli.clusters.rows import row_of

    with unwatched():
        report = guarded(lambda: settled(run(cluster._replace(known=known))), kind)
        row, in_full = None, ""
        if report.facts is not None:
            row = row_of(cluster.name, json.loads("".join(document(report, "json", Page()))))
            if page and report.kind not in _JOINED:
                in_full = "".join(document(report._replace(findings=[]), "markdown", page))
    found = [*report.findings, *report.objections]
    return _Answer(row, in_full, found, report.suppressed, report.is_objection, report.failure)


def findings_by_cluster(clusters: Sequence[Cluster], found: Sequence[Sequence[Finding]]) -> list[Finding]:
    """The findings, each with its clusters; those that several clusters share appear once."""
    where: dict[Finding, list[str]] = {}
    for cluster, own in zip(clusters, found, strict=True):
        for finding in dict.fromkeys(own):
            where.setdefault(finding, []).append(cluster.name)
    return [item._replace(message=f"{_named(names)}: {item.message}") for item, names in where.items()]


def _named(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"cluster {names[0]}"
    return f"{len(names):,} clusters ({named(names)})"
