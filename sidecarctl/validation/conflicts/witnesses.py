"""A pod that two SidecarSets both match, or the proof that no pod can."""

from collections.abc import Mapping

from sidecarctl.api.label_selectors import Labels, UnknownOperatorError, is_empty, matches
from sidecarctl.api.names import is_dns_label
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.matching import DEFAULT_NAMESPACE, NAMESPACE_NAME_LABEL
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.conflicts.satisfiability import common_labels
from sidecarctl.validation.given import spec_in_v1beta1


class Witness(NamedTuple):
    """A pod that would match: its namespace, the labels that the namespace must have, and the pod's own labels."""

    namespace: str
    namespace_labels: Labels
    labels: Labels

    def __str__(self) -> str:
        beside = {key: value for key, value in self.namespace_labels.items() if key != NAMESPACE_NAME_LABEL}
        where = f"namespace {self.namespace}" + (f" (labelled {_text(beside)})" if beside else "")
        return f"{where}, labels {_text(self.labels)}" if self.labels else f"{where}, without labels"


class Scope(NamedTuple):
    """The pods that a SidecarSet selects; `namespace_selector` None selects every namespace."""

    selector: Object
    namespace_selector: Object | None


def scope_of(sidecarset: SidecarSet) -> Scope:
    """The scope of a SidecarSet; a selector that is empty or absent selects no pod."""
    spec = spec_in_v1beta1(sidecarset)
    namespaces: Object | None = spec.get("namespaceSelector")
    own = sidecarset.spec.get("namespaceSelector")
    if own and namespaces and "namespace" in sidecarset.spec and not sidecarset.release.namespace_wins:
        namespaces = {**own, "matchLabels": {**own.get("matchLabels", {}), **namespaces["matchLabels"]}}
    return Scope(spec.get("selector", {}), namespaces)


def witness(item: Scope, other: Scope, namespaces: Mapping[str, Labels]) -> Witness | None:
    """A pod that both scopes select, given the known namespaces with their labels.

    A known namespace is preferred to an unknown one; None if no pod can match both.
    """
    if is_empty(item.selector) or is_empty(other.selector):
        return None
    labels = common_labels((item.selector, other.selector))
    if labels is None:
        return None
    selectors = [scope.namespace_selector for scope in (item, other) if scope.namespace_selector is not None]
    namespace = _namespace(selectors, namespaces)
    return Witness(namespace[NAMESPACE_NAME_LABEL], namespace, labels) if namespace else None


def _namespace(selectors: list[Object], namespaces: Mapping[str, Labels]) -> Labels | None:
    """The labels of a namespace that matches all selectors."""
    for name, labels in namespaces.items():
        known = {**labels, NAMESPACE_NAME_LABEL: name}
        if _all_match(selectors, known):
            return known
    other = {"matchExpressions": [{"key": NAMESPACE_NAME_LABEL, "operator": "NotIn", "values": list(namespaces)}]}
    always = {NAMESPACE_NAME_LABEL: DEFAULT_NAMESPACE}
    return common_labels([*selectors, other], always=always, is_value=is_dns_label)


def _all_match(selectors: list[Object], labels: Labels) -> bool:
    try:
        return all(matches(selector, labels) for selector in selectors)
    except UnknownOperatorError:
        return False


def _text(labels: Labels) -> str:
    return ",".join(f"{key}={value}" for key, value in labels.items())
