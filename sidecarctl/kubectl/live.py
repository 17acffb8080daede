"""What a command reads from a cluster, for as long as it works on it (`--live`)."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.files.inputs import Input
from sidecarctl.files.signals import signals_held_back
from sidecarctl.kubectl.cluster import Cluster
from sidecarctl.kubectl.connection import TIMEOUT, Connection
from sidecarctl.kubectl.identity import identity_of, kruise_of
from sidecarctl.plan_file.cluster_identity import ClusterIdentity
from sidecarctl.releases.release import Release

_OPTIONAL = (Reason.FORBIDDEN, Reason.RESOURCE_NOT_FOUND)
"""Why namespaces or revisions may be missing without the rest being worthless."""


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """Which cluster is read; `namespace` limits the pods that are, empty for those of all namespaces.

    `identifies`: which cluster it is, and which Kruise runs there, is read too. `asks_release`: the release to
    compute is that of the cluster, because the user named none.
    """

    connection: Connection
    namespace: str = ""
    timeout: float = TIMEOUT
    identifies: bool = False
    asks_release: bool = False


class Live(NamedTuple):
    """What was read, as files, and findings about what could not be read."""

    inputs: Sequence[Input] = ()
    findings: Sequence[Finding] = ()
    identity: ClusterIdentity | None = None
    release: Release | None = None
    """The release of Kruise that runs there, if it was asked for and is known."""


@contextmanager
def live_inputs(options: LiveOptions | None) -> Iterator[Live]:
    """The cluster's sets, pods, namespaces and revisions; nothing for None.

    InputError if kubectl does not give sets or pods. Namespaces and revisions that the user may not read are a
    warning (PartialView).
    """
    if options is None:
        yield Live()
        return
    with _temporary_folder() as folder:
        cluster = Cluster(options.connection, folder, timeout=options.timeout)
        yield _identified(_read(cluster, options.namespace), cluster, options)


def _identified(live: Live, cluster: Cluster, options: LiveOptions) -> Live:
    identity = None
    kruise, notes = "", list[Finding]()
    if options.identifies:
        identity, notes = identity_of(cluster)
        kruise = identity.kruise
    elif options.asks_release:
        kruise, notes = kruise_of(cluster)
    release = None
    if options.asks_release:
        from sidecarctl.kubectl.running_release import running_release  # the table of releases, which few runs need

        release, notes = running_release(kruise, notes)
    return live._replace(identity=identity, findings=[*live.findings, *notes], release=release)


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    """A folder for what pods hold, environments included: it goes whatever ends the run, even signal upon signal."""
    folder = tempfile.TemporaryDirectory(prefix="sidecarctl-live-")
    try:
        yield Path(folder.name)
    finally:
        with signals_held_back():
            folder.cleanup()


def _read(cluster: Cluster, namespace: str) -> Live:
    findings: list[Finding] = []
    inputs = cluster.sidecarsets()
    inputs += _readable(cluster.namespaces, "namespace labels are unknown", findings)
    inputs += _readable(cluster.revisions, "revisions and their custom versions are unknown", findings)
    inputs += cluster.pods(namespace)
    if namespace:
        message = (
            f"only pods in namespace {namespace} were read, so the counts do not cover all pods of each SidecarSet"
        )
        findings.append(warning(Reason.PARTIAL_VIEW, message, hint="omit -n to read all namespaces"))
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
