"""Explanations as a tree of sentences, for text and for Markdown."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import path_text
from sidecarctl.facts.values import Value
from sidecarctl.injection.explaining import ContainerPlace, InjectedSidecar
from sidecarctl.operations.explain import Group
from sidecarctl.operations.explaining.explanations import PodExplanation, RolloutState, SetExplanation, Test

if TYPE_CHECKING:
    from sidecarctl.sidecarset.resources.resources_policy import Computation

_NAMED = 5
_LONG = 60
_FIELDS = ("initContainers", "containers")
_OUTCOMES = {
    "Injected": "sidecars are injected",
    "NotInjected": "nothing is injected",
    "Rejected": "Kruise rejects the pod",
}


class Node(NamedTuple):
    """A sentence, and what it is made of; `mark` is a word before it: `yes`, `NO`, or empty."""

    text: str
    children: "Sequence[Node]" = ()
    mark: str = ""


def pod_node(pod: PodExplanation) -> Node:
    """A pod: its SidecarSets in the order in which they are injected, then its containers."""
    place = pod.subject.place_of_object
    where = f" ({place})" if place and place.file else ""
    children = [*map(_rejection, pod.rejected), *map(_set_node, pod.sets)]
    children += _order(pod.containers.order) if pod.containers.sidecars else []
    if pod.containers.annotations:
        children.append(Node(f"annotations from patchPodMetadata: {', '.join(pod.containers.annotations)}"))
    return Node(f"{pod.subject.name}: {_OUTCOMES[pod.outcome]}{where}", children)


def group_node(group: Group, *, all_pods: bool) -> Node:
    """Pods at which a SidecarSet fares alike, with the explanation of the first."""
    named = group.pods if all_pods else group.pods[:_NAMED]
    more = len(group.pods) - len(named)
    count = f"{len(group.pods):,} pod{'' if len(group.pods) == 1 else 's'}"
    state = f", {group.example.rollout.state}" if group.example.rollout else ""
    names = ", ".join(named) + (f" and {more:,} more" if more else "")
    children = _set_node(group.example).children
    return Node(f"{count} {group.outcome}{state}: {names}", children)


def _rejection(finding: Finding) -> Node:
    return Node(f"{finding} [{finding.reason}]", mark="NO")


def _set_node(one: SetExplanation) -> Node:
    revision = f" at revision {one.revision}" if one.decision.is_injected and one.revision else ""
    children = [*map(_test_node, one.tests), *map(_sidecar_node, one.sidecars)]
    if one.rollout is not None:
        children.append(_rollout_node(one.rollout))
    elif one.recorded:
        children.append(Node("the pod records that it was injected"))
    if one.remedy:
        children.append(Node(f"to change that: {one.remedy}"))
    return Node(f"{one.name}: {one.decision.reason}{revision}", children)


def _test_node(one: Test) -> Node:
    mark = {True: "yes", False: "NO", None: "-"}[one.test.passed]
    if one.test.passed is None:
        return Node(str(one.test.name), mark=mark)
    field = path_text(one.test.path)
    value = f" = {_short(one.value)}" if one.value is not None and not isinstance(one.value, dict | list) else ""
    evidence = "  ".join(filter(None, [str(one.place or ""), f"{field}{value}" if one.place else ""]))
    said = one.test.message or "it matches"
    return Node(f"{one.test.name}: {said}" + (f" ({evidence})" if evidence else ""), mark=mark)


def _short(value: Value) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONG else text[:_LONG] + "…"


def _sidecar_node(one: InjectedSidecar) -> Node:
    kind = "native sidecar" if one.is_native else "initContainer" if one.field == "initContainers" else "container"
    side = "before" if one.goes_first else "after"
    said = f"{kind} {one.name} at {one.field}[{one.place}], {side} the pod's own ({path_text(one.path)})"
    children = list(_taken(one))
    if one.replaces_app:
        children.append(Node(f"it takes the place of the pod's own container {one.name}", mark="NO"))
    elif one.replaces:
        children.append(Node("it is there already, and is written anew in its place"))
    return Node(said, children)


def _taken(one: InjectedSidecar) -> Iterator[Node]:
    lists = (
        ("volumes that come with it", one.volumes),
        ("mounts that app containers share with it", one.mounts),
        ("devices that app containers share with it", one.devices),
        ("env taken from the pod", [f"{each.env} of {each.container}" for each in one.transfers]),
    )
    for what, items in lists:
        if items:
            yield Node(f"{what}: {', '.join(items)}")
    yield from map(_computation, one.resources)


def _computation(one: "Computation") -> Node:
    operands = ", ".join(f"{name} {'none' if value is None else value}" for name, value in one.operands.items())
    field = f"{one.kind}.{one.resource}"
    if one.result is None:
        return Node(f"{field} is not set: a target container has none ({operands})")
    return Node(
        f"{field} {one.result} = {one.expression}, with {one.resource} {one.aggregate}: {one.mode} of {operands}"
    )


def _rollout_node(one: RolloutState) -> Node:
    place, number = one.place
    children = [Node(f"place {place} of {number} in the order of those that could be updated")] if place else []
    children += [
        Node(f"{path_text(each.path)}: {_short(each.now)} now, {_short(each.new)} wanted") for each in one.blocked_by
    ]
    if one.remedy:
        children.append(Node(f"to change that: {one.remedy}"))
    return Node(f"rollout: {one.state}" + (f": {one.why}" if one.why else ""), children)


def _order(order: Sequence[ContainerPlace]) -> Iterator[Node]:
    for field in _FIELDS:
        names = [f"{one.name} ({one.set_name})" if one.set_name else one.name for one in order if one.field == field]
        if names:
            yield Node(f"{field} in order: {', '.join(names)}")
