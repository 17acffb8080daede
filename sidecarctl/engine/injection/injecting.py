"""A pod and the sets that apply to it, to the injected pod.

Warns where injecting twice would differ from injecting once, and where `uninject` could not restore the pod.

Source: docs/behavior/injection.md, "What is written" and "Injecting twice"; the contract of `uninject`.
"""

from collections.abc import Iterator
from typing import NamedTuple

from sidecarctl.engine.facts.errors import ImpossibleError, naming
from sidecarctl.engine.facts.findings import Finding, note, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.injection.decisions import InjectionOptions, Selection
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.pod.injected_pod import PodWithSidecars, Prepared, outcome
from sidecarctl.engine.injection.pod.pod_plan import Placed, Slot, name_of
from sidecarctl.engine.injection.pod.pod_view import is_injected, not_transferred
from sidecarctl.engine.injection.pod.sidecars import version_annotations
from sidecarctl.engine.injection.selection import incomplete_sets
from sidecarctl.engine.sidecarset.pod_annotations import WORKING_CONTAINERS, read_working_containers
from sidecarctl.engine.sidecarset.sets import pair_names


class InjectedContainer(NamedTuple):
    """A container that a set put into a pod: in `containers` or `initContainers`, new or in another's place."""

    set_name: str
    field: str
    name: str
    replaces: bool


class PodInjection(NamedTuple):
    """The result for one pod; `pod` is the same object when nothing changed, and shares what did not change.

    `changed` is Kruise's own word for it: also true when containers were queued and the pod is the same afterward.
    """

    pod: Object
    changed: bool
    containers: tuple[InjectedContainer, ...] = ()
    findings: tuple[Finding, ...] = ()


def inject(pod: Object, selection: Selection, context: InjectionContext) -> PodInjection:
    """The pod with everything that the selected sets inject (`selection.select` of the same pod and context).

    The pod must have passed `decoding.check`; it may have nulls, unknown fields, no metadata. ImpossibleError with
    the reasons where Kruise rejects the pod. Paths of findings are in their subject, a set, else in the pod.
    """
    if not selection.matched:
        return PodInjection(pod, changed=False, findings=selection.findings)
    prepared = context.prepared(selection.sidecarsets)
    once = outcome(pod, prepared, context.options)
    return PodInjection(
        once.pod,
        changed=prepared.plan.queues_anything or once.pod is not pod,
        containers=(*_injected("initContainers", once.init), *_injected("containers", once.main)),
        findings=(
            *selection.findings,
            *prepared.findings,
            *_findings(once, prepared, context),
            *_skipped_again(once.pod, selection, context),
        ),
    )


def _skipped_again(pod: Object, selection: Selection, context: InjectionContext) -> Iterator[Finding]:
    """A warning where a second injection takes the pod for incomplete, and so records only the other sets."""
    if not context.release.skips_incomplete_pods:
        return
    skipped = incomplete_sets(selection.applied, pod)
    if 0 < len(skipped) < len(selection.applied):
        message = f"{context.release.behavior} records only one hot container of a pod"
        yield warning(Reason.NOT_IDEMPOTENT, f"injecting a second time changes the pod again: {message}")


def _injected(field: str, containers: Placed | None) -> list[InjectedContainer]:
    if containers is None:
        return []
    new = [InjectedContainer(slot.plan.name, field, slot.name, replaces=False) for slot in containers.new]
    in_place = containers.replaced.values()
    return new + [InjectedContainer(slot.plan.name, field, slot.name, replaces=True) for slot in in_place]


def _findings(once: PodWithSidecars, prepared: Prepared, context: InjectionContext) -> Iterator[Finding]:
    for owner, transfer in prepared.plan.transfers:
        if once.view is not None and (missing := not_transferred(transfer, once.view)):
            yield from naming(owner.reference, missing)
    for owner, sidecar in prepared.plan.dynamic:
        if once.view is not None and (sidecar.transfers or sidecar.shares_mounts):
            from sidecarctl.engine.injection.pod.copied_values import copied_findings  # few SidecarSets copy values

            yield from naming(owner.reference, copied_findings(sidecar, once.view))
    yield from repetition_findings(once, prepared, context.options)
    yield from loss_findings(once, prepared)


def repetition_findings(once: PodWithSidecars, prepared: Prepared, options: InjectionOptions) -> Iterator[Finding]:
    """Warnings where a second injection differs, and where this one resets a hot pair that was upgraded."""
    yield from _resets(once, prepared)
    causes = list(_suspicions(once, prepared))
    if causes and _differs_again(once, prepared, options):
        message = f"injecting a second time changes the pod again: {', or '.join(causes)}"
        yield warning(Reason.NOT_IDEMPOTENT, message)


def _differs_again(once: PodWithSidecars, prepared: Prepared, options: InjectionOptions) -> bool:
    try:
        return outcome(once.pod, prepared, options).pod is not once.pod
    except ImpossibleError:
        return True


def _suspicions(once: PodWithSidecars, prepared: Prepared) -> Iterator[str]:
    """What can differ the second time; nothing for nearly all pods, so they are injected only once."""
    plan = prepared.plan
    if plan.merges and once.patched != once.parts.annotations:
        yield "a metadata patch is merged into its own result"
    if once.view is None or not once.main:
        return
    if plan.init_queue and not plan.release.init_containers_replace:
        yield f"{plan.release.behavior} adds the initContainers again"
    if plan.has_policies and plan.hot_names:
        yield "a resourcesPolicy counts the two containers of a hot pair"
    if plan.repeats_names:
        yield "two injected containers have the same name"
    if plan.dynamic and (plan.transfers_from_sidecars(once.view) or plan.has_false_marks):
        yield "sidecars take mounts or env from an injected container as if it were an app container"
    if plan.dynamic and any(_replaced_own(once, "containers", once.main)):
        yield "a sidecar replaced an app container that other sidecars take mounts or env from"


def _replaced_own(once: PodWithSidecars, field: str, containers: Placed) -> Iterator[tuple[int, Slot]]:
    """The sidecars that took the place of a container that was not injected, each with that place."""
    for place, slot in containers.replaced.items():
        if not is_injected(once.parts.spec[field][place] or {}):
            yield place, slot


def _resets(once: PodWithSidecars, prepared: Prepared) -> Iterator[Finding]:
    """A warning for each hot pair that is not as injection leaves it."""
    hot_names, annotations = prepared.plan.hot_names, once.patched
    if not hot_names or not annotations.get(WORKING_CONTAINERS):
        return
    working = read_working_containers(annotations.get(WORKING_CONTAINERS))
    for name in hot_names:
        versions = version_annotations([name])
        moved = working.get(name, pair_names(name)[0]) != pair_names(name)[0]
        if moved or any(annotations.get(key, text) != text for key, text in versions.items()):
            message = f"the hot container {name} has been upgraded since injection; injecting again resets the pair"
            yield warning(Reason.NOT_IDEMPOTENT, message, ("metadata", "annotations", WORKING_CONTAINERS))


_LISTS = ("initContainers", "containers", "volumes", "imagePullSecrets")


def loss_findings(once: PodWithSidecars, prepared: Prepared) -> Iterator[Finding]:
    """A warning for each container of the pod's own that a sidecar replaces, and notes on what else is not undone."""
    if once.pod is once.parts.pod:
        if not prepared.plan.queues_anything:  # no record shows whether the annotations came from an injection
            yield from _patched(once, prepared)
        return
    for field, containers in (("initContainers", once.init), ("containers", once.main)):
        if containers and containers.replaced:
            yield from _replaced(once, field, containers)
    yield from _empty_parents(once)
    if prepared.plan.patches and once.parts.annotations:
        yield from _patched(once, prepared)
    if once.main:
        yield from _recorded_before(once, prepared)
        yield from _shared_names(once, prepared)
    yield from _doubled_secrets(once)


def _replaced(once: PodWithSidecars, field: str, containers: Placed) -> Iterator[Finding]:
    for place, slot in _replaced_own(once, field, containers):
        message = f"the app container {slot.name} is replaced by the sidecar of the same name from {slot.plan.name}"
        yield warning(Reason.CONTAINER_REPLACED, message, ("spec", field, place))


def _empty_parents(once: PodWithSidecars) -> Iterator[Finding]:
    """Branches that are empty in the input: after injection has filled them, `uninject` removes them."""
    before, after = once.parts, once.pod
    for name, branch in (("metadata", before.metadata), ("spec", before.spec)):
        if not branch and name in before.pod and after.get(name):
            yield _empty((name,))
    if "annotations" in before.metadata and not before.annotations and after["metadata"]["annotations"]:
        yield _empty(("metadata", "annotations"))
    for name in _LISTS:
        if name in before.spec and not before.spec[name] and after["spec"][name]:
            yield _empty(("spec", name))


def _empty(path: Path) -> Finding:
    return note(Reason.NOT_REVERSIBLE, f"{path[-1]} is empty in the input; `uninject` will remove it", path)


def _patched(once: PodWithSidecars, prepared: Prepared) -> Iterator[Finding]:
    """Annotations whose value a patch overwrote, or that already had the patched value."""
    before, made = once.parts.annotations, prepared.plan.patched_alone
    for key in once.patched.keys() & before.keys() & prepared.plan.patched_keys:
        if once.patched[key] != (before[key] or "") or once.patched[key] == made.get(key):
            message = f"the annotation {key} already exists, and a SidecarSet patches it"
            yield note(Reason.NOT_REVERSIBLE, message, ("metadata", "annotations", key))


def _recorded_before(once: PodWithSidecars, prepared: Prepared) -> Iterator[Finding]:
    present = once.parts.annotations.keys() & prepared.recorded_keys
    if present:
        message = (
            f"the pod records earlier injections in {', '.join(sorted(present))}; `uninject` will remove all of them"
        )
        yield note(Reason.NOT_REVERSIBLE, message, ("metadata", "annotations"))


def _shared_names(once: PodWithSidecars, prepared: Prepared) -> Iterator[Finding]:
    """Volumes and pull secrets of a set that the pod already has."""
    for name, brought in (("volumes", prepared.plan.volume_names), ("imagePullSecrets", prepared.plan.secret_names)):
        for index, item in enumerate(once.parts.spec.get(name) or () if brought else ()):
            if name_of(item) in brought:
                message = f"{name_of(item)} also comes from a SidecarSet; the pod's own is kept"
                yield note(Reason.NOT_REVERSIBLE, message, ("spec", name, index))


def _doubled_secrets(once: PodWithSidecars) -> Iterator[Finding]:
    """Pull secrets that the pod names twice: injection leaves the first."""
    names: set[object] = set()
    for index, item in enumerate(once.parts.spec.get("imagePullSecrets") or ()):
        if name_of(item) in names:
            message = f"the pull secret {name_of(item)} is listed twice"
            yield note(Reason.NOT_REVERSIBLE, message, ("spec", "imagePullSecrets", index))
        names.add(name_of(item))
