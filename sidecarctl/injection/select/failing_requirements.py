"""Which part of a selector it was that did not hold, for those who ask about one pod.

Source: docs/behaviour/injection.md, "Which sets apply", step 3.
"""

from sidecarctl.api.label_selectors import Labels, UnknownOperatorError, matches
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.injection.select.decisions import Decision
from sidecarctl.injection.select.injection_context import InjectionContext
from sidecarctl.injection.select.pod_identity import Identity, identity_of, labels_of
from sidecarctl.sidecarset.matching import DEFAULT_NAMESPACE, NAMESPACE_NAME_LABEL


def with_evidence(
    decision: Decision, pod: Object, context: InjectionContext, identity: Identity | None = None
) -> Decision:
    """The same decision with the requirement that failed, and the label that it met."""
    spec = context.rules[decision.set_name].sidecarset.spec
    namespace = (identity or identity_of(pod)).namespace or DEFAULT_NAMESPACE
    if decision.reason is Reason.POD_NOT_SELECTED:
        return _with_requirement(decision, spec.get("selector") or {}, labels_of(pod), "the pod's")
    if decision.reason is Reason.NAMESPACE_NOT_SELECTED and decision.path[-1] == "namespaceSelector":
        labels = {**context.namespaces.get(namespace, {}), NAMESPACE_NAME_LABEL: namespace}
        return _with_requirement(decision, spec["namespaceSelector"], labels, f"namespace {namespace}'s")
    return decision


def failing_requirement(selector: Object, labels: Labels, whose: str) -> tuple[Path, str] | None:
    """The first part of a selector that does not hold: its path in the selector, and why, in words."""
    for key, value in selector.get("matchLabels", {}).items():
        if labels.get(key) != value:
            return ("matchLabels", key), f'{_described(key, labels, whose)}, expected "{value}"'
    for index, expression in enumerate(selector.get("matchExpressions", ())):
        try:
            holds = matches({"matchExpressions": [expression]}, labels)
        except UnknownOperatorError as unknown:
            return ("matchExpressions", index, "operator"), str(unknown)
        if not holds:
            key = expression.get("key", "")
            wanted = " ".join([expression.get("operator", ""), *expression.get("values", ())])
            return ("matchExpressions", index), f"{_described(key, labels, whose)}, expected {wanted}"
    return None


def _with_requirement(decision: Decision, selector: Object, labels: Labels, whose: str) -> Decision:
    failing = failing_requirement(selector, labels, whose)
    if failing is None:
        return decision
    path, message = failing
    return decision._replace(path=(*decision.path, *path), message=f"{decision.message}: {message}")


def _described(key: str, labels: Labels, whose: str) -> str:
    return f'{whose} label {key} is "{labels[key]}"' if key in labels else f"{whose} label {key} is absent"
