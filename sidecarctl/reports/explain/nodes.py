"""Explanations as a tree of sentences, for text and for Markdown."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import path_text
from sidecarctl.facts.reasons import Reason
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
    ("Injected", False): "sidecars are injected",
    ("NotInjected", False): "no sidecars are injected",
    ("Rejected", False): "Kruise would reject the pod",
    ("Injected", True): "running; a new pod like it would get sidecars",
    ("NotInjected", True): "running; a new pod like it would get no sidecars",
    ("Rejected", True): "running; a new pod like it would be rejected",
}
"""What is said of a pod by its outcome, and whether it runs."""

_ABOUT_REPEATING = (Reason.NOT_IDEMPOTENT, Reason.NOT_REVERSIBLE)
"""What matters to who injects and takes out, not to who asks why."""


class Node(NamedTuple):
    """A sentence, and what it is made of; `mark` is a word before it: `yes`, `NO`, or empty."""

    text: str
    children: "Sequence[Node]" = ()
    mark: str = ""


def pod_node(pod: PodExplanation) -> Node:
    """A pod: its SidecarSets in the order in which they are injected, then its containers."""
    place, runs = pod.subject.place_of_object, pod.subject.is_running
    where = f" ({place})" if place and place.file else ""
    children = [*map(_rejection, pod.rejected), *(_set_node(one, runs=runs) for one in pod.sets)]
    children += _order(pod.containers.order, runs=runs) if pod.containers.sidecars else []
    if pod.containers.annotations:
        children.append(Node(f"annotations from patchPodMetadata: {', '.join(pod.containers.annotations)}"))
    if not runs:
        children += [_remark(one) for one in pod.findings if one.reason not in _ABOUT_REPEATING]
    return Node(f"{pod.subject.name}: {_OUTCOMES[pod.outcome, runs]}{where}", children)


def group_node(group: Group, *, all_pods: bool) -> Node:
    """Pods at which a SidecarSet fares alike, with what is not as it should be at the first."""
    named = group.pods if all_pods else group.pods[:_NAMED]
    more = len(group.pods) - len(named)
    count = f"{len(group.pods):,} pod{'' if len(group.pods) == 1 else 's'}"
    names = ", ".join(named) + (f" and {more:,} more" if more else "")
    example = group.example
    failed = [_test_node(one) for one in example.tests if one.test.passed is False]
    if len(group.pods) > 1:  # another pod may have another label, and has another place
        failed = [one._replace(text=f"first pod: {one.text}") for one in failed]
    state = example.rollout if len(group.pods) == 1 else example.rollout and example.rollout._replace(place=(0, 0))
    rollout = [_rollout_node(state)] if state else []
    return Node(f"{count}, {_standing(example)}: {names}", [*failed, *rollout, *_remedies(example)])


def _standing(one: SetExplanation) -> str:
    """In a word or two, how a SidecarSet stands to a pod."""
    if one.rollout is None:
        return str(one.decision.reason) + (", though the pod records it as injected" if one.recorded else "")
    if one.decision.is_injected:
        return one.rollout.state
    return f"{one.decision.reason}, {one.rollout.state}"


def _remedies(one: SetExplanation) -> list[Node]:
    return [Node(f"what to change: {one.remedy}")] if one.remedy else []


def _remark(finding: Finding) -> Node:
    return Node(f"{finding.severity}: {finding} [{finding.reason}]")


def _rejection(finding: Finding) -> Node:
    return Node(f"{finding} [{finding.reason}]", mark="NO")


def _set_node(one: SetExplanation, *, runs: bool) -> Node:
    revision = f" at revision {one.revision}" if one.decision.is_injected and one.revision else ""
    sidecars = [_sidecar_node(sidecar) for sidecar in one.sidecars if not (runs and sidecar.replaces)]
    if runs and sidecars:
        sidecars = [Node("a new pod gets", sidecars)]
    rollout = [_rollout_node(one.rollout)] if one.rollout else []
    children = [*_test_nodes(one.tests), *sidecars, *rollout, *_remedies(one)]
    return Node(f"{one.name}: {_standing(one)}{revision}", children)


def _test_nodes(tests: Sequence[Test]) -> Iterator[Node]:
    yield from (_test_node(one) for one in tests if one.test.passed is not None)
    if unreached := [str(one.test.name) for one in tests if one.test.passed is None]:
        yield Node(f"not reached: {', '.join(unreached)}", mark="-")


def _test_node(one: Test) -> Node:
    mark = "yes" if one.test.passed else "NO"
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
    said = f"{kind} {one.name} at {one.field}[{one.place}], {side} the app containers ({path_text(one.path)})"
    children = list(_taken(one))
    if one.replaces_app:
        children.append(Node(f"it replaces the app container {one.name}", mark="NO"))
    elif one.replaces:
        children.append(Node("it exists already, and is rewritten in place"))
    return Node(said, children)


def _taken(one: InjectedSidecar) -> Iterator[Node]:
    lists = (
        ("volumes added with it", one.volumes),
        ("mounts shared by app containers", one.mounts),
        ("devices shared by app containers", one.devices),
        ("env copied from the pod", [f"{each.env} of {each.container}" for each in one.transfers]),
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
    children = [Node(f"place {place} of {number} in the update order")] if place else []
    children += [
        Node(f"{path_text(each.path)}: {_short(each.now)} now, {_short(each.new)} wanted") for each in one.blocked_by
    ]
    if one.remedy:
        children.append(Node(f"what to change: {one.remedy}"))
    return Node(f"rollout: {one.state}" + (f": {one.why}" if one.why else ""), children)


def _order(order: Sequence[ContainerPlace], *, runs: bool) -> Iterator[Node]:
    whose = " of a new pod" if runs else ""
    for field in _FIELDS:
        names = [f"{one.name} ({one.set_name})" if one.set_name else one.name for one in order if one.field == field]
        if names:
            yield Node(f"{field}{whose} in order: {', '.join(names)}")
