"""Which pods are of a set, and why others are not (docs/behaviour/rollout.md, "The pods of a set")."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from sidecarctl.api.label_selectors import compile_selector, is_empty
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.rollout.pods import PodName, SimulatedPod
from sidecarctl.rollout.targets import Target
from sidecarctl.sidecarset.pod_annotations import INJECTED_LIST, injected_sets

NamespaceLabels = Mapping[str, Mapping[str, str]]
"""Namespace to its labels."""

_NAME_LABEL = "kubernetes.io/metadata.name"


class LeftOut(NamedTuple):
    """A pod that the set selects, but that takes no part in its rollout."""

    index: int
    pod: PodName
    reason: Reason
    message: str


class Membership(NamedTuple):
    """The pods of a set in pod order, and those left out."""

    pods: list[SimulatedPod]
    left_out: list[LeftOut]


def membership_of(
    target: Target, pods: Iterable[SimulatedPod], namespaces: NamespaceLabels
) -> Membership:
    """Sort the pods that a set selects into those of its rollout and those left out."""
    members: list[SimulatedPod] = []
    left_out: list[LeftOut] = []
    for pod in _selected(target, pods, namespaces):
        refusal = _refusal(target, pod)
        if refusal is None:
            members.append(pod)
        else:
            left_out.append(LeftOut(pod.index, pod.name, *refusal))
    if _is_namespaced(target):
        members.sort(key=lambda pod: pod.name.namespace)
    return Membership(members, left_out)


def _selected(
    target: Target, pods: Iterable[SimulatedPod], namespaces: NamespaceLabels
) -> Iterable[SimulatedPod]:
    selector = target.spec.get("selector")
    if is_empty(selector):
        return ()
    matches = compile_selector(selector)
    selects_namespace = _namespace_test(target.spec, namespaces)
    known: dict[str, bool] = {}

    def is_selected(pod: SimulatedPod) -> bool:
        namespace = pod.name.namespace
        if namespace not in known:
            known[namespace] = selects_namespace(namespace)
        return known[namespace] and matches(pod.labels)

    return filter(is_selected, pods)


def _namespace_test(spec: Object, namespaces: NamespaceLabels) -> Callable[[str], bool]:
    if only := spec.get("namespace"):
        return lambda namespace: namespace == only
    selector = spec.get("namespaceSelector")
    if selector is None:
        return lambda _: True
    matches = compile_selector(selector)
    return lambda namespace: matches({_NAME_LABEL: namespace, **namespaces.get(namespace, {})})


def _is_namespaced(target: Target) -> bool:
    return bool(target.spec.get("namespace")) or target.spec.get("namespaceSelector") is not None


def _refusal(target: Target, pod: SimulatedPod) -> tuple[Reason, str] | None:
    if not pod.active:
        return Reason.POD_NOT_ACTIVE, "it has ended, or is being deleted"
    if target.name not in injected_sets(pod.annotations.get(INJECTED_LIST)):
        return Reason.NEVER_INJECTED, "never injected: recreate the pod"
    for container in target.containers:
        if missing := _missing_part(container.name, container.halves if container.hot else None, pod):
            return Reason.SIDECAR_MISSING, f"{missing} is missing"
    return None


def _missing_part(name: str, halves: tuple[str, str] | None, pod: SimulatedPod) -> str:
    if halves and name not in pod.working_containers:
        return f"the working container of sidecar {name}"
    for part in halves or (name,):
        if part not in pod.images and part not in pod.init_images:
            return f"sidecar {part}"
    return ""
