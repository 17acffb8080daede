"""Which pods take part in a rollout, and why others do not (docs/behaviour/rollout.md, "The pods of a set")."""

from collections.abc import Iterable, Mapping

from sidecarctl.api.label_selectors import Labels
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.rollout.pods.simulated_pods import PodName, SimulatedPod
from sidecarctl.rollout.pods.targets import Target
from sidecarctl.sidecarset.annotations.pod_annotations import (
    INJECTED_LIST,
    WORKING_CONTAINERS,
    injected_sets,
    read_working_containers,
)
from sidecarctl.sidecarset.matching import Matcher, is_left_alone

NamespaceLabels = Mapping[str, Labels]
"""The labels of each known Namespace."""


class LeftOut(NamedTuple):
    """A pod that the SidecarSet selects, but that takes no part in its rollout."""

    pod_index: int
    pod: PodName
    reason: Reason
    message: str


class Membership(NamedTuple):
    """The pods of a SidecarSet in pod order, and those left out; `asked` counts all pods considered."""

    pods: list[SimulatedPod]
    left_out: list[LeftOut]
    asked: int


def membership_of(target: Target, pods: Iterable[SimulatedPod], namespaces: NamespaceLabels) -> Membership:
    """Divide the pods that a SidecarSet selects into those of its rollout and those left out.

    Raises ImpossibleError (MalformedSelector) for a selector that cannot be evaluated.
    """
    members: list[SimulatedPod] = []
    left_out: list[LeftOut] = []
    matcher = Matcher(target.sidecar_set, namespaces)
    asked = 0
    for pod in pods:
        asked += 1
        if matcher.mismatch(pod.name.namespace, pod.labels):
            continue
        refusal = _refusal(target, pod)
        if refusal is None:
            members.append(pod)
        else:
            left_out.append(LeftOut(pod.index, pod.name, *refusal))
    if _is_namespaced(target):
        members.sort(key=lambda pod: pod.name.namespace)
    return Membership(members, left_out, asked)


def is_member(target: Target, matcher: Matcher, pod: SimulatedPod) -> bool:
    """Whether a pod takes part in the rollout; `matcher` is that of the SidecarSet. Raises as `membership_of`."""
    return matcher.mismatch(pod.name.namespace, pod.labels) is None and _refusal(target, pod) is None


def _is_namespaced(target: Target) -> bool:
    spec = target.sidecar_set.spec
    return bool(spec.get("namespace")) or spec.get("namespaceSelector") is not None


def _refusal(target: Target, pod: SimulatedPod) -> tuple[Reason, str] | None:
    if is_left_alone(pod.name.namespace, target.release):
        return Reason.SYSTEM_NAMESPACE, f"{target.release.behaviour} skips the namespace {pod.name.namespace}"
    if not pod.active:
        return Reason.POD_NOT_ACTIVE, "it has ended, or is being deleted"
    injected = injected_sets(pod.annotations.get(INJECTED_LIST))
    if target.name not in injected:
        if canary := next((item for item in target.canaries if item in injected), ""):
            return Reason.INJECTED_BY_CANARY, f"injected by the canary {canary}, whose rollout it is part of"
        return Reason.NEVER_INJECTED, "never injected: recreate the pod"
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
