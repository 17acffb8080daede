"""Explanations for machines: kinds PodExplanation, SidecarSetExplanation, ReasonList (schemas/)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sidecarctl.facts.document_head import document_head
from sidecarctl.facts.finding_json import findings_json
from sidecarctl.facts.paths import path_text
from sidecarctl.facts.references import Place
from sidecarctl.facts.values import Object
from sidecarctl.injection.explaining import InjectedSidecar
from sidecarctl.operations.explain import PodFacts, SetFacts
from sidecarctl.operations.explaining.explanations import PodExplanation, RolloutState, SetExplanation, Test
from sidecarctl.operations.report import Report
from sidecarctl.reports.layout.documents import json_text, yaml_text
from sidecarctl.reports.page import Page

if TYPE_CHECKING:
    from sidecarctl.sidecarset.resources.resources_policy import Computation


def pods_json(report: Report[PodFacts], page: Page) -> str:
    """The explanation of each pod as JSON."""
    del page
    return json_text(_pods(report))


def pods_yaml(report: Report[PodFacts], page: Page) -> str:
    """The explanation of each pod as YAML."""
    del page
    return yaml_text(_pods(report))


def set_json(report: Report[SetFacts], page: Page) -> str:
    """The groups of pods as JSON."""
    del page
    return json_text(_groups(report))


def set_yaml(report: Report[SetFacts], page: Page) -> str:
    """The groups of pods as YAML."""
    del page
    return yaml_text(_groups(report))


def reasons_json(report: Report[Mapping[str, str]], page: Page) -> str:
    """All codes as JSON."""
    del page
    reasons = [{"code": code, "meaning": meaning} for code, meaning in report.facts.items()]
    return json_text({**document_head("ReasonList"), "reasons": reasons})


def _pods(report: Report[PodFacts]) -> Object:
    return {
        **document_head("PodExplanation", report.facts.gates),
        "pods": [_pod(one) for one in report.facts.pods],
        "findings": findings_json(report.findings),
    }


def _groups(report: Report[SetFacts]) -> Object:
    return {
        **document_head("SidecarSetExplanation", report.facts.gates),
        "sidecarSet": report.facts.name,
        "groups": [
            {"outcome": one.outcome, "pods": list(one.pods), "example": _set(one.example)}
            for one in report.facts.groups
        ],
        "findings": findings_json(report.findings),
    }


def _pod(pod: PodExplanation) -> Object:
    subject = pod.subject
    return {
        "object": f"{subject.reference.kind}/{subject.reference.name}",
        "namespace": subject.identity.namespace,
        "name": subject.identity.name,
        **_place(subject.place_of_object),
        "running": subject.is_running,
        "outcome": pod.outcome,
        "errors": findings_json(pod.rejected),
        "sidecarSets": [_set(one) for one in pod.sets],
        "containers": [
            {"field": one.field, "name": one.name, "sidecarSet": one.set_name or None} for one in pod.containers.order
        ],
        "patchedAnnotations": list(pod.containers.annotations),
        "remarks": findings_json(pod.findings),
    }


def _set(one: SetExplanation) -> Object:
    return {
        "name": one.name,
        "injected": one.decision.is_injected,
        "reason": str(one.decision.reason),
        "message": one.decision.message,
        "revision": one.revision,
        "recorded": one.recorded,
        "tests": [_test(test) for test in one.tests],
        "sidecars": [_sidecar(sidecar) for sidecar in one.sidecars],
        "remedy": one.remedy,
        "rollout": one.rollout and _rollout(one.rollout),
    }


def _test(one: Test) -> Object:
    members = {"test": str(one.test.name), "passed": one.test.passed, "message": one.test.message}
    evidence = {"path": path_text(one.test.path), **_place(one.place)} if one.test.path else {}
    return members | evidence | ({} if one.value is None else {"value": one.value})


def _sidecar(one: InjectedSidecar) -> Object:
    return {
        "field": one.field,
        "name": one.name,
        "place": one.place,
        "path": path_text(one.path),
        "beforeAppContainers": one.goes_first,
        "native": one.is_native,
        "replaces": one.replaces,
        "replacesAppContainer": one.replaces_app,
        "volumes": list(one.volumes),
        "sharedMounts": list(one.mounts),
        "sharedDevices": list(one.devices),
        "transferredEnv": [{"name": each.env, "container": each.container} for each in one.transfers],
        "computedResources": [_computation(each) for each in one.resources],
    }


def _computation(one: "Computation") -> Object:
    return {
        "field": f"{one.kind}.{one.resource}",
        "expression": one.expression,
        "mode": one.mode,
        "operands": {name: None if value is None else str(value) for name, value in one.operands.items()},
        "aggregate": None if one.aggregate is None else str(one.aggregate),
        "result": None if one.result is None else str(one.result),
    }


def _rollout(one: RolloutState) -> Object:
    place, number = one.place
    return {
        "state": one.state,
        "why": one.why,
        "remedy": one.remedy,
        "place": place or None,
        "of": number or None,
        "blockedBy": [{"path": path_text(each.path), "now": each.now, "wanted": each.new} for each in one.blocked_by],
    }


def _place(place: Place | None) -> Object:
    if place is None or not place.file:
        return {}
    members = {"file": place.file, "line": place.line, "column": place.column}
    return {key: value for key, value in members.items() if value is not None}
