"""What a command reads from a cluster, for as long as it works on it (`--live`)."""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from sidecarctl.cli.terminal import shows_progress
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.files.inputs import Input
from sidecarctl.kubectl.calls import Progress, no_progress
from sidecarctl.kubectl.cluster import TIMEOUT, Cluster
from sidecarctl.kubectl.connection import Connection
from sidecarctl.reports.layout.lines import shown

LiveOption = Annotated[
    bool, typer.Option("--live", help="Read sets, pods, namespaces and revisions through kubectl.")
]
Context = Annotated[str, typer.Option("--context", metavar="NAME", help="The kubectl context of --live.")]
Kubeconfig = Annotated[str, typer.Option("--kubeconfig", metavar="FILE", help="The kubeconfig of --live.")]
KubectlTimeout = Annotated[
    float, typer.Option("--kubectl-timeout", min=1, metavar="SECONDS", help="How long one kubectl command may take.")
]

_OPTIONAL = (Reason.FORBIDDEN, Reason.RESOURCE_NOT_FOUND)
"""Why namespaces or revisions may be missing without the rest being worthless."""


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """Which cluster is read; `namespace` limits the pods that are, empty for those of all namespaces."""

    connection: Connection
    namespace: str = ""
    timeout: float = TIMEOUT


class Live(NamedTuple):
    """What was read, as files, and what there is to say about what was not."""

    inputs: Sequence[Input] = ()
    findings: Sequence[Finding] = ()


@contextmanager
def live_inputs(options: LiveOptions | None) -> Iterator[Live]:
    """The cluster's sets, pods, namespaces and revisions; nothing for None.

    InputError where kubectl does not give sets or pods. Namespaces and revisions that the user may not read are a
    warning (PartialView).
    """
    if options is None:
        yield Live()
        return
    with tempfile.TemporaryDirectory(prefix="sidecarctl-live-") as folder:
        with _progress() as progress:
            cluster = Cluster(options.connection, Path(folder), timeout=options.timeout, progress=progress)
            live = _read(cluster, options.namespace)
        yield live


def _read(cluster: Cluster, namespace: str) -> Live:
    findings: list[Finding] = []
    inputs = [cluster.sidecarsets()]
    inputs += _readable(cluster.namespaces, "labels of namespaces are not known", findings)
    inputs += _readable(cluster.revisions, "revisions and their custom versions are not known", findings)
    inputs += cluster.pods([namespace] if namespace else None)
    if namespace:
        message = f"only pods of the namespace {namespace} were read: the counts are not those of whole sets"
        findings.append(warning(Reason.PARTIAL_VIEW, message, hint="leave out -n to read all"))
    return Live(inputs, findings)


def _readable(read: Callable[[], Input], consequence: str, findings: list[Finding]) -> list[Input]:
    try:
        return [read()]
    except InputError as fault:
        (problem,) = fault.findings
        if problem.reason not in _OPTIONAL:
            raise
        message = f"{consequence}: {problem.message}"
        findings.append(warning(Reason.PARTIAL_VIEW, message)._replace(place=problem.place))
        return []


@contextmanager
def _progress() -> Iterator[Progress]:
    """A line on a terminal that says what is being read, gone when all is; nothing elsewhere."""
    if not shows_progress():
        yield no_progress
        return

    def show(command: str, size: int) -> None:
        sys.stderr.write(f"\r\x1b[K{shown(command)}: {size / 1e6:.1f} MB")
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
