"""What a command reads from a cluster, for as long as it works on it (`--live`)."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.findings import Finding, Severity, note, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files.inputs import Input, was_read
from sidecarctl.engine.files.workers import signals_held_back
from sidecarctl.engine.inputs.opening import ClusterIdentity, Live
from sidecarctl.engine.kubectl.api_requests import (
    ALL_PODS,
    BUDGET_VERSIONS,
    DISRUPTION_BUDGETS,
    MANAGER,
    NAMESPACES,
    RECREATING,
    REVISIONS,
    SIDECARSET_VERSIONS,
    SYSTEM,
    VERSION,
    WEBHOOKS,
    WORKLOADS,
    Answer,
    pods_path,
    sidecarsets_path,
    unavailable_budgets_path,
)
from sidecarctl.engine.kubectl.client import ApiClient
from sidecarctl.engine.kubectl.cluster import Known, LiveCluster, kruise_of, kubernetes_of, running_release, uid_of
from sidecarctl.engine.kubectl.mirror import Mirror, mirrored
from sidecarctl.engine.kubectl.running_proxy import TIMEOUT, Connection, command_text, open_proxy
from sidecarctl.engine.releases.feature_gates import ALL_ALPHA, BUDGETS_FOR_UPDATES
from sidecarctl.engine.releases.profiles import release_named
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.sidecarset.webhook_scope import CONFIGURATION_NAME

_OPTIONAL = (Reason.FORBIDDEN, Reason.RESOURCE_NOT_FOUND)
"""Reasons for which namespaces or revisions may be missing while the rest is still useful."""


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """Which cluster is read; `namespace` limits the pods that are, empty for those of all namespaces.

    `identifies`: which cluster it is, and which Kruise runs there, is read too. `kruise`: the release to compute, as
    the user named it; empty for that of the cluster. `asks_kubernetes`: the release of Kubernetes is that of the
    cluster. `recreates`: workloads and the budgets of evictions are read too; `drains`: those budgets, if they may be
    read. `timeout`: seconds for each request.
    """

    connection: Connection
    namespace: str = ""
    timeout: float = TIMEOUT
    identifies: bool = False
    kruise: str = ""
    gates: Sequence[str] = ()
    """The feature gates that the user named, which go before those of the cluster."""
    asks_kubernetes: bool = False
    recreates: bool = False
    drains: bool = False
    mirror: Mirror | None = None
    """What the cluster holds, if it was opened before (`watched_cluster`)."""


@contextmanager
def live_inputs(options: LiveOptions) -> Iterator[Live]:
    """The cluster's sets, pods, namespaces, revisions, and its webhook for pods.

    PodUnavailableBudgets, and the workloads that they count, where the feature gate is on that lets them hold back
    updates. InputError if kubectl does not give sets or pods. What else the user may not read is a warning or a note
    (PartialView, RevisionsUnknown, WebhookUnknown).
    """
    with _temporary_folder() as folder:
        if options.mirror is not None:
            live = _LiveReading(LiveCluster(options.mirror), folder, options).read()
        else:
            with _opened(options.connection, options.timeout) as client:
                live = _LiveReading(LiveCluster(client), folder, options).read()
        yield live


@contextmanager
def watched_cluster(connection: Connection, timeout: float) -> Iterator[Mirror]:
    """The cluster for repeated readings, kept up to date by watches: see `LiveOptions.mirror`."""
    with _opened(connection, timeout) as client, mirrored(client) as mirror:
        yield mirror


@contextmanager
def _opened(connection: Connection, timeout: float) -> Iterator[ApiClient]:
    with (
        open_proxy(connection, PATHS, methods=("GET",)) as socket,
        ApiClient(socket, timeout=timeout, tell=_tell) as client,
    ):
        yield client


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    """A folder for pods, which contain env values: it is removed however the run ends, even on repeated signals."""
    folder = tempfile.TemporaryDirectory(prefix="sidecarctl-live-")
    try:
        yield Path(folder.name)
    finally:
        with signals_held_back():
            folder.cleanup()


def _tell(path: str, size: int) -> None:
    was_read(command_text("get", "--raw", path), size)


class _LiveReading:
    """One reading of a cluster, and what could not be read."""

    def __init__(self, cluster: LiveCluster, folder: Path, options: LiveOptions) -> None:
        self._cluster = cluster
        self._options = options
        self._folder = folder
        self._numbers = count()
        self._findings: list[Finding] = []

    def read(self) -> Live:
        kruise = kruise_of(self._cluster)
        inputs = self._cluster.sidecarsets(self._keep)
        inputs += self._readable(NAMESPACES, Reason.PARTIAL_VIEW, "namespace labels are unknown")
        unknown = "revisions and their custom versions are unknown"
        inputs += self._readable(REVISIONS, Reason.REVISIONS_UNKNOWN, unknown)
        inputs += self._webhook()
        holds_back = _is_on(BUDGETS_FOR_UPDATES, [*kruise.gates, *self._options.gates])
        if holds_back or self._options.recreates:
            inputs += self._budgets(kruise, holds_back=holds_back)
        if self._options.recreates:
            inputs += self._recreating()
        elif self._options.drains:
            inputs += self._disruption_budgets()
        inputs += self._pods()
        identity, release = self._identified(kruise)
        versions = self._cluster.versions
        return Live(inputs, self._findings, versions, identity, release, kruise.gates, self._kubernetes())

    def _kubernetes(self) -> str:
        if not self._options.asks_kubernetes:
            return ""
        found = kubernetes_of(self._cluster)
        consequence = "the Kubernetes version is unknown, and what depends on it is not checked"
        self._findings += [
            finding._replace(hint="name it with --kubernetes")
            for finding in found.notes(Reason.KUBERNETES_UNKNOWN, consequence)
        ]
        return found.text

    def _identified(self, kruise: Known) -> tuple[ClusterIdentity | None, Release | None]:
        options, release = self._options, None
        uid = uid_of(self._cluster) if options.identifies else Known()
        notes = [*uid.notes(Reason.CLUSTER_UNKNOWN, "the plan does not record its cluster")]
        if options.identifies or not options.kruise:
            notes += kruise.notes(Reason.KRUISE_UNKNOWN, "the Kruise version is unknown")
        if not options.kruise:
            release, notes = running_release(kruise.text, notes)
        self._findings += notes
        return ClusterIdentity(uid.text, kruise.text) if options.identifies else None, release

    def _readable(self, path: str, reason: Reason, consequence: str) -> list[Input]:
        try:
            return self._cluster.pages(path, self._keep)
        except InputError as fault:
            self._findings.append(_warning_about(fault, reason, consequence))
            return []

    def _webhook(self) -> list[Input]:
        consequence = "--installed-by says which namespaces Kruise's webhook sees"
        try:
            found = self._cluster.webhook(self._keep_noting)
        except InputError as fault:
            self._findings.append(
                _warning_about(fault, Reason.WEBHOOK_UNKNOWN, consequence)._replace(severity=Severity.NOTE)
            )
            return []
        if not any(holds_any for _, holds_any in found):
            message = f"{consequence}: the cluster has no MutatingWebhookConfiguration {CONFIGURATION_NAME}"
            self._findings.append(note(Reason.WEBHOOK_UNKNOWN, message))
        return [page for page, _ in found]

    def _budgets(self, kruise: Known, *, holds_back: bool) -> list[Input]:
        """The budgets and, if there are any, the workloads that they count, as far as they can be read.

        In the version that the computed release knows, else in the one that is served.
        """
        named = self._options.kruise
        release = release_named(named) if named else running_release(kruise.text, ())[0] or DEFAULT
        versions = BUDGET_VERSIONS if release.budget_fields else reversed(BUDGET_VERSIONS)
        try:
            budgets = self._cluster.first_served(map(unavailable_budgets_path, versions), self._keep_noting)
        except InputError as fault:
            if holds_back:
                consequence = f"the feature gate {BUDGETS_FOR_UPDATES} is on, and what it holds back is unknown"
                self._findings.append(_warning_about(fault, Reason.PARTIAL_VIEW, consequence))
            else:
                self._findings += _unread(fault, _EVICTIONS)
            return []
        found = [page for page, _ in budgets]
        is_read = self._options.recreates  # by `_recreating`
        for path in WORKLOADS if any(holds_any for _, holds_any in budgets) and not is_read else ():
            with suppress(InputError):  # the budgets that need it report what is missing
                found += self._cluster.pages(path, self._keep)
        return found

    def _recreating(self) -> list[Input]:
        """The workloads and the budgets of evictions; a cluster may lack some of these kinds."""
        found = []
        for path in RECREATING:
            try:
                found += self._cluster.pages(path, self._keep)
            except InputError as fault:
                self._findings += _unread(fault, _EVICTIONS if path == DISRUPTION_BUDGETS else _RESTARTS)
        return found

    def _disruption_budgets(self) -> list[Input]:
        try:
            return self._cluster.pages(DISRUPTION_BUDGETS, self._keep)
        except InputError as fault:
            self._findings += [item._replace(severity=Severity.NOTE) for item in _unread(fault, _DRAINS)]
            return []

    def _keep(self, path: str, page: Answer) -> Input:
        """A page of a list as a file."""
        file = self._folder / f"{next(self._numbers)}.json"
        file.write_bytes(page.text)
        return Input(command_text("get", "--raw", path), file, Path(file.name))

    def _keep_noting(self, path: str, page: Answer) -> tuple[Input, bool]:
        """The page as a file, and whether there is anything in it."""
        return self._keep(path, page), bool(page.body.get("items"))

    def _pods(self) -> list[Input]:
        namespace = self._options.namespace
        try:
            found = self._cluster.pages(pods_path(namespace), self._keep)
        except InputError as fault:
            if namespace or fault.findings[0].reason is not Reason.FORBIDDEN:
                raise
            hint = "-n NAMESPACE reads the pods of one namespace, if you may list those"
            raise InputError(*(finding._replace(hint=hint) for finding in fault.findings)) from None
        if namespace:
            message = f"only pods in namespace {namespace} were read"
            message += ", so the counts do not cover all pods of each SidecarSet"
            self._findings.append(warning(Reason.PARTIAL_VIEW, message, hint="omit -n to read all namespaces"))
        return found


def _is_on(gate: str, words: Sequence[str]) -> bool:
    """Whether the last setting of a gate turns it on, or else the last setting of its whole stage."""
    every = [word.strip(" \\") for item in words for word in item.split(",")]
    said = [word for name in (ALL_ALPHA, gate) for word in every if word.partition("=")[0] == name]
    return bool(said) and not said[-1].endswith("=false")


_EVICTIONS = "budgets may refuse evictions of the plan, and a restart may take down more pods than they allow"
_DRAINS = "whether node drains have to wait is unknown"
_RESTARTS = "pods of these workloads are evicted, not restarted"


def _unread(fault: InputError, consequence: str) -> list[Finding]:
    """The warning for a right that is missing; a cluster may lack the kind."""
    if fault.findings[0].reason is Reason.RESOURCE_NOT_FOUND:
        return []
    return [_warning_about(fault, Reason.PARTIAL_VIEW, consequence)]


def _warning_about(fault: InputError, reason: Reason, consequence: str) -> Finding:
    """The warning for a right or an object that is missing; anything else is raised again."""
    (problem,) = fault.findings
    if problem.reason not in _OPTIONAL:
        raise fault
    return warning(reason, f"{consequence}: {problem.message}")._replace(place=problem.place)


PATHS = (
    VERSION,
    SYSTEM,
    MANAGER,
    NAMESPACES,
    REVISIONS,
    *map(sidecarsets_path, SIDECARSET_VERSIONS),
    ALL_PODS,
    f"{NAMESPACES}/*/pods",
    WEBHOOKS,
    *map(unavailable_budgets_path, BUDGET_VERSIONS),
    *RECREATING,
)
"""The requested path; `*` is any one segment."""
