"""Sidecars in pods for which no SidecarSet is responsible, or another one that has a container of the same name."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from sidecarctl.engine.comparing.drift_states import DriftState
from sidecarctl.engine.comparing.drifts import Drift, PodDrift, SetDrift
from sidecarctl.engine.injection.new_pods import RECREATE, of_the_pod
from sidecarctl.engine.injection.pod.pod_view import is_injected
from sidecarctl.engine.rollout.recorded_sets import NO_SET, containers_of, recorded_elsewhere, recorded_sets
from sidecarctl.engine.rollout.recreation import Recreation
from sidecarctl.engine.rollout.simulated_pods import MIRROR, PodName, SimulatedPod
from sidecarctl.engine.sidecarset.pod_annotations import HashEntry
from sidecarctl.engine.sidecarset.sets import Matcher
from sidecarctl.engine.sidecarset.world import World


def without_replaced(sets: Sequence[SetDrift]) -> list[SetDrift]:
    """The SidecarSets without changes of containers that are as another SidecarSet of the pod has them."""
    names = Counter(name for item in sets if item.status for name in item.status.target.names)
    shared = {name for name, number in names.items() if number > 1}
    if not shared:
        return list(sets)
    recorded: dict[PodName, dict[str, PodDrift]] = {}
    for item in sets:
        for pod in item.pods:
            if pod.hash:
                recorded.setdefault(pod.pod, {})[item.name] = pod
    owned = {item.name: item.status.target.names & shared for item in sets if item.status}
    return [
        item._replace(pods=[_of_pod(pod, _others(pod, item.name, recorded, owned)) for pod in item.pods])
        for item in sets
    ]


def _others(
    pod: PodDrift, name: str, recorded: Mapping[PodName, Mapping[str, PodDrift]], owned: Mapping[str, frozenset[str]]
) -> frozenset[str]:
    """The containers of the pod that are as another SidecarSet has them."""
    others = [(other, each) for other, each in recorded.get(pod.pod, {}).items() if other != name]
    return frozenset(
        container for other, each in others for container in owned.get(other, ()) if container not in _changed(each)
    )


def _changed(pod: PodDrift) -> set[str]:
    return {_container(entry.text) for each in pod.drifts for entry in each.fields}


def _container(text: str) -> str:
    """`log` of `spec.containers[log].image`."""
    return text.partition("[")[2].partition("]")[0]


def _of_pod(pod: PodDrift, others: frozenset[str]) -> PodDrift:
    if pod.state is DriftState.IN_SYNC or not others:
        return pod
    return pod._replace(drifts=tuple(_kept(pod.drifts, others)) or (Drift(DriftState.IN_SYNC),))


def _kept(drifts: Iterable[Drift], others: frozenset[str]) -> Iterable[Drift]:
    for each in drifts:
        fields = tuple(entry for entry in each.fields if _container(entry.text) not in others)
        if fields or not each.fields:
            yield each._replace(fields=fields)


def orphans(
    pods: Sequence[SimulatedPod],
    world: World,
    looked_at: Collection[str],
    only: Collection[str] = (),
    gates: frozenset[str] = frozenset(),
) -> Iterator[tuple[str, PodDrift]]:
    """The orphans by the name of the SidecarSet that they record; `looked_at`: the SidecarSets with a status.

    `only`: the names that are asked about, none for all.
    """
    matchers = {item.name: Matcher(item, world.namespaces) for item in world.sidecarsets}
    recreation = Recreation(world, gates)
    for pod, name, matcher in recorded_elsewhere(pods, matchers):
        if name in looked_at or name in only or not (matcher or only):
            yield name, _orphan(pod, name, _unselected(pod, matcher, recreation.of_orphan(pod, name)))
    if only:
        return
    unowned = _Unowned(frozenset().union(*map(containers_of, world.sidecarsets)))
    for pod in pods:
        if pod.active and MIRROR not in pod.annotations and (names := unowned.of(pod, recorded_sets(pod))):
            why = f"{', '.join(names)} was injected, but no record of the pod says by which SidecarSet"
            yield NO_SET, _orphan(pod, NO_SET, Drift(DriftState.ORPHAN, why))


def _unselected(pod: SimulatedPod, matcher: Matcher | None, advice: str) -> Drift:
    namespace = pod.name.namespace
    if matcher and matcher.lacks_labels_of(namespace):
        why = f"the labels of namespace {namespace} are not known, so the SidecarSet may select it or not"
        return Drift(DriftState.UNKNOWN, f"{why}: add the Namespace to the inputs")
    why = "the SidecarSet no longer selects it" if matcher else "there is no SidecarSet of this name"
    remedy = f"{of_the_pod(advice)} to remove its sidecars" if advice == RECREATE else advice
    return Drift(DriftState.ORPHAN, f"{why}: {remedy}")


def _orphan(pod: SimulatedPod, name: str, drift: Drift) -> PodDrift:
    entry = pod.hashes.entries.get(name) or HashEntry()
    return PodDrift(
        pod.name,
        (drift,),
        pod.records.hashes.recorded(name),
        entry.controller_revision,
        since=entry.update_timestamp,
        runs={item: pod.images[item] for item in entry.sidecar_list or () if item in pod.images},
    )


class _Unowned:
    """Injected containers that no SidecarSet and no record has; equal pods are searched once."""

    def __init__(self, containers: frozenset[str]) -> None:
        self._containers = containers
        self._injected: dict[int, tuple[str, ...]] = {}

    def of(self, pod: SimulatedPod, recorded: Iterable[str]) -> list[str]:
        """Their names in a pod."""
        containers = (pod.manifest.get("spec") or {}).get("containers") or ()
        key = id(containers)
        if key not in self._injected:
            found = (item["name"] for item in containers if item and is_injected(item))
            self._injected[key] = tuple(name for name in found if name not in self._containers)
        names = self._injected[key]
        return [name for name in names if not _is_recorded(name, pod, recorded)] if names else []


def _is_recorded(name: str, pod: SimulatedPod, recorded: Iterable[str]) -> bool:
    """Whether a record of the pod has a container, or may have: not every record lists its containers."""
    entries = pod.records.hashes.entries
    lists = [(entries.get(item) or HashEntry()).sidecar_list for item in recorded]
    halves = {name, name.removesuffix("-1"), name.removesuffix("-2")}
    return any(items is None or halves & set(items) for items in lists)
