"""The SidecarSets that a pod records, and the containers that they may have brought."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from sidecarctl.engine.rollout.simulated_pods import MIRROR, SimulatedPod
from sidecarctl.engine.sidecarset.pod_annotations import INJECTED_LIST, injected_sets
from sidecarctl.engine.sidecarset.sets import Matcher, SidecarSet, names_in_pods

NO_SET = ""
"""The name for sidecars that no record names."""


def containers_of(sidecarset: SidecarSet) -> frozenset[str]:
    """The names that its containers may have in pods."""
    spec = sidecarset.spec
    every = (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
    return frozenset(name for item in every for name in (item.get("name") or "", *names_in_pods(item)))


def recorded_sets(pod: SimulatedPod) -> tuple[str, ...]:
    """The SidecarSets that a pod names in any of its records."""
    hashes = pod.records.hashes
    return _names(pod.annotations.get(INJECTED_LIST), (*hashes.entries, *hashes.strings))


def recorded_elsewhere(
    pods: Iterable[SimulatedPod], matchers: Mapping[str, Matcher]
) -> Iterator[tuple[SimulatedPod, str, Matcher | None]]:
    """Each SidecarSet that a pod records and that does not select it; None for one of which no matcher is given."""
    for pod in pods:
        if not pod.active or MIRROR in pod.annotations:
            continue
        for name in recorded_sets(pod):
            matcher = matchers.get(name)
            if matcher is None or matcher.mismatch(pod.name.namespace, pod.labels):
                yield pod, name, matcher


@lru_cache(maxsize=4096)  # the pods of a workload share them
def _names(injected: str | None, hashed: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (*injected_sets(injected), *hashed))))
