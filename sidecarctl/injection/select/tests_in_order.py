"""The tests that a SidecarSet has to pass at a pod, in Kruise's order, as one decision answers them.

Source: docs/behaviour/injection.md, "Which sets apply".
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.api.label_selectors import Labels
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.injection.select.decisions import Decision
from sidecarctl.injection.select.failing_requirements import described_label
from sidecarctl.sidecarset.revisions.revision_choice import RevisionChoice


class Name(StrEnum):
    """What is tested, in this order."""

    POD = "Pod"
    PAUSED = "Paused"
    NAMESPACE = "Namespace"
    SELECTOR = "Selector"
    REVISION = "Revision"
    CONTAINERS = "Containers"
    CANARY = "Canary"


class SelectionTest(NamedTuple):
    """One test: passed, failed, or not reached (None); `path` leads to the evidence, in the pod for `Pod`."""

    name: Name
    passed: bool | None
    message: str
    path: Path = ()


class Asked(NamedTuple):
    """What a SidecarSet is asked about: the pod, its namespace and its labels, and the revision that was chosen."""

    spec: Object
    namespace: str
    namespace_labels: Labels
    labels: Labels
    choice: RevisionChoice | None


_FAILS_AT: Mapping[Reason, Name] = {
    Reason.POD_NOT_ACTIVE: Name.POD,
    Reason.SYSTEM_NAMESPACE: Name.POD,
    Reason.NAMESPACE_CONTROL_PLANE_LABEL: Name.POD,
    Reason.INJECTION_PAUSED: Name.PAUSED,
    Reason.NAMESPACE_NOT_SELECTED: Name.NAMESPACE,
    Reason.POD_NOT_SELECTED: Name.SELECTOR,
    Reason.MALFORMED_SELECTOR: Name.SELECTOR,
    Reason.REVISION_NOT_FOUND: Name.REVISION,
    Reason.NOT_A_PERCENTAGE: Name.REVISION,
    Reason.INCOMPLETE_POD: Name.CONTAINERS,
    Reason.REPLACED_BY_CANARY: Name.CANARY,
}


def tests_in_order(decision: Decision, asked: Asked) -> list[SelectionTest]:
    """The tests as the decision (with its evidence) answers them: those after the failed one were not reached."""
    fails_at = _FAILS_AT.get(decision.reason)
    tests: list[SelectionTest] = []
    passed: bool | None = True
    for name in Name:
        if name is Name.CONTAINERS and fails_at is not name:
            continue  # only old releases ask for them
        if name is fails_at:
            tests.append(SelectionTest(name, False, decision.message, decision.path))  # noqa: FBT003 - named by the type
            passed = None
        else:
            tests.append(SelectionTest(name, None, "not reached") if passed is None else _passed(name, asked))
    return tests


def _passed(name: Name, asked: Asked) -> SelectionTest:
    match name:
        case Name.PAUSED:
            path = ("spec", "injectionStrategy", "paused")
            return _pass(name, "injection is not paused", path)
        case Name.NAMESPACE:
            return _namespace(asked)
        case Name.SELECTOR:
            held = _held(asked.spec.get("selector") or {}, asked.labels, "the pod's")
            return _pass(name, held, ("spec", "selector"))
        case Name.REVISION:
            return _revision(asked)
        case Name.CANARY:
            return _pass(name, "no canary replaces it")
    return _pass(name, "the pod is active, and Kruise handles its namespace")


def _pass(name: Name, message: str, path: Path = ()) -> SelectionTest:
    return SelectionTest(name, True, message, path)  # noqa: FBT003 - named by the type


def _namespace(asked: Asked) -> SelectionTest:
    if asked.spec.get("namespace"):
        message = f"the namespace is {asked.namespace}"
        return _pass(Name.NAMESPACE, message, ("spec", "namespace"))
    selector = asked.spec.get("namespaceSelector") or {}
    whose = f"namespace {asked.namespace}'s"
    message = _held(selector, asked.namespace_labels, whose) or "every namespace is selected"
    return _pass(Name.NAMESPACE, message, ("spec", "namespaceSelector") if selector else ())


def _revision(asked: Asked) -> SelectionTest:
    path = ("spec", "injectionStrategy", "revision")
    if not asked.spec.get("injectionStrategy", {}).get("revision"):
        return _pass(Name.REVISION, "the latest (no revision is requested)")
    choice = asked.choice
    chosen = "the latest" if choice is None or choice.is_latest else choice.sidecarset.latest_revision
    drawn = (
        "" if choice is None or choice.probability is None else f", drawn with probability {choice.probability:.0%}"
    )
    return _pass(Name.REVISION, f"{chosen}{drawn}", path)


def _held(selector: Object, labels: Labels, whose: str) -> str:
    """The labels by which the parts of a selector hold; empty for an empty selector."""
    return "; ".join(dict.fromkeys(described_label(key, labels, whose) for key in _keys(selector)))


def _keys(selector: Object) -> Iterator[str]:
    yield from selector.get("matchLabels", {})
    yield from (expression.get("key", "") for expression in selector.get("matchExpressions", ()))
