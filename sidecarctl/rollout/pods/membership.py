"""Which pods are of a set, and why others are not (docs/behaviour/rollout.md, "The pods of a set")."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sidecarctl.api.label_selectors import Labels
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
"""The labels of each Namespace that a manifest is known of."""


class LeftOut(NamedTuple):
    """A pod that the set selects, but that takes no part in its rollout."""

    pod_index: int
    pod: PodName
    reason: Reason
    message: str


class Membership(NamedTuple):
    """The pods of a set in pod order, and those left out; `asked` counts all pods that it was chosen from."""

    pods: list[SimulatedPod]
    left_out: list[LeftOut]
    asked: int


def membership_of(target: Target, pods: Iterable[SimulatedPod], namespaces: NamespaceLabels) -> Membership:
    """Sort the pods that a set selects into those of its rollout and those left out.

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


def _is_namespaced(target: Target) -> bool:
    spec = target.sidecar_set.spec
    return bool(spec.get("namespace")) or spec.get("namespaceSelector") is not None


def _refusal(target: Target, pod: SimulatedPod) -> tuple[Reason, str] | None:
    if is_left_alone(pod.name.namespace, target.release):
        return Reason.SYSTEM_NAMESPACE, f"{target.release.behaviour} passes over the namespace {pod.name.namespace}"
    if not pod.active:
        return Reason.POD_NOT_ACTIVE, "it has ended, or is being deleted"
    if target.name not in injected_sets(pod.annotations.get(INJECTED_LIST)):
        return Reason.NEVER_INJECTED, "never injected: recreate the pod"
    for container in target.containers:
        if container.hot and _is_unreadable(pod.annotations.get(WORKING_CONTAINERS)):
            message = (
                f"{WORKING_CONTAINERS} cannot be read: which half of sidecar {container.name} works is not known"
            )
            return Reason.ANNOTATION_UNREADABLE, message
        if missing := _missing_part(container.name, container.halves if container.hot else None, pod):
            return Reason.SIDECAR_MISSING, f"{missing} is missing"
    return None


def _is_unreadable(working: str | None) -> bool:
    """Whether the annotation holds something, but no record of working containers."""
    return bool(working) and not read_working_containers(working) and working != "{}"


def _missing_part(name: str, halves: tuple[str, str] | None, pod: SimulatedPod) -> str:
    if halves and name not in pod.working_containers:
        return f"the working container of sidecar {name}"
    for part in halves or (name,):
        if part not in pod.images and part not in pod.init_images:
            return f"sidecar {part}"
    return ""
