"""The drift of pods as blocks, and as a document of kind DriftReport (schemas/drift-report.json)."""

from collections.abc import Mapping, Sequence

from sidecarctl.engine.comparing.drift_states import DriftState
from sidecarctl.engine.comparing.drifts import (
    ClusterSets,
    Drift,
    DriftFacts,
    PodDrift,
    SetDifference,
    SetDrift,
    Whose,
)
from sidecarctl.engine.facts.findings import document_head, findings_json, named
from sidecarctl.engine.facts.values import Object, natural, pointer_text
from sidecarctl.engine.plan_file.document import difference_document
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.recorded_sets import NO_SET
from sidecarctl.engine.rollout.statuses import PodStatus
from sidecarctl.engine.rollout.summary.sentences import number
from sidecarctl.engine.rollout.summary.sidecar_comparison import FieldDifference
from sidecarctl.features.plan.rows import item_text, value_text
from sidecarctl.features.status.report import injected_version, sections_of_sets, set_section, why_not_updated
from sidecarctl.render.blocks import BlockDocument, NoteList, PodList, PodRow, Section, Table, columns
from sidecarctl.render.documents import LARGE
from sidecarctl.render.formats import Formats, block_formats
from sidecarctl.render.output import Page

_NAMED = 3


def head_rows(item: SetDrift) -> list[str]:
    """The SidecarSet and the pods in each state, then its revision, and what was not compared."""
    pods = number(len(item.pods))
    name = item.name if item.name != NO_SET else _NO_SET
    counts = ", ".join(f"{pods:,} {state}" for state, pods in item.counts.items())
    rows = [f"{name}: {pods}: {counts}" if counts else f"{name}: {pods}"]
    if item.status:
        version = f" (version {item.status.custom_version})" if item.status.custom_version else ""
        rows.append(f"revision  {item.status.status['latestRevision']}{version}")
    if item.left_out:
        said = ", ".join(f"{pods:,} {reason}" for reason, pods in item.left_out.items())
        rows.append(f"left out  {said}")
    return rows


def drifted_pods(item: SetDrift, *, every: bool) -> list[PodDrift]:
    """The pods in natural order; those in sync only if all pods are requested."""
    found = [pod for pod in item.pods if every or pod.state is not DriftState.IN_SYNC]
    return sorted(found, key=lambda pod: natural(str(pod.pod)))


def folded_rows(item: SetDrift, pods: Sequence[PodDrift]) -> list[tuple[str, ...]]:
    """A row for all pods that have the same states for the same reasons, the worst first."""
    groups: dict[tuple[int, str, str, str], list[PodDrift]] = {}
    order = list(DriftState)
    for pod in pods:
        key = order.index(pod.state), _states(pod), _revision(pod, item), why(pod)
        groups.setdefault(key, []).append(pod)
    return [
        (f"{len(group):,}", states, revision, named([pod.pod for pod in group]), reason)
        for (_, states, revision, reason), group in sorted(groups.items(), key=lambda entry: entry[0])
    ]


def why(pod: PodDrift) -> str:
    """The causes, with the first few fields: what runs, and what is recorded."""
    return "; ".join(filter(None, (_cause(pod, each) for each in pod.drifts)))


def _cause(pod: PodDrift, each: Drift) -> str:
    said = why_not_updated(pod.standing) if each.state is DriftState.BEHIND and pod.standing else ""
    further = [_field_text(entry, each) for entry in each.fields if entry.text not in said]
    fields = named(further, _NAMED, ", and")
    if each.state is DriftState.BEHIND and pod.standing:
        return "; ".join(filter(None, (f"{pod.standing.state}: {said}" if said else each.why, fields)))
    if not each.fields:
        return each.why
    return f"{fields}: {each.why}" if each.state is DriftState.OUTDATED else fields


def _field_text(entry: FieldDifference, each: Drift) -> str:
    """`spec.containers[log].image: runs ..., recorded ...`."""
    if each.state not in (DriftState.BEHIND, DriftState.OUTDATED):
        return f"{entry.text}: runs {value_text(entry.now)}, recorded {value_text(entry.new)}"
    place = f" ({entry.place})" if entry.place else ""
    return f"{entry.text}: runs {item_text(entry.now)}, new pods get {item_text(entry.new)}{place}"


def _states(pod: PodDrift) -> str:
    return ", ".join(dict.fromkeys(str(each.state) for each in pod.drifts))


def _revision(pod: PodDrift, item: SetDrift) -> str:
    return injected_version(item.name, pod.revision, pod.hash, pod.version)


def cluster_rows(cluster: ClusterSets) -> list[str]:
    """A line for each SidecarSet that files and cluster do not share, each lag, and revisions of no SidecarSet."""
    rows = [f"{item.name}: {_WHOSE[item.whose]}" + _fields(item) for item in cluster.differences]
    rows += [f"{lag.name}: status.{lag.field} is {lag.recorded:,}, not {lag.actual:,}" for lag in cluster.lags]
    names = cluster.orphaned_revisions
    return [*rows, *([f"ControllerRevisions of no SidecarSet: {named(names)}"] if names else [])]


_WHOSE = {
    Whose.FILES: "only in the files",
    Whose.CLUSTER: "only in the cluster",
    Whose.DIFFERENT: "the cluster differs from the files",
}


def _fields(item: SetDifference) -> str:
    said = [
        f"{field.text}: {value_text(field.before)} in the cluster, {value_text(field.after)} in the files"
        for field in item.fields
    ]
    return f": {'; '.join(said)}" if said else ""


def ignored_rows(ignored: Mapping[str, int]) -> list[str]:
    """A line for each field that was ignored, with how often it differs."""
    return [f"ignored: {field} differs {number(times, 'time')}" for field, times in ignored.items()]


def drift_blocks(report: Report[DriftFacts], page: Page) -> BlockDocument:
    """What concerns all SidecarSets, a section for each with its pods, and the fields that were ignored."""
    facts = report.facts
    document = sections_of_sets(
        report,
        "Drift from",
        [_section(item, every=page.all_pods) for item in facts.sets],
        NoteList(tuple(ignored_rows(facts.ignored))),
    )
    return document._replace(blocks=(NoteList(tuple(cluster_rows(facts.cluster))), *document.blocks))


def _section(item: SetDrift, *, every: bool) -> Section:
    listed = drifted_pods(item, every=every)
    name = item.name if item.name != NO_SET else _NO_SET
    pods = PodList(
        f"SidecarSet {name}",
        "since",
        len(listed),
        lambda: [_row(item, pod) for pod in drifted_pods(item, every=True)],
        lambda: Table(
            columns("pods", "state", "injected", "which", "why"),
            folded_rows(item, listed),
            f"Pods of {name} by state",
        ),
    )
    return set_section(name, head_rows(item), pods)


_NO_SET = "of no SidecarSet"
_COLORS = {
    DriftState.MISSING: "lacking",
    DriftState.CHANGED: "not_ready",
    DriftState.ORPHAN: "not_upgradable",
    DriftState.UNKNOWN: "in_flight",
    DriftState.BEHIND: "waiting",
    DriftState.OUTDATED: "not_upgradable",
    DriftState.UPDATING: "updating",
    DriftState.IN_SYNC: "updated",
}
_RANKS = {state: rank for rank, state in enumerate(DriftState)}


def _row(item: SetDrift, pod: PodDrift) -> PodRow:
    state, _, further = _states(pod).partition(", ")
    return PodRow(
        str(pod.pod),
        state,
        _revision(pod, item),
        pod.since or "-",
        why(pod),
        _COLORS[pod.state],
        _RANKS[pod.state],
        further=further,
        is_listed=pod.state is not DriftState.IN_SYNC,
    )


def drift_data(report: Report[DriftFacts]) -> Object:
    """The drift as an object of kind DriftReport."""
    return {
        **document_head("DriftReport", report.release.behavior, report.facts.gates),
        **report.cluster(),
        "sidecarSets": [_set(item) for item in report.facts.sets],
        "differingSets": [_difference(item) for item in report.facts.cluster.differences],
        "lags": [
            {"name": lag.name, "field": lag.field, "recorded": lag.recorded, "actual": lag.actual}
            for lag in report.facts.cluster.lags
        ],
        "orphanedRevisions": list(report.facts.cluster.orphaned_revisions),
        "ignoredFields": dict(report.facts.ignored),
        "findings": findings_json(report.findings),
    }


def _difference(item: SetDifference) -> Object:
    fields = [{"field": field.text, "cluster": field.before, "files": field.after} for field in item.fields]
    return {"name": item.name, "where": str(item.whose), "fields": fields}


def _set(item: SetDrift) -> Object:
    status = item.status
    return {
        "name": item.name,
        "exists": status is not None,
        "hash": status.sidecarset.hash if status else "",
        "revision": status.status["latestRevision"] if status else "",
        "counts": {str(state): pods for state, pods in item.counts.items()},
        "leftOut": dict(item.left_out),
        "pods": [_pod(pod) for pod in item.pods],
    }


def _pod(pod: PodDrift) -> Object:
    return {
        "namespace": pod.pod.namespace,
        "name": pod.pod.name,
        "states": list(dict.fromkeys(str(each.state) for each in pod.drifts)),
        "recorded": {
            "hash": pod.hash,
            "revision": pod.revision,
            "customVersion": pod.version,
            "updateTimestamp": pod.since,
        },
        "running": dict(pod.runs),
        "wanted": dict(pod.wanted),
        "drifts": [
            {"state": str(each.state), "why": each.why, "fields": [_field(entry, each) for entry in each.fields]}
            for each in pod.drifts
        ],
        **({"rollout": _standing(pod.standing)} if pod.standing else {}),
    }


def _field(entry: FieldDifference, each: Drift) -> Object:
    is_outdated = each.state is DriftState.OUTDATED
    return {
        "field": entry.text,
        "pointer": pointer_text(entry.path),
        "running": entry.now,
        "newPods" if is_outdated else "recorded": entry.new,
        **({"place": str(entry.place)} if entry.place else {}),
        **({"from": entry.version} if entry.version else {}),
    }


def _standing(standing: PodStatus) -> Object:
    return {
        "state": str(standing.state),
        "why": standing.why,
        "blockedBy": [difference_document(entry) for entry in standing.blocked_by],
    }


FORMATS: Mapping[str, Formats] = {"drift": block_formats(drift_blocks, drift_data, levels=LARGE)}
"""The formats of the reports of `drift`."""
