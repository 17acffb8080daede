"""A PodUnavailableBudget as Kruise reads it: which pods it selects, its limit, and what it protects from.

Source: docs/behavior/pod-unavailable-budget.md.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.label_selectors import Matches, UnknownOperatorError, compile_selector
from sidecarctl.engine.api.quantities import percentage
from sidecarctl.engine.facts.errors import input_error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.sidecarset.sets import DEFAULT_NAMESPACE


class BudgetName(NamedTuple):
    """Which budget."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


GROUP = "policy.kruise.io"


KIND = "PodUnavailableBudget"


PROTECT = "kruise.io/pub-protect-operations"


_NUMBER = lazy_pattern(r"[+-]?[0-9]{1,9}")


class BudgetSpec(NamedTuple):
    """A budget, its annotations read as the fields that they are.

    `protects`: the operations; `total` replaces the number of pods that workloads should have, if not None.
    """

    name: BudgetName
    max_unavailable: int | str | None
    min_available: int | str | None
    selector: Matches | None
    ignored: Matches | None
    target: tuple[str, str, str] | None
    """Group, kind and name of the workload of targetRef."""
    protects: frozenset[str]
    total: int | None
    status: Object

    @property
    def limit_text(self) -> str:
        """`maxUnavailable 1`, as written."""
        if self.max_unavailable is not None:
            return f"maxUnavailable {self.max_unavailable}"
        return f"minAvailable {self.min_available}"

    def desired(self, total: int, release: Release = DEFAULT) -> int:
        """How many pods must stay available, given the total."""
        if self.max_unavailable is not None:
            return max(0, total - _scaled(self.max_unavailable, total, up=release.budget_percent_up))
        return _scaled(self.min_available, total, up=True) if self.min_available is not None else 0


def _scaled(value: int | str, total: int, *, up: bool) -> int:
    """A number, or a percentage of the total; halves of a pod are never split."""
    if isinstance(value, int):
        return value
    product = (percentage(value) or 0) * total
    return -(-product // 100) if up else product // 100


def budget_spec(manifest: Object, release: Release = DEFAULT) -> BudgetSpec:
    """A budget of either API version, as a release reads it; InputError for one that Kruise cannot read."""
    metadata, spec = manifest.get("metadata") or {}, manifest.get("spec") or {}
    annotations: Mapping[str, str] = metadata.get("annotations") or {}
    knows_fields = release.budget_fields or metadata.get("uid")  # an API server that serves v1beta1 has them
    is_new = bool(knows_fields) and str(manifest.get("apiVersion")).endswith("/v1beta1")
    ignored = spec.get("ignoredPodSelector") if is_new else None
    total: int | None = spec.get("protectTotalReplicas") if is_new else None
    if not is_new and release.budget_total != "never" and _NUMBER.fullmatch(annotations.get(_TOTAL, "")):
        total = int(annotations[_TOTAL])
    protected = (spec.get("protectOperations") if is_new else None) or _protected(
        annotations.get(PROTECT), release, converted=release.budget_fields and not is_new
    )
    target = spec.get("targetRef")
    return BudgetSpec(
        BudgetName(metadata.get("namespace") or DEFAULT_NAMESPACE, metadata.get("name") or ""),
        spec.get("maxUnavailable"),
        spec.get("minAvailable"),
        None if spec.get("selector") is None else _compiled(spec["selector"], "selector"),
        _compiled(ignored, "ignoredPodSelector") if ignored else None,
        (group_of(target.get("apiVersion")), target.get("kind") or "", target.get("name") or "") if target else None,
        frozenset(protected),
        total,
        manifest.get("status") or {},
    )


def _compiled(selector: Object, field: str) -> Matches:
    try:
        return compile_selector(selector)
    except UnknownOperatorError as unknown:
        raise input_error(Reason.MALFORMED_SELECTOR, str(unknown), ("spec", field)) from unknown


def group_of(version: Value) -> str:
    """The API group of an apiVersion; empty for the core group."""
    return str(version or "").rpartition("/")[0]


def operations(release: Release) -> tuple[str, ...]:
    """The operations that a budget can protect."""
    return tuple(release.budget_words.split(", "))


def _protected(annotation: str | None, release: Release, *, converted: bool) -> Sequence[str]:
    """The operations that the annotation protects: all where it says nothing. UPDATE includes RESIZE.

    `converted`: it becomes a field of v1beta1, whose words are trimmed, and must be known.
    """
    known = operations(release)
    if annotation is None or not release.budget_annotations:
        return known[:3]
    words = [part for part in annotation.split(",") if part]
    if converted:
        words = [word.strip() for word in words if word.strip()]
        if unknown := [word for word in words if word not in known]:
            message = f'unknown operation "{unknown[0]}"'
            path = ("metadata", "annotations", PROTECT)
            raise input_error(Reason.WRONG_TYPE, message, path, hint=f"known are {release.budget_words}")
    says_nothing = not annotation and release.budget_words_may_be_empty
    return known[:3] if not words and (release.budget_fields or says_nothing) else words


_TOTAL = "pub.kruise.io/protect-total-replicas"


COUNTED = ("ReplicationController", "ReplicaSet", "Deployment", "StatefulSet", "CloneSet")
