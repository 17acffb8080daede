"""Recorded cases of `webhook`: one pod after all steps of Kruise's pod webhook, or the step that refuses it."""

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.injection.pod_webhook import admitted, may_act
from sidecarctl.engine.injection.selection import select
from tests.conformance import inject
from tests.conformance.cases import Case
from tests.conformance.difference import first_difference
from tests.conformance.pod_comparison import comparable, with_own_texts


def run(case: Case) -> str | None:
    """The first difference between a recorded pod and the computed one."""
    [pod] = [manifest for manifest in case.objects if manifest["kind"] == "Pod"]
    [recorded] = case.expect["pods"]
    context = inject.context_of(case)
    selection = select(pod, context)
    if not selection.matched and not may_act(pod, selection, context):
        return "expected a change, got none" if recorded.get("changed", True) else None
    try:
        result = admitted(pod, selection, context)
    except ImpossibleError as refused:
        return _refusal_difference(refused, recorded)
    if "error" in recorded:
        return f"expected it to be refused ({recorded['error']}), got a pod"
    if list(result.steps) != recorded["steps"]:
        return f"steps: expected {recorded['steps']}, got {list(result.steps)}"
    if bool(result.steps) != recorded["changed"]:
        return f"changed: expected {recorded['changed']}, got {bool(result.steps)}"
    expected = comparable(with_own_texts(recorded["pod"] if recorded["changed"] else pod, pod))
    in_text, _ = inject.injected_in_text(pod, context)
    return first_difference(expected, comparable(result.pod)) or first_difference(expected, comparable(in_text))


def _refusal_difference(refused: ImpossibleError, recorded: dict[str, str]) -> str | None:
    if "error" not in recorded:
        return f"expected a pod, got it refused: {refused}"
    is_priority = refused.findings[0].reason is Reason.PRIORITY_NOT_A_NUMBER
    if is_priority != (recorded["failedAt"] == "launchPriority"):
        return f"expected it to be refused at {recorded['failedAt']}, got {refused}"
    if is_priority and f": {recorded['error']}, in env[" not in refused.findings[0].message:
        return f"expected the text {recorded['error']}, got {refused}"
    return None
