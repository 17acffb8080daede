"""The spec of a PodUnavailableBudget, the pods that it covers, and how many its workloads should have.

Source: docs/behavior/pod-unavailable-budget.md, "Which PUB a pod has", "The numbers".
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.workloads import WITHOUT_SCALE, invented_uid
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.sidecarset.budget_spec import COUNTED, BudgetSpec, group_of
from sidecarctl.engine.sidecarset.sets import DEFAULT_NAMESPACE


class Owner(NamedTuple):
    """The owner that a reference of an object names."""

    api_version: str
    kind: str
    name: str
    uid: str
    is_controller: bool


class Workload(NamedTuple):
    """A workload: its uid, the number of pods that it should have (None: it has no size), and its own controller."""

    uid: str
    replicas: int | None
    controller: Owner | None
    is_deleted: bool


_Key = tuple[str, str, str, str]
"""Namespace, group, kind, name."""


class Workloads:
    """The workloads among the inputs, as far as budgets count them."""

    def __init__(self, manifests: Iterable[Object] = ()) -> None:
        self._known: dict[_Key, Workload] = {}
        for manifest in manifests:
            metadata = manifest.get("metadata") or {}
            key = (
                metadata.get("namespace") or DEFAULT_NAMESPACE,
                group_of(manifest.get("apiVersion")),
                manifest.get("kind") or "",
                metadata.get("name") or "",
            )
            self._known[key] = Workload(
                metadata.get("uid") or invented_uid(key[2], key[3]),
                _size(manifest),
                controller_of(metadata),
                bool(metadata.get("deletionTimestamp")),
            )

    def find(self, namespace: str, group: str, kind: str, name: str) -> Workload | None:
        """The workload, unless it does not exist or is being deleted."""
        found = self._known.get((namespace, group, kind, name))
        return None if found is None or found.is_deleted else found

    def uids_of(self, namespace: str, target: tuple[str, str, str]) -> set[str]:
        """The uids of the owners of a target's pods: of a Deployment its ReplicaSets, or its own if it has none."""
        workload = self.find(namespace, *target)
        if workload is None or workload.replicas == 0:
            return set()
        if target[1] != "Deployment":
            return {workload.uid}
        sets = {
            item.uid
            for (place, _, kind, _), item in self._known.items()
            if place == namespace and kind == "ReplicaSet" and item.controller and item.controller.uid == workload.uid
        }
        return sets or {workload.uid}

    def top(self, namespace: str, owner: Owner) -> tuple[Owner, Workload | None]:
        """The top-level workload of a controller: a ReplicaSet to its Deployment."""
        found = self.find(namespace, group_of(owner.api_version), owner.kind, owner.name)
        if found and found.uid == owner.uid and owner.kind == "ReplicaSet" and found.controller:
            return found.controller, self.find(
                namespace, group_of(found.controller.api_version), found.controller.kind, found.controller.name
            )
        return owner, found


def _size(manifest: Object) -> int | None:
    kind, replicas = manifest.get("kind"), (manifest.get("spec") or {}).get("replicas")
    if kind in WITHOUT_SCALE or (replicas is None and kind not in COUNTED):
        return None
    return 1 if replicas is None else int(replicas)


def owners_of(metadata: Object) -> Iterator[Owner]:
    """The owners of an object."""
    for item in metadata.get("ownerReferences") or ():
        if item:
            version, kind, name, uid = (str(item.get(key) or "") for key in ("apiVersion", "kind", "name", "uid"))
            yield Owner(version, kind, name, uid, bool(item.get("controller")))


def controller_of(metadata: Object) -> Owner | None:
    """The owner that controls an object."""
    return next((owner for owner in owners_of(metadata) if owner.is_controller), None)


class Coverage:
    """The pods that a budget covers, and how many there should be."""

    def __init__(self, spec: BudgetSpec, workloads: Workloads, release: Release = DEFAULT) -> None:
        self.spec = spec
        self._workloads = workloads
        self._release = release
        self._uncounted = -1 if release.budget_counts_down else 0
        has_pods = spec.target and (release.budget_counts_down or spec.target[1] not in WITHOUT_SCALE)
        self._uids = workloads.uids_of(spec.name.namespace, spec.target) if spec.target and has_pods else set()

    def covers(self, pod: SimulatedPod) -> bool:
        """Whether the budget counts a pod."""
        if pod.name.namespace != self.spec.name.namespace or not pod.active:
            return False
        if self.spec.target:
            return any(owner.uid in self._uids for owner in owners_of(pod.manifest.get("metadata") or {}))
        return self.spec.selector is not None and self.spec.selector(pod.labels)

    def is_given_at_creation(self, pod: SimulatedPod) -> bool:
        """Whether a pod gets the name of the budget when it is created; a target counts if it is the top workload."""
        if pod.name.namespace != self.spec.name.namespace:
            return False
        owner = controller_of(pod.manifest.get("metadata") or {})
        top, found = self._workloads.top(pod.name.namespace, owner) if owner else (None, None)
        if self.spec.target:
            return top is not None and (group_of(top.api_version), top.kind, top.name) == self.spec.target
        if not self._release.budget_of_any_pod and (top is None or (found and found.replicas is None)):
            return False
        return self.spec.selector is not None and self.spec.selector(pod.labels)

    def total(self, pods: Sequence[SimulatedPod]) -> int:
        """How many pods the workloads of the covered pods should have; -1 for one without a size."""
        if self.spec.total is not None and self._release.budget_total == "always":
            return self.spec.total
        counted = self._counted(pods)
        stands_in = self.spec.total is not None and self.spec.target is None and counted == 0
        return self.spec.total or 0 if stands_in else counted

    def _counted(self, pods: Sequence[SimulatedPod]) -> int:
        namespace = self.spec.name.namespace
        if self.spec.target:
            return self._sized(self._workloads.find(namespace, *self.spec.target))
        return sum(self._sized(found, owner.uid) for owner, found in self._tops(pods))

    def knows_total(self, pods: Sequence[SimulatedPod]) -> bool:
        """Whether every workload that counts is among the inputs, so that the total is not too small."""
        if self.spec.total is not None and self._release.budget_total == "always":
            return True
        if self.spec.target:
            return self._workloads.find(self.spec.name.namespace, *self.spec.target) is not None
        return all(found is not None for _, found in self._tops(pods))

    def _tops(self, pods: Iterable[SimulatedPod]) -> set[tuple[Owner, Workload | None]]:
        """The workloads of pods, each once."""
        owners = {controller_of(pod.manifest.get("metadata") or {}) for pod in pods}
        return {self._workloads.top(self.spec.name.namespace, owner) for owner in owners if owner}

    def _sized(self, found: Workload | None, uid: str = "") -> int:
        if found is None:
            return 0
        if found.replicas is None or (uid and found.uid != uid):
            return self._uncounted
        return found.replicas
