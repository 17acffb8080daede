"""Which pods a set matches, by namespace and by selector.

Source: docs/behaviour/injection.md, "Which sets apply".
"""

from collections.abc import Iterable, Mapping

from sidecarctl.api.label_selectors import (
    Labels,
    Matches,
    UnknownOperatorError,
    compile_selector,
    is_empty,
    malformation,
)
from sidecarctl.facts.errors import impossible
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.releases.release import Release
from sidecarctl.sidecarset.sets import SidecarSet

NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name"
"""The label that every namespace has, with its name as the value."""

DEFAULT_NAMESPACE = "default"
SYSTEM_NAMESPACES = frozenset({"kube-system", "kube-public"})


class Matcher:
    """The pods that one set matches; made once for a set, cheap for each of very many pods.

    `namespaces` holds the labels of each Namespace that a manifest is known of.
    """

    def __init__(self, sidecarset: SidecarSet, namespaces: Mapping[str, Labels]) -> None:
        self._spec = sidecarset.spec
        self._namespaces = namespaces
        self._release = sidecarset.release
        self._selects_namespace = _namespace_test(self._spec, self._release)
        self._selected: dict[str, bool] = {}
        self._pod_selector = self._spec.get("selector")
        self._selects_pod: Matches | None = None

    def mismatch(self, namespace: str, labels: Labels | None) -> Reason | None:
        """Why the set does not match a pod of these labels in a namespace; None if it does.

        An empty namespace is `default` (`namespace_of`). ImpossibleError if the namespace is selected and the
        pod selector has an unknown operator.
        """
        if not self.selects_namespace(namespace_of(namespace, self._release)):
            return Reason.NAMESPACE_NOT_SELECTED
        if self._selects_pod is None:
            self._selects_pod = _pod_test(self._pod_selector, self._release)
        return None if self._selects_pod(labels or {}) else Reason.POD_NOT_SELECTED

    def selects_namespace(self, namespace: str) -> bool:
        """Whether the set applies to a namespace; a malformed namespaceSelector selects none."""
        selected = self._selected.get(namespace)
        if selected is None:
            labels = {**self._namespaces.get(namespace, {}), NAMESPACE_NAME_LABEL: namespace}
            selected = self._selected[namespace] = self._selects_namespace(labels)
        return selected

    def lacks_labels_of(self, namespace: str) -> bool:
        """Whether the set requires labels of a namespace without a manifest."""
        decides = self._spec.get("namespace") and self._release.namespace_wins
        if decides or namespace in self._namespaces:
            return False
        return bool(_keys(self._spec.get("namespaceSelector") or {}) - {NAMESPACE_NAME_LABEL})


def namespace_of(namespace: str, release: Release) -> str:
    """The namespace that a pod counts as being in; old releases leave an absent one empty."""
    return namespace or (DEFAULT_NAMESPACE if release.empty_namespace_is_default else "")


def is_left_alone(namespace: str, release: Release) -> bool:
    """Whether a release skips the pods of a namespace, regardless of the sets."""
    return namespace in SYSTEM_NAMESPACES and release.skips_system_namespaces


def is_injection_paused(spec: Object) -> bool:
    """Whether injectionStrategy.paused is true."""
    return bool(spec.get("injectionStrategy", {}).get("paused"))


def is_bound_to(sidecarset: SidecarSet, namespace: str) -> bool:
    """Whether a set names a namespace, which lets it come before the cluster-wide ones."""
    spec = sidecarset.spec
    if "namespace" in spec:
        return bool(spec["namespace"] == namespace)
    selector = spec.get("namespaceSelector") or {}
    if selector.get("matchLabels", {}).get(NAMESPACE_NAME_LABEL) == namespace:
        return True
    return any(
        expression.get("key") == NAMESPACE_NAME_LABEL
        and expression.get("operator") == "In"
        and namespace in expression.get("values", ())
        for expression in selector.get("matchExpressions", ())
    )


def in_injection_order(sidecarsets: Iterable[SidecarSet], namespace: str) -> list[SidecarSet]:
    """Sets in the order in which they are injected into pods of a namespace (empty: `default`)."""
    name = namespace or DEFAULT_NAMESPACE

    def place(sidecarset: SidecarSet) -> tuple[bool, str]:
        comes_first = sidecarset.release.namespace_bound_first and is_bound_to(sidecarset, name)
        return not comes_first, sidecarset.name

    return sorted(sidecarsets, key=place)


def _namespace_test(spec: Object, release: Release) -> Matches:
    by_selector = _selector_test(spec.get("namespaceSelector") or {})
    if "namespace" not in spec:
        return by_selector
    by_name = compile_selector({"matchLabels": {NAMESPACE_NAME_LABEL: spec["namespace"]}})  # of v1alpha1
    if "namespaceSelector" not in spec or release.namespace_wins:
        return by_name
    return lambda labels: by_name(labels) and by_selector(labels)


def _selector_test(selector: Object) -> Matches:
    try:
        return compile_selector(selector)
    except UnknownOperatorError:
        return lambda _labels: False


def _pod_test(selector: Object | None, release: Release) -> Matches:
    if selector is None or is_empty(selector):
        return lambda _labels: False
    malformed = malformation(selector)
    if malformed and release.strict_selectors:
        where, why = malformed
        raise impossible(Reason.MALFORMED_SELECTOR, why, ("spec", "selector", *where))
    try:
        return compile_selector(selector)
    except UnknownOperatorError as unknown:
        path = ("spec", "selector", "matchExpressions", unknown.index, "operator")
        raise impossible(Reason.MALFORMED_SELECTOR, str(unknown), path) from unknown


def _keys(selector: Object) -> set[str]:
    expressions = selector.get("matchExpressions", ())
    return {*selector.get("matchLabels", {}), *(expression.get("key", "") for expression in expressions)}
