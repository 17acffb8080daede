"""Pods that are alike are evaluated once: those of a workload mostly are, and a rollout has very many of them."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from sidecarctl.rollout.pods.simulated_pods import SimulatedPod

MOST_RESULTS = 1 << 14
"""Results that are kept: where all pods are different, none is of use."""

_Result = TypeVar("_Result")


class Evaluated(Generic[_Result]):
    """What a function finds out about pods, once for those that are alike.

    The function may look at what predicates look at: images, statuses, phase, readiness, records.
    """

    def __init__(self, evaluate: Callable[[SimulatedPod], _Result]) -> None:
        self.evaluate = evaluate
        self.known: dict[Hashable, tuple[_Result, object]] = {}

    def of(self, pod: SimulatedPod) -> _Result:
        """What it finds out about a pod as it is now."""
        likeness = (
            id(pod.records),
            id(pod.images),
            id(pod.init_images),
            id(pod.statuses),
            pod.container_count,
            pod.status_count,
            pod.phase,
            pod.ready,
        )
        known = self.known.get(likeness)
        if known is None:
            if len(self.known) >= MOST_RESULTS:
                self.known.clear()
            # What is shared is kept, so that nothing else can get its identities.
            shared = (pod.records, pod.images, pod.init_images, pod.statuses)
            known = self.known[likeness] = self.evaluate(pod), shared
        return known[0]
