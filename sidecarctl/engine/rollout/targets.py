"""The target of a rollout, a SidecarSet with everything that pods are compared with, and the pods that take part.

Source: docs/behavior/rollout.md, "The pods of a set".
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.new_pods import RECREATE
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.rollout.simulated_pods import MIRROR, PodName, SimulatedPod
from sidecarctl.engine.sidecarset.pod_annotations import (
    INJECTED_LIST,
    WORKING_CONTAINERS,
    HashEntry,
    injected_sets,
    read_working_containers,
)
from sidecarctl.engine.sidecarset.sets import (
    Matcher,
    SidecarSet,
    is_hot,
    is_left_alone,
    names_in_pods,
    pair_names,
    sidecar_list,
)


class SidecarContainer(NamedTuple):
    """A container of the SidecarSet; `empty_image` is that of the idle half of a HotUpgrade container."""

    name: str
    image: str
    hot: bool
    empty_image: str

    @property
    def halves(self) -> tuple[str, str]:
        """The names of the two halves of a HotUpgrade container in the pod."""
        return pair_names(self.name)


class Target(NamedTuple):
    """A SidecarSet as a rollout needs it.

    `names` are those of its containers in the pods; `hash_entry` is what an update at the time `now`
    (RFC 3339, None for no time) records; `canaries` are the names of its canaries. `raises_versions`: a hot upgrade
    never writes a version below those that the pod records, though Kruise would write an older `resource_version`.

    `only`: the pods that may be updated, None for all. `rolls_back`: the hash that a rollback takes back; else empty.
    """

    name: str
    hash: str
    hash_without_image: str
    now: str | None
    hash_entry: HashEntry
    resource_version: str
    containers: tuple[SidecarContainer, ...]
    hot: tuple[SidecarContainer, ...]
    names: frozenset[str]
    metadata_patches: tuple[Object, ...]
    sidecar_set: SidecarSet
    canaries: tuple[str, ...] = ()
    raises_versions: bool = False
    only: Callable[[SimulatedPod], bool] | None = None
    rolls_back: str = ""
    why_absent: Callable[[SimulatedPod], tuple[Reason, str]] | None = None
    """Why a selected pod was never injected, if known."""
    recreation: Callable[[SimulatedPod], str] = lambda _: RECREATE
    """The advice on recreating a pod: `recreate it`, or why a new one does not get the current version."""

    @property
    def release(self) -> Release:
        """The Kruise that does it."""
        return self.sidecar_set.release

    @property
    def strategy(self) -> Object:
        """The set's updateStrategy."""
        return self.sidecar_set.spec.get("updateStrategy") or {}


def target_of(
    sidecar_set: SidecarSet,
    revision: str,
    *,
    now: str | None = None,
    resource_version: str = "",
    canaries: tuple[str, ...] = (),
) -> Target:
    """The target of a SidecarSet.

    `revision` is the name of its ControllerRevision, `now` the time to record (RFC 3339, None for no time);
    `resource_version` replaces an absent metadata.resourceVersion, which a hot upgrade writes on pods.
    """
    spec = sidecar_set.spec
    containers = tuple(_container(item) for item in spec.get("containers") or ())
    recorded = sidecar_list(spec, every=sidecar_set.release.lists_plain_init_containers)
    return Target(
        name=sidecar_set.name,
        hash=sidecar_set.hash,
        hash_without_image=sidecar_set.hash_without_image,
        now=now,
        hash_entry=HashEntry(now, sidecar_set.hash, sidecar_set.name, recorded, revision),
        resource_version=sidecar_set.metadata.get("resourceVersion") or resource_version,
        containers=containers,
        hot=tuple(container for container in containers if container.hot),
        names=frozenset(name for item in spec.get("containers") or () for name in names_in_pods(item)),
        metadata_patches=tuple(spec.get("patchPodMetadata") or ()),
        sidecar_set=sidecar_set,
        canaries=canaries,
    )


def _container(item: Object) -> SidecarContainer:
    strategy = item.get("upgradeStrategy") or {}
    return SidecarContainer(
        name=item.get("name") or "",
        image=item.get("image") or "",
        hot=is_hot(item),
        empty_image=strategy.get("hotUpgradeEmptyImage") or "",
    )


NamespaceLabels = Mapping[str, Labels]
"""The labels of each known Namespace."""


class LeftOut(NamedTuple):
    """A pod that the SidecarSet selects, but that takes no part in its rollout."""

    pod_index: int
    pod: PodName
    reason: Reason
    message: str


class Membership(NamedTuple):
    """The pods of a SidecarSet in pod order, and those left out; `asked` counts all pods considered.

    `doubtful`: pods that it may select or not: the labels of their namespaces decide, and are not known. Those that
    it selects without any labels are members too.
    """

    pods: list[SimulatedPod]
    left_out: list[LeftOut]
    asked: int
    doubtful: tuple[PodName, ...] = ()


def doubtful_pods(matcher: Matcher, pods: Iterable[tuple[PodName, Labels]]) -> tuple[PodName, ...]:
    """Those of some pods, with their labels, that a SidecarSet may match: unknown labels of namespaces decide."""
    return tuple(name for name, labels in pods if matcher.may_match(name.namespace, labels))


def membership_of(target: Target, pods: Iterable[SimulatedPod], namespaces: NamespaceLabels) -> Membership:
    """Divide the pods that a SidecarSet selects into those of its rollout and those left out.

    Raises ImpossibleError (MalformedSelector) for a selector that cannot be evaluated.
    """
    members: list[SimulatedPod] = []
    left_out: list[LeftOut] = []
    doubtful: list[PodName] = []
    matcher = Matcher(target.sidecar_set, namespaces)
    asked = 0
    for pod in pods:
        asked += 1
        if pod.active and matcher.may_match(pod.name.namespace, pod.labels):
            doubtful.append(pod.name)
        if matcher.mismatch(pod.name.namespace, pod.labels):
            continue
        refusal = _refusal(target, pod)
        if refusal is None:
            members.append(pod)
        else:
            left_out.append(LeftOut(pod.index, pod.name, *refusal))
    if _is_namespaced(target):
        members.sort(key=lambda pod: pod.name.namespace)
    return Membership(members, left_out, asked, tuple(doubtful))


def is_member(target: Target, matcher: Matcher, pod: SimulatedPod) -> bool:
    """Whether a pod takes part in the rollout; `matcher` is that of the SidecarSet. Raises as `membership_of`."""
    return matcher.mismatch(pod.name.namespace, pod.labels) is None and _refusal(target, pod) is None


def _is_namespaced(target: Target) -> bool:
    spec = target.sidecar_set.spec
    return bool(spec.get("namespace")) or spec.get("namespaceSelector") is not None


def _refusal(target: Target, pod: SimulatedPod) -> tuple[Reason, str] | None:
    if is_left_alone(pod.name.namespace, target.release):
        return Reason.SYSTEM_NAMESPACE, f"{target.release.behavior} skips the namespace {pod.name.namespace}"
    if not pod.active:
        return Reason.POD_NOT_ACTIVE, "it has ended, or is being deleted"
    injected = injected_sets(pod.annotations.get(INJECTED_LIST))
    if target.name not in injected:
        if MIRROR in pod.annotations:
            return Reason.STATIC_POD, "it is the mirror of a static pod: the kubelet never runs what is added to it"
        if canary := next((item for item in target.canaries if item in injected), ""):
            return Reason.INJECTED_BY_CANARY, f"injected by the canary {canary}, whose rollout it is part of"
        known = target.why_absent
        return (
            known(pod)
            if known
            else (Reason.NEVER_INJECTED, "older than the SidecarSet, or the webhook was down: recreate it")
        )
    for container in target.containers:
        if container.hot and _is_unreadable(pod.annotations.get(WORKING_CONTAINERS)):
            message = f"{WORKING_CONTAINERS} is malformed: the working half of sidecar {container.name} is unknown"
            return Reason.ANNOTATION_UNREADABLE, message
        if missing := _missing_part(container.name, container.halves if container.hot else None, pod):
            return Reason.SIDECAR_MISSING, f"{missing} is missing"
    return None


def _is_unreadable(working: str | None) -> bool:
    """Whether the annotation is present but does not record working containers."""
    return bool(working) and not read_working_containers(working) and working != "{}"


def _missing_part(name: str, halves: tuple[str, str] | None, pod: SimulatedPod) -> str:
    if halves and name not in pod.working_containers:
        return f"the working container of sidecar {name}"
    for part in halves or (name,):
        if part not in pod.images and part not in pod.init_images:
            return f"sidecar {part}"
    return ""
