"""How many pods of a SidecarSet are unavailable, and how many may be: by the plan, or by the cluster."""

import json
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from sidecarctl.engine.api.label_selectors import compile_selector
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, value_at
from sidecarctl.engine.plan_file.reading import PodKey
from sidecarctl.engine.rollout.facts import Window
from sidecarctl.engine.rollout.predicates import Eligibility, progress_of
from sidecarctl.engine.rollout.round.window import window_of
from sidecarctl.engine.rollout.targets import NamespaceLabels, Target, is_member
from sidecarctl.engine.sidecarset.sets import Matcher, SidecarSet
from sidecarctl.features.push.pods import LivePod

_BRAKES = (
    ("selector",),
    ("namespace",),
    ("namespaceSelector",),
    ("updateStrategy", "selector"),
    ("updateStrategy", "partition"),
    ("updateStrategy", "maxUnavailable"),
)


def differences(planned: SidecarSet, live: SidecarSet) -> Iterator[str]:
    """Where a SidecarSet in the cluster limits its rollout otherwise than that of the plan."""
    for path in _BRAKES:
        in_plan, in_cluster = (json.dumps(value_at(item.spec, path), sort_keys=True) for item in (planned, live))
        if in_plan != in_cluster:
            yield f"SidecarSet {planned.name}: {'.'.join(path)} is {in_cluster} in the cluster, {in_plan} in the plan"


class PodLimit:
    """The pods that a SidecarSet currently matches, in every namespace.

    `limit` (a number of pods, or a percentage) may lower the maxUnavailable that the plan has. `is_live`: the
    selectors and the strategy are those of the SidecarSet in the cluster.
    """

    def __init__(
        self, target: Target, namespaces: NamespaceLabels, limit: int | str | None = None, *, is_live: bool = False
    ) -> None:
        self.is_live = is_live
        self._target = target
        self._matcher = Matcher(target.sidecar_set, namespaces)
        self._is_selected = compile_selector(target.strategy.get("selector") or {})
        self._limit = limit
        self._members: set[PodKey] = set()
        self._down: set[PodKey] = set()
        self._waiting: set[PodKey] = set()

    def of_cluster(self, sidecar_set: SidecarSet, namespaces: NamespaceLabels) -> "PodLimit | None":
        """The limit that the SidecarSet in the cluster sets on the same rollout; None if it is that of the plan."""
        if not any(differences(self._target.sidecar_set, sidecar_set)):
            return None
        return PodLimit(self._target._replace(sidecar_set=sidecar_set), namespaces, is_live=True)

    def see(self, key: PodKey, live: LivePod | None) -> None:
        """Record the current state of a pod; None if it is gone."""
        for kept in (self._members, self._down, self._waiting):
            kept.discard(key)
        if live is None or not is_member(self._target, self._matcher, live.pod):
            return
        self._members.add(key)
        progress = progress_of(self._target, live.pod, selected=self._is_selected(live.pod.labels))
        if not progress.available:
            self._down.add(key)
        if progress.eligibility is Eligibility.CANDIDATE:
            self._waiting.add(key)

    def see_namespaces(self, namespaces: NamespaceLabels, pods: Mapping[PodKey, LivePod]) -> None:
        """Record the labels of all namespaces as they are now, with all pods that may be in them."""
        self._matcher = Matcher(self._target.sidecar_set, namespaces)
        for key, live in pods.items():
            self.see(key, live)

    def why_left(self, live: LivePod) -> str:
        """Why the SidecarSet does not match a pod; empty if it does."""
        name, namespace = self._target.name, live.pod.name.namespace
        where = " in the cluster" * self.is_live
        match self._matcher.mismatch(namespace, live.pod.labels):
            case None:
                return ""
            case Reason.NAMESPACE_NOT_SELECTED:
                return f"SidecarSet {name}{where} does not match its namespace"
        return f"the selector of SidecarSet {name}{where} does not match its labels"

    def not_selected(self, live: LivePod) -> str:
        """Why the strategy does not let the pod be updated; empty if it does."""
        if self._is_selected(live.pod.labels):
            return ""
        where = " in the cluster" * self.is_live
        return f"the selector of updateStrategy{where} does not match {'/'.join(live.key)}"

    @property
    def members(self) -> AbstractSet[PodKey]:
        """The pods that it matches."""
        return self._members

    @property
    def waiting(self) -> AbstractSet[PodKey]:
        """The pods that Kruise would update."""
        return self._waiting

    def is_down(self, key: PodKey) -> bool:
        """Whether a pod of the set is not available."""
        return key in self._down

    def unavailable(self, busy: AbstractSet[PodKey]) -> set[PodKey]:
        """The pods that are not available; those that are being updated count, whatever they look like."""
        return self._down | (self._members & busy)

    @property
    def allowed(self) -> int:
        """How many pods may be unavailable, of those that there are now."""
        strategies = [self._target.strategy]
        if self._limit is not None:
            strategies.append({"maxUnavailable": self._limit})
        return min(self._window(strategy).max_unavailable_pods for strategy in strategies)

    @property
    def source(self) -> str:
        """The field that sets the limit, where that is one in the cluster."""
        written = self._window(self._target.strategy).max_unavailable
        return f"maxUnavailable is {written} in the cluster: " if self.is_live else ""

    def held_back(self, busy: AbstractSet[PodKey]) -> str:
        """Why the partition holds back every waiting pod; empty if one more may be updated."""
        window = self._window(self._target.strategy)
        if not window.partition_pods:
            return ""
        waiting = len(self._waiting - busy)
        if waiting > window.partition_pods:
            return ""
        where = " in the cluster" * self.is_live
        return (
            f"its partition {window.partition}{where} holds back {window.partition_pods} of "
            f"{len(self._members)} pods, and {waiting} still wait{'s' * (waiting == 1)}"
        )

    def _window(self, strategy: Object) -> Window:
        return window_of(strategy, len(self._members), self._target.release)
