"""Explanations as text and as JSON."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from sidecarctl.engine.facts.findings import API_VERSION, document_head, findings_json, place_json, reference_json
from sidecarctl.engine.facts.values import Object, path_text
from sidecarctl.engine.injection.explaining import InjectedSidecar
from sidecarctl.engine.report import Report
from sidecarctl.features.explain.explain import PodFacts, SetFacts
from sidecarctl.features.explain.explained import ExplainedField, PodExplanation, SetExplanation, Test
from sidecarctl.features.explain.nodes import group_node, pod_node, tally_lines
from sidecarctl.features.explain.rollout_states import RolloutState, RolloutSummary
from sidecarctl.render.documents import as_json
from sidecarctl.render.formats import Formats, data_formats
from sidecarctl.render.lines import joined, shown
from sidecarctl.render.markdown import cell, fitting, table_lines
from sidecarctl.render.output import Page
from sidecarctl.render.tables import table
from sidecarctl.render.trees import tree_markdown, tree_text

if TYPE_CHECKING:
    from sidecarctl.engine.sidecarset.resources_policy import Computation
    from sidecarctl.features.explain.field_origins import FieldOrigin
    from sidecarctl.features.explain.pod_history import PodHistory, PodUpdate, UpdateTally
    from sidecarctl.features.explain.rollout_states import WhitelistAnswer

MOST_PODS = 20
"""Pods that a text explains one by one; more of them only with --all-pods."""


def pods_text(report: Report[PodFacts], page: Page) -> Iterator[str]:
    """A tree for each pod."""
    pods = report.facts.pods
    number = len(pods) if page.all_pods else min(len(pods), MOST_PODS)
    joint = ""
    for pod in islice(pods, number):
        yield joint + joined(tree_text(pod_node(pod, unfolded=report.facts.unfolded), page.width))
        joint = "\n"
    if left := len(pods) - number:
        yield f"{joint}{left:,} more pods; --all-pods explains them, --pod NAME one of them\n"


def set_text(report: Report[SetFacts], page: Page) -> str:
    """A tree for each group of pods."""
    facts = report.facts
    trees = [joined(tree_text(group_node(group, all_pods=page.all_pods), page.width)) for group in facts.groups]
    rollout = f"rollout: {facts.rollout.sentence}\n" if facts.rollout else ""
    rollout += "".join(f"event: {shown(str(event))}\n" for event in (facts.rollout.events if facts.rollout else ()))
    rollout += joined(map(shown, [*tally_lines(facts.updates), *(item.sentence for item in facts.native)]))
    return f"SidecarSet {shown(facts.name)}\n{rollout}\n" + "\n".join(trees)


def reasons_text(report: Report[Mapping[str, str]], page: Page) -> str:
    """A line for each code."""
    return joined(table(("CODE", "MEANING"), list(report.facts.items()), page.width))


def pods_markdown(report: Report[PodFacts], _page: Page) -> str:
    """A section for each pod."""
    pods = report.facts.pods
    return fitting(
        "## Why pods have what they have\n",
        (tree_markdown(pod_node(pod, unfolded=report.facts.unfolded)) for pod in pods),
        "pod",
        number=len(pods),
    )


def set_markdown(report: Report[SetFacts], page: Page) -> str:
    """A section for each group of pods."""
    facts = report.facts
    groups = [tree_markdown(group_node(group, all_pods=page.all_pods)) for group in facts.groups]
    rollout = f"\nRollout: {cell(facts.rollout.sentence)}.\n" if facts.rollout else ""
    rollout += "".join(f"\nEvent: {cell(str(event))}.\n" for event in (facts.rollout.events if facts.rollout else ()))
    said = (*tally_lines(facts.updates), *(item.sentence for item in facts.native))
    rollout += "".join(f"\n{cell(line)}.\n" for line in said)
    return fitting(f"## Pods of SidecarSet {cell(facts.name)}\n{rollout}", groups, "group")


def reasons_markdown(report: Report[Mapping[str, str]], _page: Page) -> str:
    """A table of all codes."""
    return joined(table_lines(("code", "meaning"), report.facts.items()))


def reasons_data(report: Report[Mapping[str, str]]) -> Object:
    """All codes, as an object of kind ReasonList (schemas/reason-list.json)."""
    reasons = [{"code": code, "meaning": meaning} for code, meaning in report.facts.items()]
    return {"apiVersion": API_VERSION, "kind": "ReasonList", "reasons": reasons}


def pods_data(report: Report[PodFacts]) -> Object:
    """The explanation of each pod."""
    return {
        **document_head("PodExplanation", report.release.behavior, report.facts.gates),
        "pods": map(_pod, report.facts.pods),
        "findings": findings_json(report.findings),
    }


def set_data(report: Report[SetFacts]) -> Object:
    """The groups of pods."""
    return {
        **document_head("SidecarSetExplanation", report.release.behavior, report.facts.gates),
        "sidecarSet": report.facts.name,
        "rollout": report.facts.rollout and _summary(report.facts.rollout),
        **({"updates": [*map(_tally, report.facts.updates)]} if report.facts.updates else {}),
        "nativeSidecars": [
            {"container": item.container, "answer": str(item.answer), "reasons": list(item.reasons)}
            for item in report.facts.native
        ],
        "groups": [
            {"outcome": group.outcome, "pods": [*map(reference_json, group.pods)], "example": _set(group.example)}
            for group in report.facts.groups
        ],
        "findings": findings_json(report.findings),
    }


def _pod(pod: PodExplanation) -> Object:
    subject = pod.pod
    return {
        "object": reference_json(subject.reference),
        "namespace": subject.identity.namespace,
        "namespaceAssumed": subject.names_no_namespace,
        "name": subject.identity.name,
        **place_json(subject.place),
        "running": subject.is_running,
        "outcome": pod.outcome,
        "fate": pod.pod.fate and str(pod.pod.fate),
        "errors": findings_json(pod.rejected),
        "sidecarSets": [_set(explanation) for explanation in pod.sets],
        "containers": [
            {"field": container.field, "name": container.name, "sidecarSet": container.set_name or None}
            for container in pod.containers.order
        ],
        "patchedAnnotations": list(pod.containers.annotations),
        "remarks": findings_json(pod.findings),
        **(_history(pod.history) if pod.history else {}),
        **({"field": _origin(pod.origin)} if pod.origin else {}),
    }


def _origin(origin: "FieldOrigin") -> Object:
    return {
        "path": origin.path,
        "value": origin.value,
        "from": origin.whose or None,
        "field": origin.field or None,
        **place_json(origin.place),
        "message": origin.why,
    }


def _history(history: "PodHistory") -> Object:
    return {
        "updates": [*map(_update, history.updates.values())],
        "restarts": [
            {"container": each.container, "count": each.times, "sidecarSet": each.by or None, "message": each.why}
            for each in history.restarts
        ],
    }


def _update(update: "PodUpdate") -> Object:
    return {
        "sidecarSet": update.set_name,
        "time": update.time or None,
        "first": update.first or None,
        "revision": update.revision,
        "changes": [
            {"container": each.container, "field": each.field, "image": each.image} for each in update.changes
        ],
    }


def _tally(tally: "UpdateTally") -> Object:
    first, last = tally.times
    return {
        **_update(tally.update),
        "pods": tally.pods,
        "first": first,
        "time": last,
        "restarted": dict(tally.restarted),
        "restartedOtherwise": dict(tally.others),
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
        **(
            {"outdated": [{"path": path, "message": why} for path, why in explanation.outdated]}
            if explanation.outdated
            else {}
        ),
    }


def _test(test: Test) -> Object:
    """The deciding field is part of the test itself; the evidence lists it with all others."""
    members = {"test": str(test.test.name), "passed": test.test.passed, "message": test.test.message}
    decides = _field(test.fields[0]) if test.fields else {}
    return {
        **members,
        **decides,
        "evidence": [{"object": reference_json(each.owner), **_field(each)} for each in test.fields],
    }


def _field(field: ExplainedField) -> Object:
    members = {"path": path_text(field.path), **place_json(field.place)}
    return members if field.value is None else {**members, "value": field.value}


def _whitelist(answer: "WhitelistAnswer") -> Object:
    return {
        "found": answer.place is not None,
        "message": answer.message,
        **place_json(answer.place),
        "misplaced": [
            {"namespace": other.namespace, "name": other.name, **place_json(place)}
            for other, place in answer.misplaced
        ],
        "annotations": [
            {"key": each.key, "policy": each.policy, "allowed": each.allowed, **place_json(each.place)}
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
        **({"events": [event.document() for event in summary.events]} if summary.events else {}),
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
        **({"events": [event.document() for event in state.events]} if state.events else {}),
    }


FORMATS: Mapping[str, Formats] = {
    "explain": data_formats(pods_data, text=pods_text, markdown=pods_markdown),
    "explain-set": data_formats(set_data, text=set_text, markdown=set_markdown),
    "reasons": {"text": reasons_text, "markdown": reasons_markdown, "json": as_json(reasons_data)},
}
"""The formats of explanations, and of the list of reasons."""
