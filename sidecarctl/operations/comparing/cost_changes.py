"""What a change adds to the requests of sidecars: pods as both versions create them, by the formula of `cost`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from sidecarctl.api.decoding import check
from sidecarctl.api.pod_resources import Resources
from sidecarctl.api.quantities import with_resource_defaults
from sidecarctl.api.workload_rows import WorkloadKind
from sidecarctl.api.workloads import pod_templates, workload_of
from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import reference_of
from sidecarctl.facts.values import Object
from sidecarctl.injection.decisions import InjectionOptions
from sidecarctl.injection.injection_context import InjectionContext
from sidecarctl.injection.pod_webhook import admitted, template_of
from sidecarctl.injection.removal import uninject
from sidecarctl.injection.removal_scope import RemovalRequest
from sidecarctl.injection.selection import Identity, select
from sidecarctl.operations.comparing.lost_and_gained import workload_key
from sidecarctl.operations.comparing.pod_effects import CostChange
from sidecarctl.operations.comparing.recreated_pods import template_key
from sidecarctl.operations.counting.costs import PodCost, cost_of
from sidecarctl.operations.planning.pod_sorts import pod_sorts
from sidecarctl.operations.transforming.inject import injection_context
from sidecarctl.operations.transforming.pod_templates import with_references
from sidecarctl.sidecarset.sets import SidecarSet, base_of
from sidecarctl.sidecarset.world import Located, Template, World


class CostChanges(NamedTuple):
    """The change of each SidecarSet, if any, and of all sidecars; None if nothing changes."""

    by_set: Mapping[str, CostChange]
    total: CostChange | None


class PodsAlike(NamedTuple):
    """A number of identical pods before injection: a pod, or a template with the name of its workload."""

    pod: Object
    identity: Identity
    number: int
    template: Template | None = None


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
    """Running pods (whole), without what SidecarSets injected; those of one template are alike, one is looked at."""
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


def running_cost_changes(pods: Iterable[PodsAlike], old: World, new: World, gates: frozenset[str]) -> CostChanges:
    """The change over running pods, once they are recreated."""
    before, after = (injection_context(world, InjectionOptions(feature_gates=gates)) for world in (old, new))
    tally = _Tally(running=True)
    for alike in pods:
        tally.add([alike], before, [alike], after)
    return tally.changes()


class WorkloadsOf(NamedTuple):
    """The workloads of both versions, their default namespace, and the user's own kinds.

    `whole`: a workload of one version only was added or removed; else it is the same in the other.
    """

    old: Sequence[Located]
    new: Sequence[Located]
    namespace: str
    kinds: Sequence[WorkloadKind]
    whole: bool = False


def workload_cost_changes(workloads: WorkloadsOf, old: World, new: World, gates: frozenset[str]) -> CostChanges:
    """The change over the pods of workloads; those whose number of pods is not known are left out."""
    before, after = (injection_context(world, InjectionOptions(feature_gates=gates)) for world in (old, new))
    was, is_now = (_by_name(found, workloads.namespace) for found in (workloads.old, workloads.new))
    alike = same_costs(old, new)
    tally = _Tally()
    for key in {**is_now, **was}:
        sides = was.get(key), is_now.get(key)
        if not workloads.whole:
            sides = sides[0] or sides[1], sides[1] or sides[0]
        if alike and sides[0] and sides[1] and sides[0].manifest == sides[1].manifest:
            continue
        pods = [[*_of_workload(found, workloads)] if found else [] for found in sides]
        tally.add(pods[0], before, pods[1], after)
    return tally.changes()


def _by_name(found: Sequence[Located], namespace: str) -> dict[tuple[str, ...], Located]:
    return {workload_key(item, namespace): item for item in with_references(found, namespace)[0]}


def _of_workload(found: Located, workloads: WorkloadsOf) -> Iterator[PodsAlike]:
    workload, templates = workload_of(found.manifest, workloads.kinds), pod_templates(found.manifest, workloads.kinds)
    if workload is None or not templates or workload.pods != "replicas":
        return
    identity = Identity(found.reference.namespace or workloads.namespace, found.reference.name)
    for sort in pod_sorts(found, templates):
        if not check(sort.pod, "core.Pod"):
            yield PodsAlike(sort.pod, identity, sort.number, template_of(found.reference, sort.template.path))


class _Tally:
    """The changes so far: of each SidecarSet, and under None of all."""

    def __init__(self, *, running: bool = False) -> None:
        self._running = running
        self._found: dict[str | None, CostChange] = {}

    def add(
        self, old: Sequence[PodsAlike], before: InjectionContext, new: Sequence[PodsAlike], after: InjectionContext
    ) -> None:
        """Add the pods of a workload in both versions."""
        was, is_now = _costs(old, before), _costs(new, after)
        pods = max(sum(item.number for item in side) for side in (old, new))
        for name in {**was, **is_now}:
            change = is_now.get(name, Resources()) - was.get(name, Resources())
            if any((*change.requests.values(), *change.limits.values())):
                known = self._found.get(name, CostChange(Resources(), 0, running=self._running))
                self._found[name] = known._replace(change=known.change + change, pods=known.pods + pods)

    def changes(self) -> CostChanges:
        """All of them."""
        by_set = {name: change for name, change in self._found.items() if name is not None}
        return CostChanges(by_set, self._found.get(None))


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
