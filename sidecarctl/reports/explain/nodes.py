"""Explanations as a tree of sentences, for text and for Markdown."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import path_text
from sidecarctl.facts.reasons import Reason
from sidecarctl.injection.explaining import ContainerPlace, InjectedSidecar
from sidecarctl.operations.explain import Group
from sidecarctl.operations.explaining.explained import PodExplanation, SetExplanation
from sidecarctl.operations.explaining.rollout_states import RolloutState
from sidecarctl.reports.explain.node import Node, short
from sidecarctl.reports.explain.tests_of_sets import hint_node, test_node, test_nodes, whitelist_node

if TYPE_CHECKING:
    from sidecarctl.sidecarset.resources.resources_policy import Computation

_NAMED = 5
_FIELDS = ("initContainers", "containers")
_OUTCOMES = {
    ("Injected", False): "sidecars are injected",
    ("NotInjected", False): "no sidecars are injected",
    ("Rejected", False): "Kruise would reject the pod",
    ("Injected", True): "running; a new pod like it would get sidecars",
    ("NotInjected", True): "running; a new pod like it would get no sidecars",
    ("Rejected", True): "running; a new pod like it would be rejected",
}
"""The sentence about a pod, by its outcome and whether it runs."""

_NO_NAMESPACE = Node("its manifest names no namespace: that of -n is assumed, or else default")

_ABOUT_REPEATING = (Reason.NOT_IDEMPOTENT, Reason.NOT_REVERSIBLE)
"""Findings for a user who injects and uninjects, not for a user who asks why."""


def pod_node(pod: PodExplanation) -> Node:
    """A pod: its SidecarSets in the order in which they are injected, then its containers."""
    place, runs = pod.pod.place, pod.pod.is_running
    where = f" ({place})" if place and place.file else ""
    children = [_NO_NAMESPACE] if pod.pod.names_no_namespace else []
    children += [*map(_rejection, pod.rejected), *(_set_node(explanation, pod) for explanation in pod.sets)]
    if pod.containers.sidecars:
        shown = [sidecar for explanation in pod.sets for sidecar in explanation.sidecars]
        children += [*_order(pod.containers.order, runs=runs), *_sharing(shown)]
    if pod.containers.annotations:
        children.append(Node(f"annotations from patchPodMetadata: {', '.join(pod.containers.annotations)}"))
    if not runs:
        children += [_remark(finding) for finding in pod.findings if finding.reason not in _ABOUT_REPEATING]
    return Node(f"{pod.pod.name}: {_OUTCOMES[pod.outcome, runs]}{where}", children)


def group_node(group: Group, *, all_pods: bool) -> Node:
    """Pods with the same outcome for a SidecarSet, and the problems of the first of them."""
    named = group.pods if all_pods else group.pods[:_NAMED]
    more = len(group.pods) - len(named)
    count = f"{len(group.pods):,} pod{'' if len(group.pods) == 1 else 's'}"
    names = ", ".join(named) + (f" and {more:,} more" if more else "")
    example = group.example
    failed = [test_node(test) for test in example.tests if test.test.passed is False]
    if len(group.pods) > 1:  # another pod may have another label, and has another place
        failed = [node._replace(text=f"first pod: {node.text}") for node in failed]
    state = example.rollout
    if state and len(group.pods) > 1:
        state = state._replace(place=(0, 0), why_there="")
    rollout = [_rollout_node(state)] if state else []
    children = [*failed, *rollout, *map(hint_node, example.hints), *_remedies(example)]
    return Node(f"{count}, {_standing(example)}: {names}", children)


def _standing(explanation: SetExplanation) -> str:
    """The state of a SidecarSet at a pod, in a word or two."""
    if explanation.rollout is None:
        return str(explanation.decision.reason) + (
            ", though the pod records it as injected" if explanation.recorded else ""
        )
    if explanation.decision.is_injected:
        return explanation.rollout.state
    return f"{explanation.decision.reason}, {explanation.rollout.state}"


def _remedies(explanation: SetExplanation) -> list[Node]:
    return [Node(f"what to change: {explanation.remedy}")] if explanation.remedy else []


def _remark(finding: Finding) -> Node:
    return Node(f"{finding.severity}: {finding} [{finding.reason}]")


def _rejection(finding: Finding) -> Node:
    return Node(f"{finding} [{finding.reason}]", mark="NO")


def _set_node(explanation: SetExplanation, pod: PodExplanation) -> Node:
    runs = pod.pod.is_running
    revision = (
        f" at revision {explanation.revision}" if explanation.decision.is_injected and explanation.revision else ""
    )
    sidecars = [_sidecar_node(sidecar, pod) for sidecar in explanation.sidecars if not (runs and sidecar.replaces)]
    if runs and sidecars:
        sidecars = [Node("a new pod gets", sidecars)]
    rollout = [_rollout_node(explanation.rollout)] if explanation.rollout else []
    patches = [whitelist_node(explanation.whitelist)] if explanation.whitelist else []
    children = [
        *test_nodes(explanation.tests),
        *map(hint_node, explanation.hints),
        *sidecars,
        *patches,
        *rollout,
        *_remedies(explanation),
    ]
    return Node(f"{explanation.name}: {_standing(explanation)}{revision}", children)


def _sidecar_node(sidecar: InjectedSidecar, pod: PodExplanation) -> Node:
    kind = (
        "native sidecar"
        if sidecar.is_native
        else "initContainer"
        if sidecar.field == "initContainers"
        else "container"
    )
    said = f"{kind} {sidecar.name} at {sidecar.field}[{sidecar.place}], {_side(sidecar)} ({path_text(sidecar.path)})"
    children = list(_taken(sidecar))
    if sidecar.replaces_app:
        place = pod.pod.replaced.get((sidecar.field, sidecar.place))
        where = f" ({place})" if place and place.file else ""
        children.append(
            Node(f"it replaces the app container {sidecar.name}, which has the same name{where}", mark="NO")
        )
    elif sidecar.replaces:
        children.append(Node("it exists already, and is rewritten in place"))
    return Node(said, children)


def _side(sidecar: InjectedSidecar) -> str:
    """Whether it goes before or after which containers, and what decides that."""
    if sidecar.replaces:
        return "in the place of the one of its name"
    others = "the app containers" if sidecar.field == "containers" else "the pod's own initContainers"
    side = f"{'before' if sidecar.goes_first else 'after'} {others}"
    if sidecar.policy and not sidecar.heeds_policy:
        return f"{side}: this release does not look at podInjectPolicy there"
    return side


def _taken(sidecar: InjectedSidecar) -> Iterator[Node]:
    lists = (
        ("volumes added with it", sidecar.volumes),
        ("mounts shared by app containers", sidecar.mounts),
        ("devices shared by app containers", sidecar.devices),
        ("env copied from the pod", [f"{each.env} of {each.container}" for each in sidecar.transfers]),
    )
    for what, items in lists:
        if items:
            yield Node(f"{what}: {', '.join(items)}")
    yield from map(_computation, sidecar.resources)


def _computation(computation: "Computation") -> Node:
    operands = ", ".join(
        f"{name} {'none' if value is None else value}" for name, value in computation.operands.items()
    )
    field = f"{computation.kind}.{computation.resource}"
    if computation.result is None:
        return Node(f"{field} is not set: a target container has none ({operands})")
    variable = f"{computation.resource} {computation.aggregate}: {computation.mode} of {operands}"
    return Node(f"{field} {computation.result} = {computation.expression}, with {variable}")


def _rollout_node(state: RolloutState) -> Node:
    place, number = state.place
    there = f": {state.why_there}" if state.why_there else ""
    children = [Node(f"place {place} of {number} in the update order{there}")] if place else []
    children += [
        Node(f"{path_text(each.path)}: {short(each.now)} now, {short(each.new)} wanted") for each in state.blocked_by
    ]
    if state.remedy:
        children.append(Node(f"what to change: {state.remedy}"))
    return Node(f"rollout: {state.state}" + (f": {state.why}" if state.why else ""), children)


def _order(order: Sequence[ContainerPlace], *, runs: bool) -> Iterator[Node]:
    whose = " of a new pod" if runs else ""
    for field in _FIELDS:
        names = [
            f"{container.name} ({container.set_name})" if container.set_name else container.name
            for container in order
            if container.field == field
        ]
        if names:
            by_name = "; injected ones by name" if field == "initContainers" else ""
            yield Node(f"{field}{whose} in start order{by_name}: {', '.join(names)}")


def _sharing(sidecars: Sequence[InjectedSidecar]) -> Iterator[Node]:
    """The direction of sharing, and the sidecars that nothing is shared with."""
    if alone := [sidecar.name for sidecar in sidecars if not sidecar.may_take]:
        yield Node(f"nothing is shared with {', '.join(dict.fromkeys(alone))}: no sharing policy, no transferEnv")
    if len(alone) < len(sidecars):
        yield Node("sharing goes one way: from the app containers to the sidecars, never back")
