"""PodDisruptionBudgets, which do not see patches: counted here where that is asked for."""

from collections.abc import Collection, Iterable

from sidecarctl.api.int_or_string import percentage, share
from sidecarctl.api.label_selectors import UnknownOperatorError, compile_selector
from sidecarctl.facts.values import Object
from sidecarctl.push.plan.planned import PodKey
from sidecarctl.push.pods.live_pods import LivePod


class DisruptionBudget:
    """One budget, and the pods that it selects, kept up as they change."""

    def __init__(self, manifest: Object) -> None:
        metadata = manifest["metadata"]
        self.name = f"{metadata['namespace']}/{metadata['name']}"
        self._namespace = metadata["namespace"]
        self._spec = manifest.get("spec") or {}
        self._desired = (manifest.get("status") or {}).get("desiredHealthy")
        selector = self._spec.get("selector")
        try:
            self._selects = compile_selector(selector or {}) if selector is not None else lambda _labels: False
        except UnknownOperatorError:
            self._selects = lambda _labels: True  # in doubt it counts
        self._pods: set[PodKey] = set()
        self._healthy: set[PodKey] = set()

    def selects(self, live: LivePod) -> bool:
        """Whether it counts a pod."""
        return live.pod.name.namespace == self._namespace and live.pod.active and self._selects(live.pod.labels)

    def see(self, key: PodKey, live: LivePod | None) -> None:
        """Take note of a pod as it is now; None for one that is gone."""
        self._pods.discard(key)
        self._healthy.discard(key)
        if live is not None and self.selects(live):
            self._pods.add(key)
            if live.pod.ready:
                self._healthy.add(key)

    def objection(self, key: PodKey, busy: Collection[PodKey]) -> str:
        """Why one more of its pods must not become unavailable; empty where it may. `busy` pods count as down."""
        if key not in self._healthy:
            return ""
        healthy = len(self._healthy - set(busy))
        if healthy - 1 >= self._least:
            return ""
        return f"PodDisruptionBudget {self.name} wants {self._least} healthy pods, and {healthy} are"

    @property
    def _least(self) -> int:
        """The pods that must stay healthy: as the cluster has computed it, or by the pods that there are."""
        if self._desired is not None:
            return int(self._desired)
        matched = len(self._pods)
        if (least := self._spec.get("minAvailable")) is not None:
            return _pods_of(least, matched)
        most = self._spec.get("maxUnavailable")
        return 0 if most is None else matched - _pods_of(most, matched)


def objection_of(budgets: Iterable[DisruptionBudget], key: PodKey, busy: Collection[PodKey]) -> str:
    """The first objection of any of them."""
    return next((why for budget in budgets if (why := budget.objection(key, busy))), "")


def _pods_of(written: int | str, matched: int) -> int:
    return written if isinstance(written, int) else share(percentage(written) or 0, matched, up=True)
