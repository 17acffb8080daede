"""Why pods cannot be updated in place: their sidecars compared with those that injection would write now.

docs/behaviour/rollout.md, "Predicates on a pod"; docs/behaviour/injection.md.
"""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sidecarctl.api.decoding import check
from sidecarctl.facts.findings import reference_of
from sidecarctl.facts.values import Object
from sidecarctl.rollout.simulated_pods import PodName
from sidecarctl.rollout.summary.sidecar_comparison import (
    CONTAINER_LISTS,
    Compared,
    FieldDifference,
    SidecarComparison,
    differences,
    is_image,
)
from sidecarctl.rollout.targets import Target
from sidecarctl.sidecarset.pod_annotations import HASH, HASH_WITHOUT_IMAGE, HashEntry, read_hashes
from sidecarctl.sidecarset.revisions.controller_revisions import Revision
from sidecarctl.sidecarset.revisions.known_revisions import known_revisions
from sidecarctl.sidecarset.sets import DEFAULT_NAMESPACE

if TYPE_CHECKING:  # a status has none
    from sidecarctl.rollout.summary.rollout_plan import Plan


Blocked = Mapping[str, Mapping[int, Sequence[FieldDifference]]]
"""For each SidecarSet by name: the pods by index, with the fields in which they differ."""


def wanted_pods(plan: "Plan") -> set[PodName]:
    """The pods whose whole manifests are needed to explain why they are blocked."""
    return {plan.pods[index].name for item in plan.sets for index in item.outcome.not_upgradable}


def blocked_fields(
    plan: "Plan",
    manifests: Iterable[Object],
    namespace: str,
    gates: frozenset[str],
    revisions: Collection[Revision] = (),
) -> Blocked:
    """The fields that block each blocked pod; `manifests` are whole pods; those that are not blocked are skipped."""
    indices = {
        item.target.name: {plan.pods[index].name: index for index in item.outcome.not_upgradable}
        for item in plan.sets
    }
    wanted = [(item.target, indices[item.target.name]) for item in plan.sets]
    return {
        set_name: {indices[set_name][pod]: fields for pod, fields in by_pod.items()}
        for set_name, by_pod in blocking_fields(wanted, manifests, namespace, gates, revisions).items()
    }


def blocking_fields(
    wanted: Sequence[tuple[Target, Container[PodName]]],
    manifests: Iterable[Object],
    namespace: str,
    gates: frozenset[str],
    revisions: Collection[Revision] = (),
) -> dict[str, dict[PodName, Sequence[FieldDifference]]]:
    """For each SidecarSet by name, the fields in which its `wanted` pods differ from a new injection.

    `revisions` tell what changed where that leaves no trace in a pod.
    """
    comparisons = [(_Comparison(target, gates, revisions), pods) for target, pods in wanted]
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

    def __init__(self, target: Target, gates: frozenset[str], revisions: Collection[Revision]) -> None:
        self._revisions = revisions
        self.set_name = target.name
        self._target = target
        self._sidecars = SidecarComparison(target.sidecar_set, gates)

    def fields(self, pod: Object) -> tuple[FieldDifference, ...]:
        """The fields but images, and the sidecars that the SidecarSet no longer has.

        Where neither is known: the fields of the SidecarSet that changed since the recorded revision; the hash where
        that is not at hand, as where Kruise would reject the pod.
        """
        compared = self._sidecars.of(pod) or Compared()
        annotations = (pod.get("metadata") or {}).get("annotations") or {}
        recorded = read_hashes(annotations.get(HASH)).entries.get(self._target.name) or HashEntry()
        found = [entry for entry in compared.fields if not is_image(entry)]
        found += self._removed(pod, recorded.sidecar_list or ())
        return tuple(found or self._changed_since(recorded.hash)) or self._hash_difference(annotations)

    def _removed(self, pod: Object, names: Collection[str]) -> Iterator[FieldDifference]:
        for index, item in enumerate(pod["spec"].get("containers") or ()):
            name = (item or {}).get("name")
            if name in names and name not in self._sidecars.names["containers"]:
                now = {"name": name, "image": item.get("image")}
                yield FieldDifference(("spec", "containers", index), now, None, f"spec.containers[{name}]")

    def _changed_since(self, recorded: str) -> Iterator[FieldDifference]:
        """The fields of the SidecarSet's containers that changed since a revision, but images."""
        latest = self._target.sidecar_set
        known = known_revisions(latest, "", self._revisions, recorded=(recorded,)) if self._revisions else {}
        if recorded in known:
            for field in CONTAINER_LISTS:
                versions = (known[recorded].sidecarset.spec, latest.spec)
                before, after = ({item["name"]: item for item in spec.get(field) or ()} for spec in versions)
                for index, (name, item) in enumerate(after.items()):
                    place, text = ("spec", field, index), f"spec.{field}[{name}]"
                    found = differences(before.get(name), item, place, text)
                    yield from (entry for entry in found if not is_image(entry))

    def _hash_difference(self, annotations: Object) -> tuple[FieldDifference, ...]:
        recorded = read_hashes(annotations.get(HASH_WITHOUT_IMAGE)).recorded(self._target.name)
        path = ("metadata", "annotations", HASH_WITHOUT_IMAGE, self._target.name)
        return (FieldDifference(path, recorded or None, self._target.hash_without_image),)
