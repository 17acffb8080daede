"""A SidecarSet after admission, and the pods that it matches.

Source: docs/behavior/injection.md, "Which sets apply".
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from sidecarctl.engine.api.label_selectors import (
    Labels,
    Matches,
    UnknownOperatorError,
    compile_selector,
    is_empty,
    malformation,
)
from sidecarctl.engine.facts.errors import impossible
from sidecarctl.engine.facts.findings import ObjectReference
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.releases.release import DEFAULT, Release

GROUP = "apps.kruise.io"

Version = Literal["v1alpha1", "v1beta1"]


WHITELIST = ObjectReference("v1", "ConfigMap", "kruise-system", "kruise-configuration")
"""The ConfigMap that lists the annotations that SidecarSets may patch."""
WHITELIST_KEY = "SidecarSet_PatchPodMetadata_WhiteList"
"""The key of that list."""


class SidecarSet(NamedTuple):
    """A set after defaults, in its own API version and typed form (unknown and empty fields are gone).

    `hash` and `hash_without_image` are those of docs/behavior/hash-and-revisions.md. `latest_revision` and
    `collision_count` are `status.latestRevision` and `status.collisionCount` as given, else empty and 0.
    `release` is the Kruise that admitted it, and decides everything that is computed about the set.
    """

    name: str
    version: Version
    metadata: Object
    spec: Object
    hash: str
    hash_without_image: str
    latest_revision: str = ""
    collision_count: int = 0
    release: Release = DEFAULT

    @property
    def manifest(self) -> Object:
        """The set as an object of its API version, without status."""
        return {
            "apiVersion": f"{GROUP}/{self.version}",
            "kind": "SidecarSet",
            "metadata": self.metadata,
            "spec": self.spec,
        }

    @property
    def brings_containers(self) -> bool:
        """Whether it injects any container: only then do pods record it."""
        return bool(self.spec.get("containers") or self.spec.get("initContainers"))


def is_native_sidecar(container: Object) -> bool:
    """Whether an initContainer keeps running next to the containers of the pod."""
    return container.get("restartPolicy") == "Always"


def is_hot(container: Object) -> bool:
    """Whether a container asks for hot upgrades."""
    return (container.get("upgradeStrategy") or {}).get("upgradeType") == "HotUpgrade"


def pair_names(name: str) -> tuple[str, str]:
    """The names of the two containers of a hot one; at injection the first works."""
    return f"{name}-1", f"{name}-2"


def names_in_pods(container: Object) -> tuple[str, ...]:
    """The names that a container of the set has in a pod."""
    name = container.get("name") or ""
    return pair_names(name) if is_hot(container) else (name,)


def sidecar_list(spec: Object, *, every: bool = False) -> tuple[str, ...]:
    """The `sidecarList` that a hash annotation records: containers and native sidecars, hot ones by their own name.

    `every`: plain initContainers too.
    """
    return tuple(sorted({container.get("name") or "" for container in _listed(spec, every=every)}))


def _listed(spec: Object, *, every: bool) -> Iterator[Object]:
    yield from spec.get("containers") or ()
    yield from (container for container in spec.get("initContainers") or () if every or is_native_sidecar(container))


CANARY = "apps.kruise.io/sidecarset-canary"
BASE = "apps.kruise.io/sidecarset-base"


def base_of(sidecarset: SidecarSet) -> str:
    """The name of the set that a canary replaces; empty for a set that is no canary, or in a release without them."""
    annotations = sidecarset.metadata.get("annotations") or {}
    is_canary = annotations.get(CANARY) == "true" and sidecarset.release.canary_sets
    return annotated_base_of(sidecarset) if is_canary else ""


def annotated_base_of(sidecarset: SidecarSet) -> str:
    """The name in the annotation alone, which counts on an update even of a set that was none; empty for none."""
    return str((sidecarset.metadata.get("annotations") or {}).get(BASE) or "")


def canaries_of(name: str, sidecarsets: Iterable[SidecarSet]) -> tuple[str, ...]:
    """The names of the canaries that a set has among some."""
    return tuple(sidecarset.name for sidecarset in sidecarsets if base_of(sidecarset) == name)


def replaced_by_canaries(chosen: Iterable[SidecarSet]) -> dict[str, str]:
    """The names of the sets that canaries among those chosen for a pod replace, each with its canary's."""
    return {base: sidecarset.name for sidecarset in chosen if (base := base_of(sidecarset))}


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
        self._may_select: dict[str, bool] = {}
        self._pod_selector = self._spec.get("selector")
        self._selects_pod: Matches | None = None

    def mismatch(self, namespace: str, labels: Labels | None) -> Reason | None:
        """Why the set does not match a pod of these labels in a namespace; None if it does.

        An empty namespace is `default` (`namespace_of`). ImpossibleError if the namespace is selected and the
        pod selector has an unknown operator.
        """
        if not self.selects_namespace(namespace_of(namespace, self._release)):
            return Reason.NAMESPACE_NOT_SELECTED
        return None if self._selects_labels(labels or {}) else Reason.POD_NOT_SELECTED

    def _selects_labels(self, labels: Labels) -> bool:
        if self._selects_pod is None:
            self._selects_pod = _pod_test(self._pod_selector, self._release)
        return self._selects_pod(labels)

    def may_match(self, namespace: str, labels: Labels | None) -> bool:
        """True if the SidecarSet matches a pod of these labels unless unknown labels of its namespace exclude it."""
        may = self._may_select.get(namespace)
        if may is None:
            by_name = not is_left_alone(namespace, self._release) and self._may_select_name(namespace)
            may = self._may_select[namespace] = by_name and self.lacks_labels_of(namespace)
        return may and self._selects_labels(labels or {})

    def _may_select_name(self, namespace: str) -> bool:
        """What the requirements say that only the name of a namespace decides."""
        selector = self._spec.get("namespaceSelector") or {}
        wanted, expressions = selector.get("matchLabels") or {}, selector.get("matchExpressions") or ()
        about = {
            "matchLabels": {key: value for key, value in wanted.items() if key == NAMESPACE_NAME_LABEL},
            "matchExpressions": [item for item in expressions if item.get("key") == NAMESPACE_NAME_LABEL],
        }
        return _namespace_test({**self._spec, "namespaceSelector": about}, self._release)(
            {NAMESPACE_NAME_LABEL: namespace}
        )

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


def bound_namespaces(sidecarset: SidecarSet) -> frozenset[str] | None:
    """The namespaces that a set names; None if labels of namespaces decide, or all match."""
    spec = sidecarset.spec
    if spec.get("namespace"):
        return frozenset({spec["namespace"]})
    selector = spec.get("namespaceSelector") or {}
    if name := (selector.get("matchLabels") or {}).get(NAMESPACE_NAME_LABEL):
        return frozenset({name})
    for expression in selector.get("matchExpressions") or ():
        if expression.get("key") == NAMESPACE_NAME_LABEL and expression.get("operator") == "In":
            return frozenset(expression.get("values") or ())
    return None


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
    return selector_test(selector, ("spec", "selector"))


def selector_test(selector: Object, path: Path) -> Matches:
    """A test of labels; ImpossibleError (MalformedSelector) for an operator that does not exist."""
    try:
        return compile_selector(selector)
    except UnknownOperatorError as unknown:
        where = (*path, "matchExpressions", unknown.index, "operator")
        raise impossible(Reason.MALFORMED_SELECTOR, str(unknown), where) from unknown


def _keys(selector: Object) -> set[str]:
    expressions = selector.get("matchExpressions", ())
    return {*selector.get("matchLabels", {}), *(expression.get("key", "") for expression in expressions)}


def family_of(name: str, sidecarsets: Iterable[SidecarSet]) -> frozenset[str]:
    """The bases and canaries of a set, over any number of steps."""
    links = [{item.name, base} for item in sidecarsets if (base := base_of(item))]
    family = {name}
    while linked := [link for link in links if link & family and not link <= family]:
        family = family.union(*linked)
    return frozenset(family - {name})
