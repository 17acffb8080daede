"""What the sidecars of pods request: what the scheduler counts for each pod, minus what it would count without them.

An initContainer of the app may need more than all sidecars together, which then cost nothing. So the costs of the
SidecarSets of a pod need not add up to what all its sidecars cost together.
"""

import json
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.pod_resources import Resources, resources_of
from sidecarctl.engine.api.quantities import with_resource_defaults
from sidecarctl.engine.comparing.counted_pods import CountedPods, CountRequest, counted_pods
from sidecarctl.engine.facts.findings import note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, natural
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.injection.pod.pod_view import is_marked
from sidecarctl.engine.inputs.opening import Sources
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.report import Report, of_cluster
from sidecarctl.engine.rollout.recorded_sets import NO_SET, containers_of, recorded_sets
from sidecarctl.engine.rollout.simulated_pods import MIRROR, PodName, SimulatedPod
from sidecarctl.engine.rollout.targets import doubtful_pods
from sidecarctl.engine.sidecarset.sets import Matcher, pair_names
from sidecarctl.engine.sidecarset.unknown_namespaces import unknown_namespaces
from sidecarctl.engine.sidecarset.world import World, chosen_sidecarsets
from sidecarctl.engine.validation.warnings import warnings_of


class PodCost(NamedTuple):
    """What a pod counts, what all its sidecars add to that, and what those of each SidecarSet add."""

    all: Resources
    sidecars: Resources
    by_set: Mapping[str, Resources]


class SetCost(NamedTuple):
    """What the sidecars of a SidecarSet add in a namespace. The name is empty for those that no record names."""

    name: str
    namespace: str
    pods: int
    added: Resources


class NamespaceCost(NamedTuple):
    """The pods of a namespace, those with sidecars, what all of them count, and what sidecars add to that."""

    namespace: str
    pods: int
    injected: int
    all: Resources
    sidecars: Resources


class CostFacts(NamedTuple):
    """The costs by SidecarSet and namespace, and by namespace; `ended`: pods that count nothing anymore.

    `synthetic`: the pods were made of workloads. `doubtful`: those that a SidecarSet may match (`doubtful_pods`).
    """

    sets: Sequence[SetCost]
    namespaces: Sequence[NamespaceCost]
    gates: frozenset[str]
    ended: int = 0
    synthetic: bool = False
    doubtful: Sequence[PodName] = ()

    @property
    def total(self) -> NamespaceCost:
        """All namespaces together."""
        return NamespaceCost(
            "",
            sum(item.pods for item in self.namespaces),
            sum(item.injected for item in self.namespaces),
            sum((item.all for item in self.namespaces), Resources()),
            sum((item.sidecars for item in self.namespaces), Resources()),
        )

    @property
    def by_set(self) -> list[SetCost]:
        """Each SidecarSet in all namespaces together."""
        every: dict[str, SetCost] = {}
        for item in self.sets:
            known = every.get(item.name, SetCost(item.name, "", 0, Resources()))
            every[item.name] = known._replace(pods=known.pods + item.pods, added=known.added + item.added)
        return list(every.values())


def costs(sources: Sources[Input], old: Sources[Input], how: Reading, request: CountRequest) -> Report[CostFacts]:
    """The costs over the pods of files and a cluster, or of workloads (`counted_pods`, which says what it raises).

    UsageError for an unknown SidecarSet.
    """
    how = how.of_cluster(sources.live.release)
    counted = counted_pods(sources, old, how, request, keeps_containers=True)
    return of_cluster(cost_report(counted, request), sources.live)


def cost_report(counted: CountedPods, request: CountRequest) -> Report[CostFacts]:
    """What sidecars request, over pods that were read with whole containers; UsageError for an unknown SidecarSet."""
    world = counted.inputs.world
    chosen = chosen_sidecarsets(world, request.only)
    running = [SimulatedPod(index, pod) for index, pod in enumerate(counted.pods) if not _has_ended(pod)]
    sets, namespaces = _summed(running, world, request.only)
    ended = len(counted.pods) - len(running)
    findings = [*warnings_of(world, request.gates), *counted.findings]
    if mirrors := sum(MIRROR in pod.annotations and any(_injected(pod.manifest["spec"])) for pod in running):
        verb = "mirrors a static pod" if mirrors == 1 else "mirror static pods"
        findings.append(note(Reason.STATIC_POD, f"{mirrors:,} of the pods with sidecars {verb}, {_NEVER_RUN}"))
    doubtful: dict[PodName, None] = {}
    for item in chosen if counted.synthetic else ():  # running pods record what was injected
        found = doubtful_pods(Matcher(item, world.namespaces), ((pod.name, pod.labels) for pod in running))
        findings += unknown_namespaces([item], world, {pod.namespace for pod in found})
        doubtful |= dict.fromkeys(found)
    facts = CostFacts(sets, namespaces, request.gates, ended, counted.synthetic, tuple(doubtful))
    return Report("cost", facts, findings, is_objection=bool(doubtful), release=world.release)


_NEVER_RUN = "so the sidecars never run there, but the scheduler counts what they request"


def _has_ended(pod: Object) -> bool:
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def _summed(
    pods: Sequence[SimulatedPod], world: World, only: Collection[str]
) -> tuple[list[SetCost], list[NamespaceCost]]:
    names = {item.name: containers_of(item) for item in world.sidecarsets}
    alike: dict[Hashable, SimulatedPod] = {}
    counted: Counter[tuple[str, Hashable]] = Counter()
    for pod in pods:
        key = _likeness(pod)
        alike.setdefault(key, pod)
        counted[pod.name.namespace, key] += 1
    costs = {key: _pod_cost(pod, names, only) for key, pod in alike.items()}
    sets: dict[tuple[str, str], SetCost] = {}
    namespaces: dict[str, NamespaceCost] = {}
    for (namespace, key), number in counted.items():
        cost = costs[key]
        known = namespaces.get(namespace, NamespaceCost(namespace, 0, 0, Resources(), Resources()))
        namespaces[namespace] = NamespaceCost(
            namespace,
            known.pods + number,
            known.injected + (number if cost.by_set else 0),
            known.all + cost.all.times(number),
            known.sidecars + cost.sidecars.times(number),
        )
        for name, added in cost.by_set.items():
            item = sets.get((name, namespace), SetCost(name, namespace, 0, Resources()))
            sets[name, namespace] = item._replace(pods=item.pods + number, added=item.added + added.times(number))
    return (
        sorted(sets.values(), key=lambda item: (natural(item.name), natural(item.namespace))),
        sorted(namespaces.values(), key=lambda item: natural(item.namespace)),
    )


def _likeness(pod: SimulatedPod) -> Hashable:
    """Equal for pods that cost the same: those of a workload share their lists of containers and their records."""
    spec = pod.manifest["spec"]
    whole = [spec.get("overhead"), spec.get("resources")]
    return (
        id(pod.records),
        recorded_sets(pod),
        id(spec.get("containers")),
        id(spec.get("initContainers")),
        json.dumps(whole) if any(whole) else "",
    )


def _pod_cost(pod: SimulatedPod, names: Mapping[str, frozenset[str]], only: Collection[str] = ()) -> PodCost:
    """The cost of a pod; `names` are the container names of each SidecarSet, `only` the requested SidecarSets."""
    spec = with_resource_defaults(pod.manifest["spec"])
    own = {name: containers for name, containers in _sidecars_of(pod, names).items() if not only or name in only}
    return cost_of(spec, own)


def cost_of(spec: Object, own: Mapping[str, Collection[str]]) -> PodCost:
    """The cost of a pod with the containers `own` of each SidecarSet; `spec` has its requests from limits."""
    every = resources_of(spec)
    by_set = {name: every - resources_of(spec, containers) for name, containers in own.items()}
    sidecars = every - resources_of(spec, frozenset().union(*own.values()))
    return PodCost(every, sidecars, by_set)


def _sidecars_of(pod: SimulatedPod, names: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """The injected containers of a pod by the SidecarSet that it records; without SidecarSets that have none.

    A container belongs to the first that lists it, or has one of its name.
    """
    left = frozenset(_injected(pod.manifest["spec"]))
    found: dict[str, frozenset[str]] = {}
    for name in recorded_sets(pod) if left else ():
        entry = pod.records.hashes.entries.get(name)
        listed = set((entry and entry.sidecar_list) or ())
        halves = {half for each in listed if each in pod.working_containers for half in pair_names(each)}
        own = left & (names.get(name, frozenset()) | listed | halves)
        left -= own
        found |= {name: own} if own else {}
    return found | ({NO_SET: left} if left else {})


def _injected(spec: Object) -> Iterable[str]:
    for field in ("initContainers", "containers"):
        yield from (item.get("name") or "" for item in spec.get(field) or () if item and is_marked(item))
