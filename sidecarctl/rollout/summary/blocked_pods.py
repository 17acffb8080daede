"""Why pods cannot be updated in place: their sidecars compared with those that injection would write now.

docs/behaviour/rollout.md, "Predicates on a pod"; docs/behaviour/injection.md.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from sidecarctl.api.decoding import check
from sidecarctl.facts.findings import reference_of
from sidecarctl.facts.values import Object
from sidecarctl.rollout.simulated_pods import PodName
from sidecarctl.rollout.summary.sidecar_comparison import Compared, FieldDifference, SidecarComparison, is_image
from sidecarctl.rollout.targets import Target
from sidecarctl.sidecarset.pod_annotations import HASH_WITHOUT_IMAGE, read_hashes
from sidecarctl.sidecarset.sets import DEFAULT_NAMESPACE

if TYPE_CHECKING:  # a status has none
    from sidecarctl.rollout.summary.rollout_plan import Plan


Blocked = Mapping[str, Mapping[int, Sequence[FieldDifference]]]
"""For each SidecarSet by name: the pods by index, with the fields in which they differ."""


def wanted_pods(plan: "Plan") -> set[PodName]:
    """The pods whose whole manifests are needed to explain why they are blocked."""
    return {plan.pods[index].name for item in plan.sets for index in item.outcome.not_upgradable}


def blocked_fields(plan: "Plan", manifests: Iterable[Object], namespace: str, gates: frozenset[str]) -> Blocked:
    """The fields that block each blocked pod; `manifests` are whole pods; those that are not blocked are skipped."""
    indices = {
        item.target.name: {plan.pods[index].name: index for index in item.outcome.not_upgradable}
        for item in plan.sets
    }
    wanted = [(item.target, indices[item.target.name]) for item in plan.sets]
    return {
        set_name: {indices[set_name][pod]: fields for pod, fields in by_pod.items()}
        for set_name, by_pod in blocking_fields(wanted, manifests, namespace, gates).items()
    }


def blocking_fields(
    wanted: Sequence[tuple[Target, Container[PodName]]],
    manifests: Iterable[Object],
    namespace: str,
    gates: frozenset[str],
) -> dict[str, dict[PodName, Sequence[FieldDifference]]]:
    """For each SidecarSet by name, the fields in which its `wanted` pods differ from a new injection."""
    comparisons = [(_Comparison(target, gates), pods) for target, pods in wanted]
    found: dict[str, dict[PodName, Sequence[FieldDifference]]] = {target.name: {} for target, _ in wanted}
    for manifest in manifests:
        reference = reference_of(manifest)  # of pods that cannot be decoded too
        pod = PodName(reference.namespace or namespace or DEFAULT_NAMESPACE, reference.name)
        for comparison, pods in comparisons:
            if pod in pods and not check(manifest, "core.Pod"):  # another one of its name may be unreadable
                found[comparison.set_name][pod] = comparison.fields(manifest)
    return found


class _Comparison:
    """What blocks the pods of one SidecarSet."""

    def __init__(self, target: Target, gates: frozenset[str]) -> None:
        self.set_name = target.name
        self._target = target
        self._sidecars = SidecarComparison(target.sidecar_set, gates)

    def fields(self, pod: Object) -> tuple[FieldDifference, ...]:
        """The fields but images; the hash where no more is known to differ, as where Kruise would reject the pod."""
        compared = self._sidecars.of(pod) or Compared()
        return tuple(entry for entry in compared.fields if not is_image(entry)) or self._hash_difference(pod)

    def _hash_difference(self, pod: Object) -> tuple[FieldDifference, ...]:
        annotations = (pod.get("metadata") or {}).get("annotations") or {}
        recorded = read_hashes(annotations.get(HASH_WITHOUT_IMAGE)).recorded(self._target.name)
        path = ("metadata", "annotations", HASH_WITHOUT_IMAGE, self._target.name)
        return (FieldDifference(path, recorded or None, self._target.hash_without_image),)
