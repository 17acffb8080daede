"""The tests that a SidecarSet has to pass at a pod, in Kruise's order, as one decision answers them.

Source: docs/behavior/injection.md, "Which sets apply".
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.engine.api.label_selectors import Labels, UnknownOperatorError, compile_selector, matches
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.injection.decisions import SetDecision
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.selection import Identity, identity_of, labels_of
from sidecarctl.engine.sidecarset.held_back import held_back_by
from sidecarctl.engine.sidecarset.revisions.revision_choice import RevisionChoice
from sidecarctl.engine.sidecarset.sets import DEFAULT_NAMESPACE, NAMESPACE_NAME_LABEL


def with_evidence(
    decision: SetDecision, pod: Object, context: InjectionContext, identity: Identity | None = None
) -> SetDecision:
    """The decision with the requirement that failed, and the label that it met."""
    spec = context.rules[decision.set_name].sidecarset.spec
    namespace = (identity or identity_of(pod)).namespace or DEFAULT_NAMESPACE
    if decision.reason is Reason.POD_NOT_SELECTED:
        return _with_requirement(decision, spec.get("selector") or {}, labels_of(pod), "the pod's")
    if decision.reason is Reason.NAMESPACE_NOT_SELECTED and decision.path[-1] == "namespaceSelector":
        labels = {**context.namespaces.get(namespace, {}), NAMESPACE_NAME_LABEL: namespace}
        return _with_requirement(decision, spec["namespaceSelector"], labels, f"namespace {namespace}'s")
    return decision


def failing_requirement(selector: Object, labels: Labels, whose: str) -> tuple[Path, str] | None:
    """The first part of a selector that does not hold: its path in the selector, and why, in words."""
    for key, value in selector.get("matchLabels", {}).items():
        if labels.get(key) != value:
            return ("matchLabels", key), f'{described_label(key, labels, whose)}, expected "{value}"'
    for index, expression in enumerate(selector.get("matchExpressions", ())):
        try:
            holds = compile_selector({"matchExpressions": [expression]})(labels)
        except UnknownOperatorError as unknown:
            return ("matchExpressions", index, "operator"), str(unknown)
        if not holds:
            key = expression.get("key", "")
            values = ", ".join(expression.get("values", ()))
            wanted = expression.get("operator", "") + (f" ({values})" if values else "")
            return ("matchExpressions", index), f"{described_label(key, labels, whose)}, expected {wanted}"
    return None


def failing_keys(selector: Object, labels: Labels) -> list[str]:
    """The labels of all requirements of a selector that do not hold."""
    single: list[tuple[Object, str]] = [
        ({"matchLabels": {key: value}}, key) for key, value in selector.get("matchLabels", {}).items()
    ]
    single += [({"matchExpressions": [each]}, each.get("key", "")) for each in selector.get("matchExpressions", ())]
    return list(dict.fromkeys(key for requirement, key in single if not matches(requirement, labels)))


def _with_requirement(decision: SetDecision, selector: Object, labels: Labels, whose: str) -> SetDecision:
    failing = failing_requirement(selector, labels, whose)
    if failing is None:
        return decision
    path, message = failing
    return decision._replace(path=(*decision.path, *path), message=f"{decision.message}: {message}")


def described_label(key: str, labels: Labels, whose: str) -> str:
    """`the pod's label app is "web"`, or that it is absent."""
    return f'{whose} label {key} is "{labels[key]}"' if key in labels else f"{whose} label {key} is absent"


class Name(StrEnum):
    """What is tested, in this order."""

    POD = "Pod"
    PAUSED = "Paused"
    NAMESPACE = "Namespace"
    SELECTOR = "Selector"
    REVISION = "Revision"
    CONTAINERS = "Containers"
    CANARY = "Canary"


class Holder(StrEnum):
    """Which object holds a field that decides."""

    SIDECARSET = "SidecarSet"
    NAMESPACE = "Namespace"
    POD = "Pod"


class Evidence(NamedTuple):
    """A field that decides; `sidecarset` names the SidecarSet that holds it, if that is another one."""

    holder: Holder
    path: Path
    sidecarset: str = ""


class SelectionTest(NamedTuple):
    """One test: passed, failed, or not reached or not decided (None); the first piece of evidence decides."""

    name: Name
    passed: bool | None
    message: str
    evidence: tuple[Evidence, ...] = ()


class Asked(NamedTuple):
    """The inputs of the tests: the pod, its namespace and its labels, and the revision that was chosen."""

    spec: Object
    namespace: str
    namespace_labels: Labels
    labels: Labels
    choice: RevisionChoice | None
    label_that_skips: str = ""
    """The label that makes Kruise skip the namespace, if it does."""
    failures: str = ""
    """What happens to a pod if the webhook cannot be reached, if that is worth mentioning."""


_FAILS_AT: Mapping[Reason, Name] = {
    Reason.POD_NOT_ACTIVE: Name.POD,
    Reason.SYSTEM_NAMESPACE: Name.POD,
    Reason.NAMESPACE_CONTROL_PLANE_LABEL: Name.POD,
    Reason.NOT_SEEN_BY_WEBHOOK: Name.POD,
    Reason.INJECTION_PAUSED: Name.PAUSED,
    Reason.NAMESPACE_NOT_SELECTED: Name.NAMESPACE,
    Reason.NAMESPACE_UNKNOWN: Name.NAMESPACE,
    Reason.POD_NOT_SELECTED: Name.SELECTOR,
    Reason.MALFORMED_SELECTOR: Name.SELECTOR,
    Reason.REVISION_NOT_FOUND: Name.REVISION,
    Reason.NOT_A_PERCENTAGE: Name.REVISION,
    Reason.INCOMPLETE_POD: Name.CONTAINERS,
    Reason.REPLACED_BY_CANARY: Name.CANARY,
}


def tests_in_order(decision: SetDecision, asked: Asked) -> list[SelectionTest]:
    """The tests as the decision (with its evidence) answers them: those after the failed one were not reached."""
    fails_at = _FAILS_AT.get(decision.reason)
    tests: list[SelectionTest] = []
    passed: bool | None = True
    for name in Name:
        if name is Name.CONTAINERS and fails_at is not name:
            continue  # only old releases need them
        if name is fails_at:
            evidence = tuple(_of_failure(name, decision, asked))
            passed = None if decision.reason is Reason.NAMESPACE_UNKNOWN else False
            tests.append(SelectionTest(name, passed, decision.message, evidence))
            passed = None
        else:
            tests.append(SelectionTest(name, None, "not reached") if passed is None else _passed(name, asked))
    return tests


def _passed(name: Name, asked: Asked) -> SelectionTest:
    match name:
        case Name.PAUSED:
            path = ("spec", "injectionStrategy", "paused")
            return _pass(name, "injection is not paused", [Evidence(Holder.SIDECARSET, path)])
        case Name.NAMESPACE:
            return _namespace(asked)
        case Name.SELECTOR:
            selector = asked.spec.get("selector") or {}
            evidence = _of_selector(selector, ("spec", "selector"), Holder.POD)
            return _pass(name, _held(selector, asked.labels, "the pod's"), evidence)
        case Name.REVISION:
            return _revision(asked)
        case Name.CANARY:
            return _pass(name, "no canary replaces it")
    failures = f" ({asked.failures})" if asked.failures else ""
    return _pass(name, f"the pod is active, and Kruise's webhook sees it{failures}")


def _pass(name: Name, message: str, evidence: Iterable[Evidence] = ()) -> SelectionTest:
    return SelectionTest(name, True, message, tuple(evidence))  # noqa: FBT003 - named by the type


def _of_failure(name: Name, decision: SetDecision, asked: Asked) -> Iterator[Evidence]:
    """The field where a test failed, and the label that it met."""
    path = decision.path
    if path:
        yield Evidence(Holder.POD if name is Name.POD else Holder.SIDECARSET, path, decision.canary)
    if asked.label_that_skips:
        yield _label(Holder.NAMESPACE, asked.label_that_skips)
    elif path[:2] == ("spec", "selector"):
        yield from (_label(Holder.POD, key) for key in _keys_at(asked.spec, path))
    elif path[:2] == ("spec", "namespaceSelector"):
        yield from (_label(Holder.NAMESPACE, key) for key in _keys_at(asked.spec, path))


def _of_selector(selector: Object, path: Path, holder: Holder) -> Iterator[Evidence]:
    """Each requirement of a selector, with the label that it is about."""
    for requirement, key in _requirements(selector):
        yield Evidence(Holder.SIDECARSET, (*path, *requirement))
        yield _label(holder, key)


def _label(holder: Holder, key: str) -> Evidence:
    return Evidence(holder, ("metadata", "labels", key))


def _keys_at(spec: Object, path: Path) -> Iterator[str]:
    """The label key of the requirement at a path; nothing for a whole selector."""
    for requirement, key in _requirements(spec.get(str(path[1])) or {}):
        if path[2:4] == requirement:
            yield key


def _namespace(asked: Asked) -> SelectionTest:
    if asked.spec.get("namespace"):
        message = f"the namespace is {asked.namespace}"
        return _pass(Name.NAMESPACE, message, [Evidence(Holder.SIDECARSET, ("spec", "namespace"))])
    selector = asked.spec.get("namespaceSelector") or {}
    whose = f"namespace {asked.namespace}'s"
    message = _held(selector, asked.namespace_labels, whose) or "every namespace is selected"
    evidence = _of_selector(selector, ("spec", "namespaceSelector"), Holder.NAMESPACE)
    return _pass(Name.NAMESPACE, message, evidence)


def _revision(asked: Asked) -> SelectionTest:
    path = ("spec", "injectionStrategy", "revision")
    choice = asked.choice
    if choice is None:
        return _pass(Name.REVISION, "the latest")
    if not asked.spec.get("injectionStrategy", {}).get("revision"):
        held = held_back_by(asked.spec.get("updateStrategy") or {})
        return _pass(
            Name.REVISION,
            f"the latest: {choice.why}" + (f", and {held} holds back running pods only" if held else ""),
        )
    chosen = "the latest" if choice.is_latest else choice.sidecarset.latest_revision
    return _pass(Name.REVISION, f"{chosen}: {choice.why}", [Evidence(Holder.SIDECARSET, path)])


def _held(selector: Object, labels: Labels, whose: str) -> str:
    """The labels that satisfy the parts of a selector; empty for an empty selector."""
    return "; ".join(dict.fromkeys(described_label(key, labels, whose) for _, key in _requirements(selector)))


def _requirements(selector: Object) -> Iterator[tuple[Path, str]]:
    """The path of each requirement in a selector, and the label that it is about."""
    for key in selector.get("matchLabels", {}):
        yield ("matchLabels", key), key
    for index, expression in enumerate(selector.get("matchExpressions", ())):
        yield ("matchExpressions", index), expression.get("key", "")
