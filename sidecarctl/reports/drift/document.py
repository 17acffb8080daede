"""The drift of pods as a document: kind DriftReport (schemas/drift-report.json)."""

from sidecarctl.facts.findings import document_head, findings_json
from sidecarctl.facts.values import Object, pointer_text
from sidecarctl.operations.drifting.cluster_sets import SetDifference
from sidecarctl.operations.drifting.drifts import Drift, DriftFacts, PodDrift, SetDrift
from sidecarctl.operations.report import Report
from sidecarctl.operations.status import PodStatus
from sidecarctl.plan_file.document import difference_document
from sidecarctl.rollout.summary.sidecar_comparison import FieldDifference


def drift_data(report: Report[DriftFacts]) -> Object:
    """The drift as an object of kind DriftReport."""
    return {
        **document_head("DriftReport", report.release.behaviour, report.facts.gates),
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
        "counts": {str(state): number for state, number in item.counts.items()},
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
        "drifts": [_drift(each) for each in pod.drifts],
        **({"rollout": _standing(pod.standing)} if pod.standing else {}),
    }


def _drift(each: Drift) -> Object:
    return {"state": str(each.state), "why": each.why, "fields": [_field(entry) for entry in each.fields]}


def _field(entry: FieldDifference) -> Object:
    return {
        "field": entry.text,
        "pointer": pointer_text(entry.path),
        "running": entry.now,
        "recorded": entry.new,
    }


def _standing(standing: PodStatus) -> Object:
    return {
        "state": str(standing.state),
        "why": standing.why,
        "blockedBy": [difference_document(entry) for entry in standing.blocked_by],
    }
