"""Drift: whether pods run what SidecarSets say, for all pods of the inputs."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from sidecarctl.engine.comparing.drift_states import DRIFTED, DriftState
from sidecarctl.engine.comparing.drifts import (
    ClusterSets,
    DriftFacts,
    PodDrift,
    SetDifference,
    SetDrift,
    Whose,
    cluster_sets,
)
from sidecarctl.engine.comparing.orphans import orphans, without_replaced
from sidecarctl.engine.comparing.outdated import new_pod_version
from sidecarctl.engine.comparing.pod_drift import ComparedPods
from sidecarctl.engine.comparing.tolerance import Tolerance
from sidecarctl.engine.facts.findings import Finding, ObjectReference, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import natural
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.inputs.opening import Sources
from sidecarctl.engine.inputs.pods import PodInputs, read_inputs
from sidecarctl.engine.inputs.reading import Reading, refuse_no_sidecarset
from sidecarctl.engine.report import Checked, Report, of_cluster
from sidecarctl.engine.rollout.simulated_pods import PodName, SimulatedPod
from sidecarctl.engine.rollout.statuses import (
    SetStatus,
    chosen_statuses,
    flipped_defaults,
    simulated_pods,
    with_blocking_fields,
)
from sidecarctl.engine.rollout.summary.pod_states import PodState
from sidecarctl.engine.sidecarset.revisions.revision_restoring import known_revisions
from sidecarctl.engine.sidecarset.sets import SidecarSet, family_of
from sidecarctl.engine.sidecarset.world import World, chosen_sidecarsets
from sidecarctl.engine.validation.warnings import warnings_of


def drift(
    sources: Sources[Input],
    how: Reading,
    only: Sequence[str],
    gates: frozenset[str],
    ignore: Sequence[str] = (),
    fails: Collection[DriftState] = (),
) -> Report[DriftFacts]:
    """The drift of the pods in files and a cluster; it objects to pods in one of the states `fails`.

    `ignore` are fields of containers that may differ. InputError if something cannot be read, or there is no
    SidecarSet; UsageError for an unknown name.
    """
    how = how.of_cluster(sources.live.release)
    read = read_inputs(sources, how, keeps_templates=False, keeps_containers=True).whole()
    refuse_no_sidecarset(read.world.sidecarsets, sources, how)
    return of_cluster(drift_report(read, only, gates, ignore, fails, how.namespace), sources.live)


def drift_report(
    read: PodInputs,
    only: Sequence[str],
    gates: frozenset[str],
    ignore: Sequence[str] = (),
    fails: Collection[DriftState] = (),
    namespace: str = "default",
) -> Report[DriftFacts]:
    """The drift over inputs that were read with whole containers; UsageError for an unknown name."""
    world, pods = read.world, simulated_pods(read.pods)
    statuses, about = chosen_statuses(read, pods, only, gates)
    tolerance = Tolerance(ignore)
    known = with_blocking_fields(statuses, lambda: read.pods, namespace, gates, world.revisions)
    by_name = {pod.name: pod for pod in pods}
    others = read.live.sidecarsets
    sets = [_set_drift(item, world, others, by_name, gates, tolerance) for item in known]
    sets = _with_orphans(without_replaced(sets), world, pods, only, gates)
    # A SidecarSet without pods has no drift; inputs without pods say nothing about it. Changed pods are listed.
    said = {Reason.SIDECAR_CHANGED, *([Reason.NO_PODS] if pods else [])}
    found = [item for item in about if item.reason not in said]
    findings = [*warnings_of(world, gates), *found, *flipped_defaults(known, by_name, world)]
    of_cluster = cluster_sets(world, read.live, known)
    drifts = DriftFacts(sorted(sets, key=lambda item: natural(item.name)), gates, tolerance.ignored, of_cluster)
    chosen = (world.sources[item.name] for item in chosen_sidecarsets(world, only))
    checked = [Checked(source.reference, source.place()) for source in chosen]
    return _objecting(Report("drift", drifts, findings, checked=checked, release=world.release), world, fails)


def _set_drift(
    status: SetStatus,
    world: World,
    live: Sequence[SidecarSet],
    pods: Mapping[PodName, SimulatedPod],
    gates: frozenset[str],
    tolerance: Tolerance,
) -> SetDrift:
    # Pods that lack a sidecar of it record a hash too.
    without = {pods[item.pod].records.hashes.recorded(status.sidecarset.name) for item in status.left_out}
    latest, recorded = status.status["latestRevision"], without | {pod.hash for pod in status.pods}
    known = known_revisions(status.sidecarset, latest, world.revisions, live, recorded)
    family = family_of(status.sidecarset.name, world.sidecarsets)
    new_pods = new_pod_version(status.sidecarset, latest, world, live, gates)
    compared = ComparedPods(status, known, family, gates, tolerance, new_pods)
    running = [item for item in status.pods if not item.is_mirror]
    found = [compared.of_member(pods[item.pod], item) for item in running]
    left_out = Counter({str(PodState.STATIC_POD): len(status.pods) - len(running)})
    for item in status.left_out:
        drifted = compared.of_left_out(pods[item.pod], item)
        if drifted:
            found.append(drifted)
        else:
            left_out[str(item.reason)] += 1
    return SetDrift(status.sidecarset.name, status, found, +left_out)


def _with_orphans(
    sets: Sequence[SetDrift],
    world: World,
    pods: Sequence[SimulatedPod],
    only: Sequence[str],
    gates: frozenset[str],
) -> list[SetDrift]:
    """The SidecarSets with the pods that record them without being selected, also SidecarSets that do not exist."""
    looked_at = {item.name for item in sets if item.status}
    found: dict[str, list[PodDrift]] = {}
    for name, pod in orphans(pods, world, looked_at, only, gates):
        found.setdefault(name, []).append(pod)
    known = [item._replace(pods=[*item.pods, *found.pop(item.name, ())]) for item in sets]
    return [*known, *(SetDrift(name, None, orphaned) for name, orphaned in found.items())]


def _objecting(report: Report[DriftFacts], world: World, fails: Collection[DriftState]) -> Report[DriftFacts]:
    """The report with a finding for each drifted pod; it objects to those in one of the states."""
    found = [
        _finding(pod, item, fails)._replace(place=world.sources[item.name].place() if item.status else None)
        for item in report.facts.sets
        for pod in item.pods
        if pod.state is not DriftState.IN_SYNC
    ]
    is_strict = fails and set(fails) >= set(DRIFTED)
    found += [
        _set_finding(item, world, Severity.ERROR if is_strict else Severity.WARNING)
        for item in report.facts.cluster.differences
    ]
    found += _cluster_findings(report.facts.cluster)
    objects = any(finding.severity is Severity.ERROR for finding in found)
    return report._replace(is_objection=objects, objections=found)


_DIFFERENCES = {
    Whose.FILES: "the files have it, and the cluster does not",
    Whose.CLUSTER: "the cluster has it, and the files do not",
    Whose.DIFFERENT: "the cluster and the files differ",
}


def _set_finding(item: SetDifference, world: World, severity: Severity) -> Finding:
    fields = f": {', '.join(field.text for field in item.fields)}" if item.fields else ""
    source = world.sources[item.name]
    message = f"{_DIFFERENCES[item.whose]}{fields}"
    return Finding(severity, Reason.SIDECARSET_DIFFERS, message, subject=source.reference, place=source.place())


def _cluster_findings(cluster: ClusterSets) -> Iterator[Finding]:
    for lag in cluster.lags:
        message = f"SidecarSet {lag.name}: status.{lag.field} is {lag.recorded}, but {lag.actual} is right"
        yield Finding(Severity.WARNING, Reason.CONTROLLER_LAGS, message)
    for name in cluster.orphaned_revisions:
        yield Finding(Severity.NOTE, Reason.REVISION_ORPHANED, f"ControllerRevision {name} belongs to no SidecarSet")


_REASONS = {
    DriftState.MISSING: Reason.SIDECAR_MISSING,
    DriftState.CHANGED: Reason.SIDECAR_CHANGED,
    DriftState.ORPHAN: Reason.SIDECAR_ORPHANED,
    DriftState.UNKNOWN: Reason.DRIFT_UNKNOWN,
    DriftState.BEHIND: Reason.POD_BEHIND,
    DriftState.OUTDATED: Reason.POD_OUTDATED,
    DriftState.UPDATING: Reason.POD_UPDATING,
}
_EXPECTED = frozenset({DriftState.BEHIND, DriftState.UPDATING})
"""What every rollout goes through."""


def _finding(pod: PodDrift, item: SetDrift, fails: Collection[DriftState]) -> Finding:
    said = "; ".join(f"{drifted.state}: {drifted.why}" if drifted.why else drifted.state for drifted in pod.drifts)
    fields = [entry.text for drifted in pod.drifts for entry in drifted.fields]
    message = f"SidecarSet {item.name}: {said}" if item.name else said
    message += f" ({', '.join(fields)})" if fields else ""
    fails_now = any(drifted.state in fails for drifted in pod.drifts)
    severity = Severity.ERROR if fails_now else Severity.NOTE if pod.state in _EXPECTED else Severity.WARNING
    subject = ObjectReference("v1", "Pod", *pod.pod)
    return Finding(severity, _REASONS[pod.state], message, subject=subject)
