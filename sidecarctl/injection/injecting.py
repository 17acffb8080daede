"""A pod and the sets that apply to it, to the injected pod.

Source: docs/behaviour/injection.md, "What is written".
"""

from collections.abc import Iterator

from sidecarctl.facts.finding_subjects import naming
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object
from sidecarctl.injection.build.injected_pod import InjectedPod, outcome
from sidecarctl.injection.build.pod_lists import Placed
from sidecarctl.injection.build.prepared import Prepared
from sidecarctl.injection.check.idempotence import repetition_findings
from sidecarctl.injection.check.reversibility import loss_findings
from sidecarctl.injection.containers.transfer_env import not_transferred
from sidecarctl.injection.select.decisions import Selection
from sidecarctl.injection.select.injection_context import InjectionContext


class InjectedContainer(NamedTuple):
    """A container that a set put into a pod: in `containers` or `initContainers`, new or in another's place."""

    set_name: str
    field: str
    name: str
    replaces: bool


class Injection(NamedTuple):
    """What came of a pod; `pod` is the same object when nothing changed, and shares what did not change.

    `changed` is Kruise's own word for it: also true when containers were queued and the pod is the same afterwards.
    """

    pod: Object
    changed: bool
    containers: tuple[InjectedContainer, ...] = ()
    findings: tuple[Finding, ...] = ()


def inject(pod: Object, selection: Selection, context: InjectionContext) -> Injection:
    """The pod with everything that the selected sets inject (`selection.select` of the same pod and context).

    The pod must have passed `decoding.check`; it may have nulls, unknown fields, no metadata. ImpossibleError with
    the reasons where Kruise rejects the pod. Paths of findings are in their subject, a set, else in the pod.
    """
    if not selection.matched:
        return Injection(pod, changed=False, findings=selection.findings)
    prepared = context.prepared(selection.sidecarsets)
    once = outcome(pod, prepared, context.options)
    return Injection(
        once.pod,
        changed=prepared.plan.queues_anything or once.pod is not pod,
        containers=(*_injected("initContainers", once.init), *_injected("containers", once.main)),
        findings=(*selection.findings, *prepared.findings, *_findings(once, prepared, context)),
    )


def _injected(field: str, containers: Placed | None) -> list[InjectedContainer]:
    if containers is None:
        return []
    new = [InjectedContainer(slot.plan.name, field, slot.name, replaces=False) for slot in containers.new]
    return new + [
        InjectedContainer(slot.plan.name, field, slot.name, replaces=True) for slot, _, _ in containers.replaced
    ]


def _findings(once: InjectedPod, prepared: Prepared, context: InjectionContext) -> Iterator[Finding]:
    for owner, transfer in prepared.plan.transfers:
        if once.view is not None and (missing := not_transferred(transfer, once.view)):
            yield from naming(owner.reference, missing)
    yield from repetition_findings(once, prepared, context.options)
    yield from loss_findings(once, prepared)
