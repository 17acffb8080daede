"""How many pods of a set are unavailable now, and how many may be."""

from collections.abc import Collection

from sidecarctl.push.plan.planned import PodKey
from sidecarctl.push.pods.live_pods import LivePod
from sidecarctl.rollout.pods.membership import NamespaceLabels, is_member
from sidecarctl.rollout.pods.predicates import is_consistent, is_ready
from sidecarctl.rollout.pods.targets import Target
from sidecarctl.rollout.round.partition_and_max_unavailable import window_of
from sidecarctl.sidecarset.matching import Matcher


class Budget:
    """The pods of one set, kept up as they change.

    `limit` (a number of pods, or a percentage) may lower the maxUnavailable that the plan has.
    """

    def __init__(self, target: Target, namespaces: NamespaceLabels, limit: int | str | None = None) -> None:
        self._target = target
        self._matcher = Matcher(target.sidecar_set, namespaces)
        self._limit = limit
        self._members: set[PodKey] = set()
        self._down: set[PodKey] = set()

    def see(self, key: PodKey, live: LivePod | None) -> None:
        """Take note of a pod as it is now; None for one that is gone."""
        self._members.discard(key)
        self._down.discard(key)
        if live is None or not is_member(self._target, self._matcher, live.pod):
            return
        self._members.add(key)
        if not (is_consistent(self._target, live.pod) and is_ready(self._target, live.pod)):
            self._down.add(key)

    @property
    def matched(self) -> int:
        """The number of all pods of the set."""
        return len(self._members)

    def is_down(self, key: PodKey) -> bool:
        """Whether a pod of the set is not available."""
        return key in self._down

    def unavailable(self, busy: Collection[PodKey]) -> int:
        """The pods that are not available; those that are being updated count, whatever they look like."""
        return len(self._down) + sum(key in self._members and key not in self._down for key in busy)

    @property
    def allowed(self) -> int:
        """How many pods may be unavailable, of those that there are now."""
        own = self._pods_of(self._target.strategy.get("maxUnavailable"))
        return own if self._limit is None else min(own, self._pods_of(self._limit))

    def _pods_of(self, written: int | str | None) -> int:
        window = window_of({"maxUnavailable": written}, len(self._members), self._target.release)
        return window.max_unavailable_pods
