"""What a change adds to the requests of sidecars: pods as both versions create them, by the formula of `cost`."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TypeAlias

from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.api.pod_resources import Resources
from sidecarctl.engine.api.quantities import with_resource_defaults
from sidecarctl.engine.api.workloads import pod_templates, workload_of
from sidecarctl.engine.comparing.costs import PodCost, cost_of
from sidecarctl.engine.comparing.pod_effects import CostChange, Pods, PodsAlike
from sidecarctl.engine.comparing.recreated_pods import template_key
from sidecarctl.engine.comparing.workload_pairs import keys_of_both
from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.findings import reference_of
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.injection_context import InjectionContext, injection_context
from sidecarctl.engine.injection.pod_sorts import pod_sorts
from sidecarctl.engine.injection.pod_webhook import admitted, template_of
from sidecarctl.engine.injection.removal import uninject
from sidecarctl.engine.injection.removal_scope import RemovalRequest
from sidecarctl.engine.injection.selection import Identity, select
from sidecarctl.engine.inputs.references import with_references
from sidecarctl.engine.sidecarset.sets import SidecarSet, base_of
from sidecarctl.engine.sidecarset.world import Located, World

Costs: TypeAlias = Mapping[str | None, CostChange]
"""What changes for each SidecarSet, and under None for all sidecars; without those for which nothing does."""


def same_costs(old: World, new: World) -> bool:
    """Whether pods clearly cost the same in both: the SidecarSets differ only in images and update strategy."""
    return old.namespaces == new.namespaces and [*map(_deciding, old.sidecarsets)] == [
        *map(_deciding, new.sidecarsets)
    ]


_NO_COST = frozenset(("updateStrategy", "revisionHistoryLimit"))


def _deciding(sidecarset: SidecarSet) -> Object:
    """The parts of a SidecarSet that decide which pods get its sidecars, and what these request."""
    spec = {key: value for key, value in sidecarset.spec.items() if key not in _NO_COST}
    lists = {
        field: [{**item, "image": ""} for item in spec.get(field) or ()] for field in ("containers", "initContainers")
    }
    return {"name": sidecarset.name, "base": base_of(sidecarset), **spec, **lists}


def pods_alike(pods: Iterable[Object], old: World, gates: frozenset[str]) -> list[PodsAlike]:
    """Running pods (whole), without what SidecarSets injected; one pod of each template."""
    context = injection_context(old, InjectionOptions(feature_gates=gates))
    found: dict[str, PodsAlike] = {}
    for pod in pods:
        metadata, status = pod.get("metadata") or {}, pod.get("status") or {}
        if not (isinstance(metadata, dict) and isinstance(status, dict)):
            continue  # it is already an error
        if not status or status.get("phase") in ("Succeeded", "Failed") or metadata.get("deletionTimestamp"):
            continue
        key = template_key(pod, reference_of(pod))
        known = found.get(key) or _without_sidecars(pod, context)
        found[key] = known._replace(number=known.number + 1)
    return [*found.values()]


def _without_sidecars(pod: Object, context: InjectionContext) -> PodsAlike:
    reference = reference_of(pod)
    identity = Identity(reference.namespace, reference.name)
    if check(pod, "core.Pod"):
        return PodsAlike({}, identity, 0)
    with suppress(SidecarctlError):  # what cannot be removed is the same for both versions
        pod = uninject(pod, context, RemovalRequest(), identity).pod
    return PodsAlike(pod, identity, 0)


def cost_changes(pods: Pods, old: World, new: World, gates: frozenset[str]) -> Costs:
    """The change over running pods, once they are recreated; without them over those of workloads.

    Workloads whose number of pods is not known are left out.
    """
    before, after = (injection_context(world, InjectionOptions(feature_gates=gates)) for world in (old, new))
    running = (([alike], [alike]) for alike in pods.recreated)
    found: dict[str | None, CostChange] = {}
    for was, is_now in running if pods.recreated else _of_workloads(pods, alike=same_costs(old, new)):
        costs = _costs(was, before), _costs(is_now, after)
        number = max(sum(item.number for item in side) for side in (was, is_now))
        for name in {**costs[0], **costs[1]}:
            change = costs[1].get(name, Resources()) - costs[0].get(name, Resources())
            if any((*change.requests.values(), *change.limits.values())):
                known = found.get(name, CostChange(Resources(), 0, running=bool(pods.recreated)))
                found[name] = known._replace(change=known.change + change, pods=known.pods + number)
    return found


def _of_workloads(pods: Pods, *, alike: bool) -> Iterator[tuple[list[PodsAlike], list[PodsAlike]]]:
    """The pods of each workload in both versions; `alike`: only a changed template counts as different."""
    keys = keys_of_both(pods.earlier, pods.workloads, pods.namespace)
    was, is_now = (
        dict(zip(own, with_references(found, pods.namespace)[0], strict=True))
        for own, found in zip(keys, (pods.earlier, pods.workloads), strict=True)
    )
    for key in {**is_now, **was}:
        before, after = was.get(key), is_now.get(key)
        if not pods.whole:
            before, after = before or after, after or before
        if not (alike and before and after and before.manifest == after.manifest):
            yield list(_of_workload(before, pods)), list(_of_workload(after, pods))


def _of_workload(found: Located | None, pods: Pods) -> Iterator[PodsAlike]:
    if found is None:
        return
    workload, templates = workload_of(found.manifest, pods.kinds), pod_templates(found.manifest, pods.kinds)
    if workload is None or not templates or workload.pods != "replicas":
        return
    identity = Identity(found.reference.namespace or pods.namespace, found.reference.name)
    for sort in pod_sorts(found, templates):
        if not check(sort.pod, "core.Pod"):
            yield PodsAlike(sort.pod, identity, sort.number, template_of(found.reference, sort.template.path))


def _costs(pods: Iterable[PodsAlike], context: InjectionContext) -> dict[str | None, Resources]:
    """What all these pods cost, by SidecarSet, and under None all their sidecars."""
    found: dict[str | None, Resources] = {}
    for alike in pods:
        cost = _created(alike, context)
        for name, added in ((None, cost.sidecars), *cost.by_set.items()) if cost else ():
            found[name] = found.get(name, Resources()) + added.times(alike.number)
    return found


def _created(alike: PodsAlike, context: InjectionContext) -> PodCost | None:
    """The cost of one of the pods; None if nothing is injected, or the pod is rejected."""
    try:
        selection = select(alike.pod, context, alike.identity)
        if not selection.matched:
            return None
        made = admitted(alike.pod, selection, context, alike.template)
    except SidecarctlError:
        return None
    own: dict[str, set[str]] = {}
    for item in made.injection.containers:
        own.setdefault(item.set_name, set()).add(item.name)
    return cost_of(with_resource_defaults(made.pod["spec"]), own)
