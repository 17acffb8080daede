"""The status of SidecarSets as a document: kind RolloutStatus (schemas/rollout-status.json)."""

from sidecarctl.facts.document_head import document_head
from sidecarctl.facts.finding_json import findings_json
from sidecarctl.facts.values import Object
from sidecarctl.operations.report import Report
from sidecarctl.operations.status import PodStatus, SetStatus, StatusFacts
from sidecarctl.plan_file.document import difference_document
from sidecarctl.reports.layout.documents import json_text, yaml_text
from sidecarctl.reports.page import Page
from sidecarctl.rollout.pods.membership import LeftOut


def status_json(report: Report[StatusFacts], page: Page) -> str:
    """The status as JSON."""
    del page
    return json_text(_document(report))


def status_yaml(report: Report[StatusFacts], page: Page) -> str:
    """The status as YAML."""
    del page
    return yaml_text(_document(report))


def _document(report: Report[StatusFacts]) -> Object:
    return {
        **document_head("RolloutStatus", report.facts.gates, report.release.behaviour),
        "sidecarSets": [_set(status) for status in report.facts.sets],
        "findings": findings_json(report.findings),
    }


def _set(status: SetStatus) -> Object:
    sidecarset, window = status.sidecarset, status.window
    strategy = sidecarset.spec.get("updateStrategy") or {}
    return {
        "name": sidecarset.name,
        "hash": sidecarset.hash,
        "hashWithoutImage": sidecarset.hash_without_image,
        "customVersion": status.custom_version,
        "status": status.status,
        "recordedStatus": status.recorded,
        "window": {
            "type": strategy.get("type") or "RollingUpdate",
            "paused": bool(strategy.get("paused")),
            "partition": window.partition,
            "partitionPods": window.partition_pods,
            "maxUnavailable": window.max_unavailable,
            "maxUnavailablePods": window.max_unavailable_pods,
            "unavailable": status.unavailable,
        },
        "pods": [_pod(pod) for pod in status.pods],
        "leftOut": [_left_out(left_out) for left_out in status.left_out],
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
