"""The status of sets for machines: kind RolloutStatus (schemas/rollout-status.json)."""

from collections.abc import Collection, Sequence

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object
from sidecarctl.operations.status import PodStatus, SetStatus
from sidecarctl.plan_file.document import difference_document
from sidecarctl.reports.layout.documents import document, finding_documents
from sidecarctl.rollout.membership import LeftOut


def status_document(
    sets: Sequence[SetStatus], findings: Sequence[Finding], feature_gates: Collection[str] = ()
) -> Object:
    """The report as one object."""
    return {
        **document("RolloutStatus", feature_gates),
        "sidecarSets": [_set(one) for one in sets],
        "findings": finding_documents(findings),
    }


def _set(one: SetStatus) -> Object:
    sidecarset, window = one.sidecarset, one.window
    strategy = sidecarset.spec.get("updateStrategy") or {}
    return {
        "name": sidecarset.name,
        "hash": sidecarset.hash,
        "hashWithoutImage": sidecarset.hash_without_image,
        "customVersion": one.custom_version,
        "status": one.status,
        "recordedStatus": one.recorded,
        "window": {
            "type": strategy.get("type") or "RollingUpdate",
            "paused": bool(strategy.get("paused")),
            "partition": window.partition,
            "partitionPods": window.partition_pods,
            "maxUnavailable": window.max_unavailable,
            "maxUnavailablePods": window.max_unavailable_pods,
            "unavailable": one.unavailable,
        },
        "pods": [_pod(pod) for pod in one.pods],
        "leftOut": [_left_out(left_out) for left_out in one.left_out],
    }


def _pod(pod: PodStatus) -> Object:
    return {
        "namespace": pod.pod.namespace,
        "name": pod.pod.name,
        "state": str(pod.state),
        "why": pod.why,
        "revision": pod.revision,
        "customVersion": pod.custom_version,
        "hash": pod.hash,
        "updated": pod.updated,
        "ready": pod.ready,
        "available": pod.available,
        "upgradable": pod.upgradable,
        "inFlight": pod.in_flight,
        "workingContainers": dict(pod.working),
        **({"blockedBy": [difference_document(entry) for entry in pod.blocked_by]} if pod.blocked_by else {}),
    }


def _left_out(left_out: LeftOut) -> Object:
    return {
        "namespace": left_out.pod.namespace,
        "name": left_out.pod.name,
        "reason": str(left_out.reason),
        "message": left_out.message,
    }
