"""`explain` over several clusters: the answer of the cluster that has the named object, or that of each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from sidecarctl.cli.clusters.running import findings_by_cluster
from sidecarctl.cli.exiting import settled
from sidecarctl.cli.formats import document
from sidecarctl.engine.facts.errors import SidecarctlError, UsageError, usage_error
from sidecarctl.engine.facts.findings import named
from sidecarctl.engine.inputs.settings import Cluster
from sidecarctl.engine.report import Report
from sidecarctl.render.formats import Formats
from sidecarctl.render.lines import shown
from sidecarctl.render.markdown import cell
from sidecarctl.render.output import Page

_CHOOSE = "choose one with --only-cluster NAME"


class ClusterAnswer(NamedTuple):
    """The answer for a cluster."""

    cluster: Cluster
    report: Report[Any]


def explained_by_cluster(
    run: Callable[[Cluster], Report[Any]], asked: Sequence[str], clusters: Sequence[Cluster]
) -> Report[Sequence[ClusterAnswer]]:
    """The answers of the clusters that have the named objects; `asked`: the names of pods and workloads.

    UsageError if none has it, or several have a pod that is asked about; InputError for one that cannot be read.
    """
    answers: list[ClusterAnswer] = []
    lacking: list[UsageError] = []
    for cluster in clusters:
        try:
            answers.append(ClusterAnswer(cluster, settled(run(cluster))))
        except UsageError as fault:
            lacking.append(fault)
        except SidecarctlError as fault:
            raise type(fault)(*findings_by_cluster([cluster], [fault.findings])) from None
    if not answers:
        raise UsageError(*findings_by_cluster(clusters, [fault.findings for fault in lacking]))
    having = [answer.cluster for answer in answers]
    if asked and len(having) > 1:
        where = f"{len(having):,} clusters ({named([cluster.name for cluster in having])})"
        raise usage_error(f"{' and '.join(asked)}: found in {where}", hint=_CHOOSE)
    findings = findings_by_cluster(having, [answer.report.findings for answer in answers])
    return Report("explain-clusters", answers, findings)


def _under_headings(heading: str, form: str, report: Report[Sequence[ClusterAnswer]], page: Page) -> Iterator[str]:
    joint = ""
    for cluster, own in report.facts:
        yield f"{joint}{heading.format(cell(cluster.name) if form == 'markdown' else shown(cluster.name))}\n\n"
        yield from document(own, form, page)
        joint = "\n"


def _of_one(form: str, report: Report[Sequence[ClusterAnswer]], page: Page) -> Iterator[str]:
    """The document of the only cluster; UsageError for several."""
    if len(report.facts) > 1:
        names = named([answer.cluster.name for answer in report.facts])
        raise usage_error(f"-o {form} is for one cluster, and there are several ({names})", hint=_CHOOSE)
    yield from document(report.facts[0].report, form, page)


FORMATS: Mapping[str, Formats] = {
    "explain-clusters": {
        "text": partial(_under_headings, "cluster {}", "text"),
        "markdown": partial(_under_headings, "# Cluster {}", "markdown"),
        "json": partial(_of_one, "json"),
        "yaml": partial(_of_one, "yaml"),
    }
}
"""The formats of explanations over clusters."""
