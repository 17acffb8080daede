"""The whole pod webhook: a pod as Kruise creates it, with everything that its steps do, in their order.

Source: docs/behavior/pod-webhook.md.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.engine.api.workloads import adds_more
from sidecarctl.engine.facts.errors import impossible
from sidecarctl.engine.facts.findings import Finding, ObjectReference, note, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.injection.decisions import Selection
from sidecarctl.engine.injection.injecting import PodInjection, inject
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.pod.pod_view import perhaps_added
from sidecarctl.engine.injection.webhook_steps import (
    POD_READY,
    is_owned_by_kruise,
    is_template_of_kruise,
    names_priorities,
    with_enhanced_liveness,
    with_readiness_gate,
)
from sidecarctl.engine.sidecarset.sets import DEFAULT_NAMESPACE
from sidecarctl.engine.sidecarset.world import Template

if TYPE_CHECKING:
    from sidecarctl.engine.injection.launch_priority import LaunchOrder


class WebhookStep(StrEnum):
    """A step of the webhook."""

    READINESS_GATE = "readinessGate"
    SIDECARSET = "sidecarSet"
    LAUNCH_PRIORITY = "launchPriority"
    LIVENESS_PROBE = "livenessProbe"


def template_of(workload: ObjectReference, path: Path) -> Template | None:
    """The template at a path of a workload; None for a pod."""
    is_pod = not path and workload.kind == "Pod"
    return None if is_pod else Template(is_template_of_kruise(workload, path), workload)


class Admitted(NamedTuple):
    """The result for one pod; `pod` is the same object when nothing changed.

    `steps` are those that changed it. `order` is that in which its containers start; None if Kruise enforces none.
    """

    pod: Object
    injection: PodInjection
    steps: tuple[WebhookStep, ...] = ()
    order: "LaunchOrder | None" = None
    findings: tuple[Finding, ...] = ()


def may_act(pod: Value, selection: Selection, context: InjectionContext, template: Template | None = None) -> bool:
    """Whether the webhook may change a pod that no SidecarSet applies to.

    The pod need not have been type-checked, and `selection` be of it.
    """
    if not selection.is_seen:
        return False
    if context.webhook.refuses or (context.webhook.others and any(_uncomputed(pod, selection, context, template))):
        return True
    if template is not None:
        return names_priorities(pod)
    return gets_readiness_gate(pod, context, None) or names_priorities(pod)


def admitted(
    pod: Object, selection: Selection, context: InjectionContext, template: Template | None = None
) -> Admitted:
    """The pod after the webhook; ImpossibleError if Kruise rejects it.

    The pod must have passed `decoding.check`, and `selection` be of it. For a template, the result is what can be
    applied again: without barriers, which name the pod, and unchanged if no SidecarSet applies.
    """
    if not selection.is_seen:
        return Admitted(pod, PodInjection(pod, changed=False, findings=selection.findings))
    steps: list[WebhookStep] = []
    acts_on_owned = not context.options.without_kruise and (template is None or selection.matched)
    current = pod
    if acts_on_owned and gets_readiness_gate(pod, context, template):
        current = with_readiness_gate(pod)
    if current is not pod:
        steps.append(WebhookStep.READINESS_GATE)
    injection = inject(current, selection, context)
    if template and injection.findings and adds_more(template.workload.api_version, template.workload.kind):
        injection = injection._replace(findings=tuple(map(perhaps_added, injection.findings)))
    if injection.changed:
        steps.append(WebhookStep.SIDECARSET)
    current = injection.pod
    findings: tuple[Finding, ...] = ()
    order = None
    if names_priorities(current):
        from sidecarctl.engine.injection.launch_step import order_findings, order_of, with_barriers  # few pods do

        order = order_of(pod, injection, selection, context)
        findings = tuple(order_findings(pod, current, order, context, is_template=template is not None))
        if order is not None and template is None:
            current = with_barriers(current, order)
            steps.append(WebhookStep.LAUNCH_PRIORITY)
    if context.webhook.refuses:
        message = f"Kruise rejects every pod: {context.webhook.refuses}"
        raise impossible(Reason.CONFIGURATION_UNREADABLE, message, hint="correct the ConfigMap kruise-configuration")
    if acts_on_owned and context.moves_probes and _is_kruises(pod, template):
        before, current = current, with_enhanced_liveness(current, context.release)
        steps += [WebhookStep.LIVENESS_PROBE] if current is not before else []
    findings = (*findings, *_of_steps(pod, current, steps, selection, context, template))
    return Admitted(current, injection, tuple(steps), order, findings)


def gets_readiness_gate(pod: Value, context: InjectionContext, template: Template | None) -> bool:
    """Whether the webhook adds its readiness gate to a pod, which need not be type-checked."""
    return context.gates_every_pod or _is_kruises(pod, template)


def _is_kruises(pod: Value, template: Template | None) -> bool:
    return is_owned_by_kruise(pod) if template is None else template.is_kruises


def _uncomputed(
    pod: Value, selection: Selection, context: InjectionContext, template: Template | None
) -> Iterator[Finding]:
    """Notes on objects for which the webhook would add something else; the pod need not be type-checked."""
    from sidecarctl.engine.injection.uncomputed_steps import uncomputed, webhooked  # few inputs have such objects

    looked_at = webhooked(pod, selection.namespace or DEFAULT_NAMESPACE, template.workload if template else None)
    yield from uncomputed(looked_at, context.webhook.others, context.options.feature_gates, context.release)


def _of_steps(
    pod: Object,
    after: Object,
    steps: list[WebhookStep],
    selection: Selection,
    context: InjectionContext,
    template: Template | None,
) -> Iterator[Finding]:
    """Findings about what the steps did, and about steps that are not computed."""
    if context.webhook.others:
        yield from _uncomputed(after, selection, context, template)
    if not steps or steps == [WebhookStep.SIDECARSET]:
        return
    if WebhookStep.READINESS_GATE in steps:
        message = f"the readiness gate {POD_READY} is added; `uninject` keeps it, since the author may have added it"
        yield note(Reason.NOT_REVERSIBLE, message, ("spec", "readinessGates"))
    if WebhookStep.LIVENESS_PROBE in steps:
        message = "liveness probes are moved to an annotation; `uninject` cannot restore their comments"
        yield note(Reason.NOT_REVERSIBLE, message, ("spec", "containers"))
        yield warning(
            Reason.LIVENESS_PROBE_REMOVED,
            "the containers run without liveness probes: nothing in Kruise reads the annotation that holds them",
            ("spec", "containers"),
        )
    if WebhookStep.LAUNCH_PRIORITY in steps:
        from sidecarctl.engine.injection.launch_step import barrier_findings  # few pods have launch priorities

        yield from barrier_findings(pod, after)
    waits = [word for step, word in _NEEDS.items() if step in steps]
    if waits and not (template and template.is_kruises):
        message = f"in a cluster without Kruise {' and '.join(waits)}"
        yield warning(Reason.NEEDS_KRUISE, message, hint="for such a cluster use --without-kruise")


_NEEDS = {
    WebhookStep.LAUNCH_PRIORITY: "the containers would never start, because Kruise creates the ConfigMap of "
    "their barriers",
    WebhookStep.READINESS_GATE: f"the pod would never be ready, because Kruise sets the condition {POD_READY}",
}
