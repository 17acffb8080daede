"""Explanations as a tree of sentences, for text and for Markdown."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sidecarctl.engine.facts.findings import named
from sidecarctl.engine.facts.reasons import ABOUT_OUTPUT, Reason
from sidecarctl.engine.facts.values import Value, path_text
from sidecarctl.engine.injection.explaining import ContainerPlace, InjectedSidecar
from sidecarctl.features.explain.explain import Group
from sidecarctl.features.explain.explained import ExplainedField, PodExplanation, SetExplanation, Test
from sidecarctl.features.explain.rollout_states import RolloutState
from sidecarctl.features.explain.subjects import Fate
from sidecarctl.render.lines import count
from sidecarctl.render.trees import Node

if TYPE_CHECKING:
    from sidecarctl.engine.sidecarset.resources_policy import Computation
    from sidecarctl.features.explain.field_origins import FieldOrigin
    from sidecarctl.features.explain.pod_history import PodHistory, UpdateTally
    from sidecarctl.features.explain.rollout_states import PatchedKey, WhitelistAnswer

_LONG = 60


def short(value: Value) -> str:
    """A value as JSON, shortened if it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONG else text[:_LONG] + "…"


_NAMED = 5
_FEW = 3
"""SidecarSets that do not apply are folded if there are more: for one reason, or in all where another one applies."""
_FIELDS = ("initContainers", "containers")
_OUTCOMES = {
    ("Injected", False): "sidecars are injected",
    ("NotInjected", False): "no sidecars are injected",
    ("Rejected", False): "the pod would be rejected",
    ("Unknown", False): "whether sidecars are injected is not known",
    ("Injected", True): "running; a new pod like it would get sidecars",
    ("NotInjected", True): "running; a new pod like it would get no sidecars",
    ("Rejected", True): "running; a new pod like it would be rejected",
    ("Unknown", True): "running; whether a new pod like it would get sidecars is not known",
}
"""The sentence about a pod, by its outcome and whether it runs."""

_BEGINS = {
    Fate.REPLACED: "it ends; the pod that replaces it would",
    Fate.RETRIED: "it has failed; a pod that its Job creates instead would",
}
_ENDS = {
    "Injected": "get sidecars",
    "NotInjected": "get no sidecars",
    "Rejected": "be rejected",
    "Unknown": "get sidecars or not",
}
_GONE = "it has ended or is being deleted, and nothing replaces it"
_NO_NAMESPACE = Node("its manifest names no namespace: that of -n is assumed, or else default")


def pod_node(pod: PodExplanation, *, unfolded: bool = False) -> Node:
    """A pod: its containers, then the SidecarSets that apply to it or are relevant to it, then all others, folded."""
    if pod.origin:
        return _origin_node(pod.pod.name, pod.origin)
    place, runs = pod.pod.place, pod.pod.is_running
    where = f" ({place})" if place and place.file else ""
    children = [_NO_NAMESPACE] if pod.pod.names_no_namespace else []
    children += [Node(f"{finding} [{finding.reason}]", mark="NO") for finding in pod.rejected]
    if pod.containers.sidecars:
        children += _order(pod.containers.order, runs=runs)
    if pod.containers.former:
        names = ", ".join(pod.containers.former)
        children.append(Node(f"not in a new pod: {names}, which a SidecarSet injected before"))
    children += _restart_nodes(pod.history)
    shown_sets, folded = _divided(pod.sets, unfolded=unfolded)
    children += [*(_set_node(explanation, pod) for explanation in shown_sets), *map(_folded_node, folded)]
    if pod.containers.sidecars:
        children += _sharing([sidecar for explanation in pod.sets for sidecar in explanation.sidecars])
    if pod.containers.annotations:
        children.append(Node(f"annotations from patchPodMetadata: {', '.join(pod.containers.annotations)}"))
    children += [
        Node(f"{finding.severity}: {finding} [{finding.reason}]")
        for finding in pod.findings
        if finding.reason is Reason.LAUNCH_ORDER or not (runs or finding.reason in ABOUT_OUTPUT)
    ]
    said = _OUTCOMES[pod.outcome, runs]
    if pod.pod.fate:
        said = _GONE if pod.pod.fate is Fate.GONE else f"{_BEGINS[pod.pod.fate]} {_ENDS[pod.outcome]}"
    return Node(f"{pod.pod.name}: {said}{where}", children)


def _origin_node(name: str, origin: "FieldOrigin") -> Node:
    if not origin.whose:
        return Node(f"{name}: {origin.path}: {origin.why}")
    where = f" ({origin.place})" if origin.place and origin.place.file else ""
    said = ": ".join(filter(None, (origin.whose, origin.field))) + where
    more = f"; {origin.why}" if origin.why else ""
    return Node(f"{name}: {origin.path} = {short(origin.value)}", [Node(f"from {said}{more}")])


def _divided(
    sets: Sequence[SetExplanation], *, unfolded: bool
) -> tuple[list[SetExplanation], list[list[SetExplanation]]]:
    """The SidecarSets shown one by one, those that apply first; and the rest, folded if many share a reason."""
    concerned = [each for each in sets if _concerns(each)]
    others: dict[Reason, list[SetExplanation]] = {}
    for each in sets:
        if not _concerns(each):
            others.setdefault(each.decision.reason, []).append(each)
    is_many = bool(concerned) and sum(map(len, others.values())) > _FEW
    folded = [group for group in others.values() if (is_many or len(group) > _FEW) and not unfolded]
    few = [each for group in others.values() if group not in folded for each in group]
    return [*concerned, *few], folded


def _concerns(explanation: SetExplanation) -> bool:
    return explanation.decision.is_injected or explanation.recorded or explanation.rollout is not None


def _folded_node(group: Sequence[SetExplanation]) -> Node:
    reason, names = group[0].decision.reason, named([each.name for each in group], _NAMED)
    said = reason.sentence.rstrip(".")
    others, each = ("other", "it") if len(group) == 1 else ("others", "each")
    return Node(f"{len(group):,} {others}, {reason}: {said[0].lower()}{said[1:]} ({names}; --all explains {each})")


def group_node(group: Group, *, all_pods: bool) -> Node:
    """Pods with the same outcome for a SidecarSet, and the problems of the first of them."""
    names = named(group.pods, None if all_pods else _NAMED)
    example = group.example
    failed = [_test_node(test) for test in example.tests if test.test.passed is False]
    if len(group.pods) > 1:  # another pod may have another label, and has another place
        failed = [node._replace(text=f"first pod: {node.text}") for node in failed]
    state = example.rollout
    if state and len(group.pods) > 1:
        state = state._replace(place=(0, 0), why_there="", why=state.why if len(group.whys) == 1 else "")
    rollout = [_rollout_node(state, _whys(group.whys))] if state else []
    children = [*failed, *rollout, *map(_hint_node, example.hints), *_remedies(example)]
    return Node(f"{count(len(group.pods), 'pod')}, {_standing(example)}: {names}", children)


def _standing(explanation: SetExplanation) -> str:
    """The state of a SidecarSet in a pod, in a word or two."""
    reason = ", ".join(str(each.reason) for each in (explanation.decision, *explanation.further))
    if explanation.rollout is None:
        return reason + (", though the pod records it as injected" if explanation.recorded else "")
    if explanation.decision.is_injected:
        return _AGAIN if explanation.rollout.state == Reason.POD_NOT_ACTIVE else explanation.rollout.state
    return f"{reason}, {explanation.rollout.state}" if explanation.rollout.state != reason else reason


_AGAIN = "Injected when replaced"


def _remedies(explanation: SetExplanation) -> list[Node]:
    return [Node(f"what to change: {explanation.remedy}")] if explanation.remedy else []


def _set_node(explanation: SetExplanation, pod: PodExplanation) -> Node:
    runs = pod.pod.is_running
    revision = (
        f" at revision {explanation.revision}" if explanation.decision.is_injected and explanation.revision else ""
    )
    sidecars = [_sidecar_node(sidecar, pod) for sidecar in explanation.sidecars if not (runs and sidecar.replaces)]
    if runs and sidecars:
        sidecars = [Node("a new pod gets", sidecars)]
    rollout = [_rollout_node(explanation.rollout)] if explanation.rollout else []
    patches = [_whitelist_node(explanation.whitelist)] if explanation.whitelist else []
    children = [
        *_test_nodes(explanation.tests),
        *map(_hint_node, explanation.hints),
        *sidecars,
        *patches,
        *_update_nodes(explanation, pod),
        *_outdated_nodes(explanation),
        *rollout,
        *_remedies(explanation),
    ]
    return Node(f"{explanation.name}: {_standing(explanation)}{revision}", children)


def _update_nodes(explanation: SetExplanation, pod: PodExplanation) -> Iterator[Node]:
    """When the SidecarSet injected or updated a running pod, and which of its fields."""
    update = pod.history.updates.get(explanation.name) if pod.history else None
    if not (update and update.time):
        return
    if not update.changes:
        yield Node(f"injected {update.time}, {update.revision}")
        return
    first = f"; updated first {update.first}" if update.first and update.first != update.time else ""
    fields = [Node(f"{change.field}: {change.image}") for change in update.changes]
    yield Node(f"updated in place {update.time}, {update.revision}{first}", fields)


def _outdated_nodes(explanation: SetExplanation) -> Iterator[Node]:
    if explanation.outdated:
        yield Node("not as a new pod", [Node(f"{field}: {why}") for field, why in explanation.outdated])


def _restart_nodes(history: "PodHistory | None") -> Iterator[Node]:
    if not (history and any(restart.times for restart in history.restarts)):
        return
    children = [
        Node(f"{each.container}: {_times(each.times)}; {each.why}" if each.times else f"{each.container}: {each.why}")
        for each in history.restarts
    ]
    yield Node("restarts", children)


def _times(count: int) -> str:
    return "1 restart" if count == 1 else f"{count:,} restarts"


def tally_lines(tallies: "Sequence[UpdateTally]") -> Iterator[str]:
    """Which pods a SidecarSet updated in place, when, in which fields, and what restarted."""
    for tally in tallies:
        first, last = tally.times
        when = f"at {first}" if first == last else f"from {first} to {last}"
        fields = ", ".join(f"{change.field} {change.image}" for change in tally.update.changes)
        pods = f"{tally.pods:,} pod{'s' * (tally.pods != 1)}"
        restarted = _counted(tally.restarted) or "none"
        others = _counted(tally.others)
        said = f"{pods} updated in place {when} to {tally.update.revision} ({fields}); restarted by it: {restarted}"
        yield said + (f"; for other reasons: {others}" if others else "")


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} in {number:,}" for name, number in counts.items())


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
    """Which containers it goes before or after, and what decides that."""
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
        ("volumes that the pod has already, and keeps", sidecar.kept_volumes),
        ("mounts shared by app containers", sidecar.mounts),
        ("devices shared by app containers", sidecar.devices),
        ("env copied from the pod", [f"{each.env} of {each.container}" for each in sidecar.transfers]),
    )
    yield from (Node(f"{what}: {', '.join(items)}") for what, items in lists if items)
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


def _whys(whys: Counter[str]) -> list[Node]:
    """The most common reasons for a state, if pods of a group have several."""
    if len(whys) == 1:
        return []
    common = [(why, pods) for why, pods in whys.most_common(_FEW) if pods > 1]
    if not common:
        return [Node(f"first pod: {next(iter(whys))}")]
    rest = whys.total() - sum(pods for _, pods in common)
    return [Node(f"{count(pods, 'pod')}: {why}") for why, pods in [*common, *([("other", rest)] if rest else [])]]


def _rollout_node(state: RolloutState, whys: Sequence[Node] = ()) -> Node:
    place, last = state.place
    there = f": {state.why_there}" if state.why_there else ""
    children = [Node(f"place {place} of {last} in the update order{there}")] if place else []
    children += whys
    children += [
        Node(f"{path_text(each.path)}: {short(each.now)} now, {short(each.new)} wanted") for each in state.blocked_by
    ]
    children += [Node(f"event: {event}") for event in state.events]
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
    """The direction of sharing, and the sidecars that do not share."""
    if alone := [sidecar.name for sidecar in sidecars if not sidecar.may_take]:
        yield Node(
            f"nothing is shared with {', '.join(dict.fromkeys(alone))}: no sharing policy or transferEnv takes effect"
        )
    if len(alone) < len(sidecars):
        yield Node("sharing goes one way: from the app containers to the sidecars, never back")


_ALLOWED = {True: "yes", False: "NO", None: "-"}


def _test_nodes(tests: Sequence[Test]) -> Iterator[Node]:
    """A sentence for each test that was reached, and a single sentence for all others."""
    yield from (_test_node(test) for test in tests if test.test.passed is not None or test.fields)
    if unreached := [str(test.test.name) for test in tests if test.test.passed is None and not test.fields]:
        yield Node(f"not reached: {', '.join(unreached)}", mark="-")


def _test_node(test: Test) -> Node:
    """A test: if it failed, with a line for each deciding field; otherwise only with their places."""
    said = f"{test.test.name}: {test.test.message or 'it matches'}"
    known = [field for field in test.fields if field.place and field.place.file]
    if not test.test.passed:
        return Node(said, [_field_node(field) for field in known], mark="-" if test.test.passed is None else "NO")
    places = ", ".join(dict.fromkeys(str(field.place) for field in known))
    return Node(f"{said} ({places})" if places else said, mark="yes")


def _hint_node(hint: str) -> Node:
    """Additional information."""
    return Node(f"note: {hint}")


def _whitelist_node(answer: "WhitelistAnswer") -> Node:
    """Whether the annotations may be patched."""
    children = [_key_node(key) for key in answer.keys]
    children += [
        Node(
            f"{place}  ConfigMap {other.name} in namespace {other.namespace or '(none written)'}: Kruise ignores it",
            mark="NO",
        )
        for other, place in answer.misplaced
    ]
    where = f" ({answer.place})" if answer.place and answer.place.file else ""
    return Node(f"patchPodMetadata: {answer.message}{where}", children)


def _key_node(patched: "PatchedKey") -> Node:
    verdict = {
        True: "allowed",
        False: "not allowed: Kruise rejects the SidecarSet",
        None: "not known whether allowed",
    }
    place = f" ({patched.place})" if patched.place and patched.place.file else ""
    return Node(
        f"{patched.key}, policy {patched.policy}: {verdict[patched.allowed]}{place}", mark=_ALLOWED[patched.allowed]
    )


def _field_node(field: ExplainedField) -> Node:
    if field.value is None:
        return Node(f"{field.place}  {field.owner}: there is no {path_text(field.path)}")
    value = f" = {short(field.value)}" if not isinstance(field.value, dict | list) else ""
    return Node(f"{field.place}  {field.owner}: {path_text(field.path)}{value}")
