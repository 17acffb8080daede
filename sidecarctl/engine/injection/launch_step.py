"""The launch priority step of the pod webhook: order, barriers, findings, and why it refuses a pod.

Source: docs/behavior/pod-webhook.md, "Container launch priority" and "Traps".
"""

from collections.abc import Iterator

from sidecarctl.engine.facts.errors import ImpossibleError, naming
from sidecarctl.engine.facts.findings import Finding, error, note, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.decisions import Selection
from sidecarctl.engine.injection.injecting import PodInjection
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.launch_priority import (
    BadPriorityError,
    LaunchOrder,
    barriers_in,
    generated_name,
    has_priority,
    launch_findings,
    launch_order,
)
from sidecarctl.engine.injection.pod.pod_view import is_injected
from sidecarctl.engine.injection.pod.set_plan import reference_to
from sidecarctl.engine.injection.webhook_steps import BARRIER


def order_of(
    pod: Object, injection: PodInjection, selection: Selection, context: InjectionContext
) -> LaunchOrder | None:
    """The order in which the containers of a pod start after injection; ImpossibleError if Kruise rejects it."""
    if context.options.without_kruise:
        return None
    try:
        return launch_order(injection.pod)
    except BadPriorityError as bad:
        raise _refused(pod, injection, bad, selection) from None


def _refused(before: Object, injection: PodInjection, bad: BadPriorityError, selection: Selection) -> ImpossibleError:
    """Kruise's text with the container, the env, and the SidecarSet that the container comes from.

    The path of the pod's own container is that before injection.
    """
    name = (injection.pod["spec"]["containers"][bad.container] or {}).get("name") or ""
    found = [item for item in injection.containers if (item.field, item.name) == ("containers", name)]
    of = f" of SidecarSet {found[-1].set_name}" if found else ""
    message = f"Kruise rejects the pod: {bad}, in env[{bad.env}] of container {name}{of}"
    own = [(container or {}).get("name") or "" for container in (before.get("spec") or {}).get("containers") or ()]
    path = ("spec", "containers", own.index(name) if name in own else bad.container, "env", bad.env)
    finding = error(
        Reason.PRIORITY_NOT_A_NUMBER, message, path, hint="a priority is an integer; with valueFrom it has no value"
    )
    sidecarset = next((item for item in selection.sidecarsets if found and item.name == found[-1].set_name), None)
    if sidecarset is None:
        return ImpossibleError(finding)
    for index, container in enumerate(sidecarset.spec.get("containers") or ()):
        if container.get("name") in {name, name.removesuffix("-1"), name.removesuffix("-2")}:
            has_env = bad.env < len(container.get("env") or ())
            where = ("spec", "containers", index, *(("env", bad.env) if has_env else ()))
            return ImpossibleError(*naming(reference_to(sidecarset), [finding._replace(path=where)]))
    return ImpossibleError(finding)


def order_findings(
    pod: Object, after: Object, order: LaunchOrder | None, context: InjectionContext, *, is_template: bool
) -> Iterator[Finding]:
    """Findings about the launch priorities of a pod before and after injection."""
    yield from launch_findings(pod, context.release)
    if order is None and has_priority(after) and not context.options.without_kruise:
        message = "the launch priority has no effect: it is the only container, or all have the same priority"
        yield note(Reason.PRIORITY_WITHOUT_EFFECT, message, ("spec", "containers"))
    if order is not None and is_template:
        yield note(Reason.LAUNCH_ORDER, order.message)


def with_barriers(pod: Object, order: LaunchOrder) -> Object:
    """A pod with the barrier of each container, and with the name that Kruise generates for it if it has none."""
    metadata, spec = pod.get("metadata") or {}, pod.get("spec") or {}
    name = metadata.get("name") or ""
    if not name and metadata.get("generateName"):
        name = generated_name(metadata["generateName"])
        metadata = metadata | {"name": name}
    containers = [
        (container or {}) | {"env": [*((container or {}).get("env") or ()), barrier(name, priority)]}
        for container, (_, priority) in zip(spec.get("containers") or (), order.containers, strict=True)
    ]
    changed = pod | {"spec": spec | {"containers": containers}} if containers else pod
    return changed if metadata == (pod.get("metadata") or {}) else changed | {"metadata": metadata}


def barrier(pod_name: str, priority: int) -> Object:
    """The env by which a container waits for its turn: for a ConfigMap that Kruise creates for the pod."""
    reference = {"name": f"{pod_name}-barrier", "key": f"p_{priority}"}
    return {"name": BARRIER, "valueFrom": {"configMapKeyRef": reference}}


def barrier_findings(pod: Object, after: Object) -> Iterator[Finding]:
    """Findings about what a second injection adds, and what `uninject` cannot distinguish."""
    containers = (after.get("spec") or {}).get("containers") or ()
    if any(not is_injected(container) for container in containers):
        message = "injecting a second time changes the pod again: Kruise adds a second barrier to each app container"
        yield warning(Reason.NOT_IDEMPOTENT, message)
    name = after["metadata"].get("name") or ""
    if name and not pod["metadata"].get("name"):
        message = f"the name {name} is an example: Kruise draws its last five letters when the pod is created"
        yield note(Reason.NAME_GENERATED, message, ("metadata", "generateName"))
    for index, container in enumerate((pod.get("spec") or {}).get("containers") or ()):
        if container and container.get("env") == []:
            message = "env is empty in the input; `uninject` will remove it"
            yield note(Reason.NOT_REVERSIBLE, message, ("spec", "containers", index, "env"))
        for env, _ in barriers_in(container):
            message = f"container {(container or {}).get('name')} has a barrier already; `uninject` keeps it"
            yield note(Reason.NOT_REVERSIBLE, message, ("spec", "containers", index, "env", env))
