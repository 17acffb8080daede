"""The budgets of evictions: the pods that they cover, and how many of those may be evicted.

PodDisruptionBudgets, and PodUnavailableBudgets, which Kruise's webhook asks before evictions and deletions.

Source: docs/behavior/pod-unavailable-budget.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.api.label_selectors import UnknownOperatorError, compile_selector
from sidecarctl.engine.api.quantities import scaled
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.predicates import is_running_and_ready
from sidecarctl.engine.rollout.simulated_pods import PodName, SimulatedPod
from sidecarctl.engine.sidecarset.sets import DEFAULT_NAMESPACE
from sidecarctl.engine.sidecarset.world import Located

DISRUPTION, UNAVAILABLE = "PodDisruptionBudget", "PodUnavailableBudget"


class EvictionBudget(NamedTuple):
    """A budget by namespace and name, its limit as written, the pods that it covers, and how many may be evicted.

    `frees_unready`: unready pods may be evicted even if there is no room.
    """

    name: PodName
    limit: str
    covers: frozenset[PodName]
    room: int
    kind: str = DISRUPTION
    frees_unready: bool = False


def drains_wait(budget: EvictionBudget) -> str:
    """`node drains wait`, and which pods go nevertheless."""
    unready = "; unready pods may go (unhealthyPodEvictionPolicy AlwaysAllow)" if budget.frees_unready else ""
    return f"node drains wait{unready}"


def disruption_budgets(budgets: Iterable[Located], pods: Sequence[SimulatedPod]) -> Iterator[EvictionBudget]:
    """The budgets that the API server accepts; one without a selector covers nothing."""
    for located in budgets:
        spec = located.manifest.get("spec")
        spec = spec if isinstance(spec, dict) else {}
        selector = spec.get("selector")
        namespace = located.reference.namespace or DEFAULT_NAMESPACE
        if not isinstance(selector, dict) or check(selector, "meta.LabelSelector"):
            continue  # it selects nothing, or the API server rejects it
        try:
            matches = compile_selector(selector)
        except UnknownOperatorError:
            continue
        covered = [pod for pod in pods if pod.name.namespace == namespace and matches(pod.labels)]
        names = frozenset(pod.name for pod in covered)
        name = PodName(namespace, located.reference.name)
        frees = spec.get("unhealthyPodEvictionPolicy") == "AlwaysAllow"
        yield EvictionBudget(name, _limit(spec), names, _room(spec, covered), frees_unready=frees)


def _limit(spec: Object) -> str:
    return next((f"{key} {spec[key]}" for key in ("maxUnavailable", "minAvailable") if spec.get(key) is not None), "")


def _room(spec: Object, pods: Sequence[SimulatedPod]) -> int:
    """How many more pods may be down; none if the budget has no limit, for which Kubernetes allows no eviction."""
    active = [pod for pod in pods if pod.active]
    ready = sum(map(is_running_and_ready, active))
    most, least = spec.get("maxUnavailable"), spec.get("minAvailable")
    if isinstance(most, int | str):
        return scaled(most, len(active)) - (len(active) - ready)
    return ready - scaled(least, len(active)) if isinstance(least, int | str) else 0
