"""Two SidecarSets with a container of one name: in a pod with both, one of them has replaced the other's."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from sidecarctl.operations.drifting.drifts import Drift, DriftState, PodDrift, SetDrift
from sidecarctl.rollout.simulated_pods import PodName


def without_replaced(sets: Sequence[SetDrift]) -> list[SetDrift]:
    """The same without changes of containers that are as another SidecarSet of the pod has them."""
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
