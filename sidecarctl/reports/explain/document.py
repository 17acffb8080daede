"""Explanations for machines: kinds PodExplanation, SidecarSetExplanation, ReasonList (schemas/)."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sidecarctl.facts.document_head import document_head
from sidecarctl.facts.finding_json import findings_json
from sidecarctl.facts.paths import path_text
from sidecarctl.facts.references import Place
from sidecarctl.facts.values import Object
from sidecarctl.injection.explaining import InjectedSidecar
from sidecarctl.operations.explain import PodFacts, SetFacts
from sidecarctl.operations.explaining.explained import Field, PodExplanation, SetExplanation, Test
from sidecarctl.operations.explaining.rollout_states import RolloutState, RolloutSummary
from sidecarctl.operations.report import Report
from sidecarctl.reports.layout.documents import json_text, yaml_parts, yaml_text
from sidecarctl.reports.layout.json_lines import laid_out
from sidecarctl.reports.page import Page

if TYPE_CHECKING:
    from sidecarctl.operations.explaining.whitelist import WhitelistAnswer
    from sidecarctl.sidecarset.resources.resources_policy import Computation

_WHOLLY = 1000
"""Indented levels: all of them."""


def pods_json(report: Report[PodFacts], page: Page) -> Iterator[str]:
    """The explanation of each pod as JSON."""
    del page
    return laid_out(_pods(report), _WHOLLY)


def pods_yaml(report: Report[PodFacts], page: Page) -> Iterator[str]:
    """The explanation of each pod as YAML."""
    del page
    return yaml_parts(_pods(report))


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
        **document_head("PodExplanation", report.facts.gates, report.release.behaviour),
        "pods": map(_pod, report.facts.pods),
        "findings": findings_json(report.findings),
    }


def _groups(report: Report[SetFacts]) -> Object:
    return {
        **document_head("SidecarSetExplanation", report.facts.gates, report.release.behaviour),
        "sidecarSet": report.facts.name,
        "rollout": report.facts.rollout and _summary(report.facts.rollout),
        "groups": [
            {"outcome": group.outcome, "pods": list(group.pods), "example": _set(group.example)}
            for group in report.facts.groups
        ],
        "findings": findings_json(report.findings),
    }


def _pod(pod: PodExplanation) -> Object:
    subject = pod.pod
    return {
        "object": f"{subject.reference.kind}/{subject.reference.name}",
        "namespace": subject.identity.namespace,
        "namespaceAssumed": subject.names_no_namespace,
        "name": subject.identity.name,
        **_place(subject.place),
        "running": subject.is_running,
        "outcome": pod.outcome,
        "errors": findings_json(pod.rejected),
        "sidecarSets": [_set(explanation) for explanation in pod.sets],
        "containers": [
            {"field": container.field, "name": container.name, "sidecarSet": container.set_name or None}
            for container in pod.containers.order
        ],
        "patchedAnnotations": list(pod.containers.annotations),
        "remarks": findings_json(pod.findings),
    }


def _set(explanation: SetExplanation) -> Object:
    return {
        "name": explanation.name,
        "injected": explanation.decision.is_injected,
        "reason": str(explanation.decision.reason),
        "message": explanation.decision.message,
        "revision": explanation.revision,
        "recorded": explanation.recorded,
        "tests": [_test(test) for test in explanation.tests],
        "sidecars": [_sidecar(sidecar) for sidecar in explanation.sidecars],
        "remedy": explanation.remedy,
        "rollout": explanation.rollout and _rollout(explanation.rollout),
        "whitelist": explanation.whitelist and _whitelist(explanation.whitelist),
        "hints": list(explanation.hints),
    }


def _test(test: Test) -> Object:
    """The deciding field is a part of the test itself; the evidence lists it with all others."""
    members = {"test": str(test.test.name), "passed": test.test.passed, "message": test.test.message}
    decides = _field(test.fields[0]) if test.fields else {}
    return {**members, **decides, "evidence": [{"object": each.owner, **_field(each)} for each in test.fields]}


def _field(field: Field) -> Object:
    members = {"path": path_text(field.path), **_place(field.place)}
    return members if field.value is None else {**members, "value": field.value}


def _whitelist(answer: "WhitelistAnswer") -> Object:
    return {
        "found": answer.place is not None,
        "message": answer.message,
        **_place(answer.place),
        "misplaced": [{"namespace": namespace, **_place(place)} for namespace, place in answer.misplaced],
        "annotations": [
            {"key": each.key, "policy": each.policy, "allowed": each.allowed, **_place(each.place)}
            for each in answer.keys
        ],
    }


def _summary(summary: RolloutSummary) -> Object:
    return {
        "matched": summary.matched,
        "updated": summary.updated,
        "next": summary.next,
        "states": dict(summary.states),
        "message": summary.sentence,
    }


def _sidecar(sidecar: InjectedSidecar) -> Object:
    return {
        "field": sidecar.field,
        "name": sidecar.name,
        "place": sidecar.place,
        "path": path_text(sidecar.path),
        "beforeAppContainers": sidecar.goes_first,
        "podInjectPolicy": sidecar.policy if sidecar.heeds_policy else "",
        "native": sidecar.is_native,
        "replaces": sidecar.replaces,
        "replacesAppContainer": sidecar.replaces_app,
        "takesBy": list(sidecar.may_take),
        "volumes": list(sidecar.volumes),
        "sharedMounts": list(sidecar.mounts),
        "sharedDevices": list(sidecar.devices),
        "transferredEnv": [{"name": each.env, "container": each.container} for each in sidecar.transfers],
        "computedResources": [_computation(each) for each in sidecar.resources],
    }


def _computation(computation: "Computation") -> Object:
    return {
        "field": f"{computation.kind}.{computation.resource}",
        "expression": computation.expression,
        "mode": computation.mode,
        "operands": {name: None if value is None else str(value) for name, value in computation.operands.items()},
        "aggregate": None if computation.aggregate is None else str(computation.aggregate),
        "result": None if computation.result is None else str(computation.result),
    }


def _rollout(state: RolloutState) -> Object:
    place, number = state.place
    return {
        "state": state.state,
        "why": state.why,
        "remedy": state.remedy,
        "place": place or None,
        "of": number or None,
        "whyThere": state.why_there,
        "next": state.is_next,
        "blockedBy": [
            {"path": path_text(each.path), "now": each.now, "wanted": each.new} for each in state.blocked_by
        ],
    }


def _place(place: Place | None) -> Object:
    if place is None or not place.file:
        return {}
    members = {"file": place.file, "line": place.line, "column": place.column}
    return {key: value for key, value in members.items() if value is not None}
