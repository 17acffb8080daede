"""The table of workload kinds applied to a manifest: its row, its pod templates, errors in its apiVersion.

Source: docs/behavior/injection.md, "Workloads".
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.api.made_pods import PodTemplate, row_paths, steps_of, templates_of
from sidecarctl.engine.api.workload_kinds import WORKLOADS
from sidecarctl.engine.api.workload_rows import TemplateRow, WorkloadKind, stands_for
from sidecarctl.engine.facts.findings import Finding, ObjectReference, error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path, Value, value_at

CONTROLLER_LABELS = frozenset(
    (
        "pod-template-hash",
        "controller-revision-hash",
        "pod-template-generation",
        "controller-uid",
        "batch.kubernetes.io/controller-uid",
        "batch.kubernetes.io/job-completion-index",
        "apps.kruise.io/cloneset-instance-id",
        "broadcastjob-controller-uid",
        "game.kruise.io/gs-opsState",
        "game.kruise.io/gs-state",
        "jobset.sigs.k8s.io/coordinator",
        "jobset.sigs.k8s.io/jobset-uid",
        "leaderworkerset.sigs.k8s.io/subgroup-index",
        "leaderworkerset.sigs.k8s.io/subgroup-key",
        "leaderworkerset.sigs.k8s.io/template-revision-hash",
        "rollouts-pod-template-hash",
        "serving.knative.dev/configurationGeneration",
        "serving.knative.dev/configurationUID",
        "serving.knative.dev/revisionUID",
        "serving.knative.dev/serviceUID",
        "spark-app-selector",
        "spark-exec-id",
        "sparkoperator.k8s.io/submission-id",
    )
)
"""Labels of pods whose values only a controller in the cluster can know."""


_SHORT_NAMES = {
    "po": "pod",
    "rc": "replicationcontroller",
    "deploy": "deployment",
    "rs": "replicaset",
    "sts": "statefulset",
    "asts": "statefulset",
    "ds": "daemonset",
    "daemon": "daemonset",
    "ads": "daemonset",
    "cj": "cronjob",
    "clone": "cloneset",
    "bcj": "broadcastjob",
    "acj": "advancedcronjob",
    "ud": "uniteddeployment",
    "ro": "rollout",
    "lws": "leaderworkerset",
    "ksvc": "service",
    "vcjob": "job",
    "dc": "deploymentconfig",
    "gss": "gameserverset",
    "gs": "gameserver",
    "sj": "scaledjob",
}
"""The names that kubectl takes for kinds, as their APIs define them."""


def kind_of(word: str) -> str:
    """The kind, in lower case, that kubectl means by `deploy`, `deployments.apps` or `Deployment`."""
    kind = word.lower().partition(".")[0]
    return _SHORT_NAMES.get(kind) or kind.removesuffix("s")


def is_kind(word: str) -> bool:
    """Whether a word is a name of a kind of workload."""
    return kind_of(word) in _KINDS


WITHOUT_SCALE = frozenset(("DaemonSet", "Job", "CronJob", "BroadcastJob", "AdvancedCronJob"))
"""Kinds without a scale subresource, whose number of replicas nobody can request."""

_KINDS = frozenset(workload.kind.lower() for workload in WORKLOADS)
BY_KIND = {(workload.kind, workload.group): workload for workload in WORKLOADS}
_ROWS: dict[str, list[WorkloadKind]] = {}
for _workload in WORKLOADS:
    _ROWS.setdefault(_workload.kind, []).append(_workload)


def workload_of(manifest: Object, given: Sequence[WorkloadKind] = ()) -> WorkloadKind | None:
    """The row of a manifest's kind, with the user's template paths; None for kinds without templates."""
    kind, api_version = manifest.get("kind"), manifest.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(api_version, str):
        return None
    group = api_version.rpartition("/")[0]
    known = BY_KIND.get((kind, group))
    for workload in given:
        if workload.kind == kind and workload.group in {None, group}:
            return workload._replace(pods=known.pods, versions=known.versions) if known else workload
    return known


def all_kinds(given: Sequence[WorkloadKind] = ()) -> list[WorkloadKind]:
    """The rows in force: those of the user, and those of the table that they do not replace."""
    taught = [
        workload._replace(pods=known.pods, versions=known.versions)
        if (known := BY_KIND.get((workload.kind, workload.group or "")))
        else workload
        for workload in given
    ]
    replaced = {(workload.kind, workload.group) for workload in given}
    return [*taught, *(item for item in WORKLOADS if not {(item.kind, item.group), (item.kind, None)} & replaced)]


def pod_templates(manifest: Object, given: Sequence[WorkloadKind] = ()) -> list[PodTemplate]:
    """The pod templates of a manifest in the order of the table; one template may make pods of several sorts.

    A Pod is the template of itself.
    """
    workload = workload_of(manifest, given)
    found = [made for row in workload.templates for made in templates_of(manifest, row)] if workload else []
    making = {made.path for made in found if not made.is_off}
    return [made for made in found if not (made.is_off and made.path in making)]


def pod_template_paths(manifest: Object, given: Sequence[WorkloadKind] = ()) -> list[Path]:
    """Where the pod templates of a manifest sit, each once; `()` for a Pod, nothing when it holds none."""
    workload = workload_of(manifest, given)
    paths = [path for row in workload.templates for path in row_paths(manifest, row)] if workload else []
    return list(dict.fromkeys(paths)) if len(paths) > 1 else paths


def adds_more(api_version: str, kind: str) -> bool:
    """Whether the controller of a kind may add env, mounts or containers to its pods that are not known here."""
    return kind != "Rollout" and api_version.rpartition("/")[0] not in _KNOWN_GROUPS


_KNOWN_GROUPS = ("", "apps", "batch", "extensions", "apps.kruise.io")


def restriction_on(api_version: str, kind: str) -> str:
    """Why the controller of a kind may refuse an injected template; empty for most kinds."""
    known = BY_KIND.get((kind, api_version.rpartition("/")[0]))
    return known.restriction if known else ""


def kind_problem(reference: ObjectReference, manifest: Object, given: Sequence[WorkloadKind] = ()) -> Finding | None:
    """An error for the apiVersion of an object with a pod template: malformed, or one that its kind never had.

    Groups without a dot are those of Kubernetes, whose kinds are all known; in other groups a kind of the same name
    is another kind.
    """
    kind, version = reference.kind, reference.api_version
    rows = _ROWS.get(kind)
    if rows is None:
        return None
    group, _, last = version.rpartition("/")
    known = BY_KIND.get((kind, group))
    if known and last in known.versions and not version.startswith("/"):
        return None
    is_whole = _API_VERSION.fullmatch(version) is not None
    if is_whole and known is None and "." in group:
        return None
    if is_whole and any(item.kind == kind and item.group in {None, group} for item in given):
        return None
    asked = [known] if is_whole and known else rows
    is_made = pod_template_paths(manifest) or any(
        _holds_pod(manifest, row) for item in asked for row in item.templates
    )
    if not is_made:
        return None
    right = " or ".join(f"{item.group}/{item.versions[0]}".removeprefix("/") for item in asked)
    if is_whole:
        message = _problem(group, version, kind)
    else:
        said = manifest.get("apiVersion")  # a reference has texts only
        missing = "apiVersion is missing" if said in (None, "") else "expected a string"
        message = f'"{version}" is malformed' if version else missing
        if "---apiVersion" in manifest:
            right = f"{right}: put a line break after ---"
            message = "apiVersion is missing: ---apiVersion is another key"
    return error(Reason.UNKNOWN_VERSION, message, ("apiVersion",), hint=f"such as {right}")


def _problem(group: str, version: str, kind: str) -> str:
    """The error in a well-formed apiVersion: the group never had the version, or not for this kind."""
    last = version.rpartition("/")[2]
    versions = {known for item in WORKLOADS if item.group == group for known in item.versions}
    is_unknown = versions and last not in versions
    return f"{group or 'Kubernetes'} has no version {last}" if is_unknown else f"{version} has no {kind}"


def _holds_pod(manifest: Object, row: TemplateRow) -> bool:
    return any("spec" in value_at(manifest, path) for path in row_paths(manifest, row))


_API_VERSION = lazy_pattern(r"(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/)?[a-z][a-z0-9-]*")


def owner_of(api_version: str, kind: str, path: Path) -> tuple[str, str]:
    """The apiVersion and kind of what controls the pods of a template of such an object: itself, if not known."""
    known = BY_KIND.get((kind, api_version.rpartition("/")[0]))
    rows = known.templates if known else ()
    owners = (row.owner for row in rows if row.owner[1] and stands_for(steps_of(row.path), path))
    return next(owners, (api_version, kind))


def invented_uid(kind: str, name: str) -> str:
    """The placeholder for the uid of a workload that was never in a cluster."""
    return f"{kind}/{name}"


_OF_NODES = ("topology.kubernetes.io/", "topology.k8s.io/", "kubernetes.io/hostname")


def appears_after_scheduling(key: str) -> bool:
    """Whether a label is one of the node's, which the pod gets with its node: too late for injection."""
    return key.startswith(_OF_NODES)


def labels_beside(pod: Object, holder: Mapping[str, Value]) -> Iterator[tuple[str, Labels]]:
    """What people take for the labels of a pod, with its place; `holder` is the object with the template, if any."""
    yield "among its annotations", value_at(pod, ("metadata", "annotations")) or {}
    yield f"on the {holder.get('kind')} itself", value_at(holder, ("metadata", "labels")) or {}
    yield "in its jobTemplate", value_at(holder, ("spec", "jobTemplate", "metadata", "labels")) or {}
    own = value_at(pod, ("metadata", "labels")) or {}
    yield "in different case", {key.lower(): value for key, value in own.items()}


def appears_at_creation(key: str) -> bool:
    """Whether a workload's controller adds a label to the pods that it creates: no template has it."""
    return key in CONTROLLER_LABELS or key in _by_rule()


@cache
def _by_rule() -> frozenset[str]:
    """The labels of the table, without those that templates have as well, such as `app`."""
    keys = {key for workload in WORKLOADS for row in workload.templates for key in row.added_keys}
    return frozenset(keys - {"app", "component", "deploymentconfig", "type"})
