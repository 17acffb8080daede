"""What a command reads from a cluster, for as long as it works on it (`--live`)."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.files.inputs import Input
from sidecarctl.kubectl.calls import Progress, no_progress
from sidecarctl.kubectl.cluster import TIMEOUT, Cluster
from sidecarctl.kubectl.connection import Connection

_OPTIONAL = (Reason.FORBIDDEN, Reason.RESOURCE_NOT_FOUND)
"""Why namespaces or revisions may be missing without the rest being worthless."""


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """Which cluster is read; `namespace` limits the pods that are, empty for those of all namespaces."""

    connection: Connection
    namespace: str = ""
    timeout: float = TIMEOUT


class Live(NamedTuple):
    """What was read, as files, and findings about what could not be read."""

    inputs: Sequence[Input] = ()
    findings: Sequence[Finding] = ()


@contextmanager
def live_inputs(options: LiveOptions | None, progress: Progress = no_progress) -> Iterator[Live]:
    """The cluster's sets, pods, namespaces and revisions; nothing for None.

    InputError where kubectl does not give sets or pods. Namespaces and revisions that the user may not read are a
    warning (PartialView).
    """
    if options is None:
        yield Live()
        return
    with tempfile.TemporaryDirectory(prefix="sidecarctl-live-") as folder:
        cluster = Cluster(options.connection, Path(folder), timeout=options.timeout, progress=progress)
        yield _read(cluster, options.namespace)


def _read(cluster: Cluster, namespace: str) -> Live:
    findings: list[Finding] = []
    inputs = [cluster.sidecarsets()]
    inputs += _readable(cluster.namespaces, "namespace labels are unknown", findings)
    inputs += _readable(cluster.revisions, "revisions and their custom versions are unknown", findings)
    inputs += cluster.pods([namespace] if namespace else None)
    if namespace:
        message = (
            f"only pods in namespace {namespace} were read, so the counts do not cover all pods of each SidecarSet"
        )
        findings.append(warning(Reason.PARTIAL_VIEW, message, hint="omit -n to read all namespaces"))
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
