"""A PodDisruptionBudget while a push runs: the pods that it selects now, and whether one more may be down."""

from collections.abc import Set as AbstractSet

from sidecarctl.engine.api.label_selectors import UnknownOperatorError, compile_selector
from sidecarctl.engine.api.quantities import scaled
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.plan_file.reading import PodKey
from sidecarctl.features.push.pods import LivePod


class WatchedBudget:
    """One budget, and the pods that it currently selects."""

    def __init__(self, manifest: Object) -> None:
        metadata = manifest["metadata"]
        self.name = f"{metadata['namespace']}/{metadata['name']}"
        self._namespace = metadata["namespace"]
        self._spec = manifest.get("spec") or {}
        status = manifest.get("status") or {}
        is_current = status.get("observedGeneration") == metadata.get(
            "generation"
        )  # else the status is of an earlier spec, or empty
        self._desired = status.get("desiredHealthy") if is_current else None
        selector = self._spec.get("selector")
        try:
            self._selects = compile_selector(selector or {}) if selector is not None else lambda _labels: False
        except UnknownOperatorError:
            self._selects = lambda _labels: True  # when in doubt, it counts
        self._pods: set[PodKey] = set()
        self._healthy: set[PodKey] = set()

    def selects(self, live: LivePod) -> bool:
        """Whether it counts a pod."""
        return live.pod.name.namespace == self._namespace and live.pod.active and self._selects(live.pod.labels)

    def see(self, key: PodKey, live: LivePod | None) -> None:
        """Record the current state of a pod; None if it is gone."""
        self._pods.discard(key)
        self._healthy.discard(key)
        if live is not None and self.selects(live):
            self._pods.add(key)
            if live.pod.ready:
                self._healthy.add(key)

    def objection(self, key: PodKey, busy: AbstractSet[PodKey]) -> str:
        """Why no more of its pods may become unavailable; empty if one may. `busy` pods count as down."""
        if key not in self._healthy:
            return ""
        healthy = len(self._healthy - busy)
        if healthy - 1 >= self._least:
            return ""
        return f"PodDisruptionBudget {self.name} needs {self._least} healthy pods, and {healthy} are"

    @property
    def _least(self) -> int:
        """The number of pods that must stay healthy: as computed by the cluster, or from the current pods."""
        if self._desired is not None:
            return int(self._desired)
        matched = len(self._pods)
        if (least := self._spec.get("minAvailable")) is not None:
            return scaled(least, matched)
        most = self._spec.get("maxUnavailable")
        return 0 if most is None else matched - scaled(most, matched)
