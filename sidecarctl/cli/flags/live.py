"""What a command reads from a cluster, for as long as it works on it (`--live`)."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from sidecarctl.cli.terminal import shows_progress
from sidecarctl.facts.errors import InputError, usage_error
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.files.ending_signals import ending_in_order
from sidecarctl.files.inputs import Input
from sidecarctl.kubectl.calls import Progress, no_progress
from sidecarctl.kubectl.cluster import TIMEOUT, Cluster
from sidecarctl.kubectl.connection import Connection
from sidecarctl.kubectl.identity import ClusterIdentity, identity_of
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
    """Which cluster is read; `namespace` limits the pods that are, empty for those of all namespaces.

    `identifies`: which cluster it is, and which Kruise runs there, is read too.
    """

    connection: Connection
    namespace: str = ""
    timeout: float = TIMEOUT
    identifies: bool = False


def live_options(
    connection: Connection, namespace: str | None, timeout: float, *, live: bool, identifies: bool = False
) -> LiveOptions | None:
    """What --live is to read; None without it. UsageError for a connection that nothing would use."""
    if live:
        return LiveOptions(connection, namespace or "", timeout, identifies)
    for name, value in (("kubeconfig", connection.kubeconfig), ("context", connection.context)):
        if value and value != os.environ.get(f"SIDECARCTL_{name.upper()}"):  # where it may be for other commands
            raise usage_error(f"--{name} says which cluster is read, which only --live does")
    return None


class Live(NamedTuple):
    """What was read, as files, and what there is to say about what was not."""

    inputs: Sequence[Input] = ()
    findings: Sequence[Finding] = ()
    identity: ClusterIdentity | None = None


@contextmanager
def live_inputs(options: LiveOptions | None) -> Iterator[Live]:
    """The cluster's sets, pods, namespaces and revisions; nothing for None.

    InputError where kubectl does not give sets or pods. Namespaces and revisions that the user may not read are a
    warning (PartialView).
    """
    if options is None:
        yield Live()
        return
    with ending_in_order(), tempfile.TemporaryDirectory(prefix="sidecarctl-live-") as folder:
        with _progress() as progress:
            cluster = Cluster(options.connection, Path(folder), timeout=options.timeout, progress=progress)
            live = _read(cluster, options.namespace)
            if options.identifies:
                identity, notes = identity_of(cluster)
                live = live._replace(identity=identity, findings=[*live.findings, *notes])
        yield live


def _read(cluster: Cluster, namespace: str) -> Live:
    findings: list[Finding] = []
    inputs = cluster.sidecarsets()
    inputs += _readable(cluster.namespaces, "labels of namespaces are not known", findings)
    inputs += _readable(cluster.revisions, "revisions and their custom versions are not known", findings)
    inputs += cluster.pods(namespace)
    if namespace:
        message = f"only pods of the namespace {namespace} were read: the counts are not those of whole sets"
        findings.append(warning(Reason.PARTIAL_VIEW, message, hint="leave out -n to read all"))
    return Live(inputs, findings)


def _readable(read: Callable[[], list[Input]], consequence: str, findings: list[Finding]) -> list[Input]:
    try:
        return read()
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
