"""Why pods cannot be updated in place: their sidecars compared with those that injection would write now.

docs/behaviour/rollout.md, "Predicates on a pod"; docs/behaviour/injection.md.
"""

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sidecarctl.api.decoding import check
from sidecarctl.api.pod_defaults import with_resource_defaults
from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.paths import Path
from sidecarctl.facts.references import reference_of
from sidecarctl.facts.values import Object
from sidecarctl.injection.build.injected_pod import outcome
from sidecarctl.injection.options import InjectionOptions
from sidecarctl.injection.select.injection_context import InjectionContext
from sidecarctl.rollout.pods.simulated_pods import PodName
from sidecarctl.rollout.pods.targets import Target
from sidecarctl.rollout.summary.blocked_fields import FieldDifference, differences
from sidecarctl.sidecarset.annotations.pod_annotations import HASH_WITHOUT_IMAGE, read_hashes
from sidecarctl.sidecarset.defaults import with_container_defaults
from sidecarctl.sidecarset.matching import DEFAULT_NAMESPACE

if TYPE_CHECKING:  # a status has none
    from sidecarctl.rollout.summary.rollout_plan import Plan

_TOKEN_MOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 - a path: what every live pod has there
_LISTS = ("containers", "initContainers")

Blocked = Mapping[str, Mapping[int, Sequence[FieldDifference]]]
"""For each SidecarSet by name: the pods by index, with the fields in which they differ."""


def wanted_pods(plan: "Plan") -> set[PodName]:
    """The pods whose whole manifests are needed to explain why they are blocked."""
    return {plan.pods[index].name for item in plan.sets for index in item.outcome.not_upgradable}


def blocked_fields(plan: "Plan", manifests: Iterable[Object], namespace: str, gates: frozenset[str]) -> Blocked:
    """The fields that block each blocked pod; `manifests` are whole pods, of which others are skipped."""
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
    """The sidecars of a SidecarSet in a pod, compared with those that injection would write.

    Pods of the same template are compared once.
    """

    def __init__(self, target: Target, gates: frozenset[str]) -> None:
        self.set_name = target.name
        self._target = target
        self._options = InjectionOptions(feature_gates=gates)
        sidecarset = target.sidecar_set
        self._prepared = InjectionContext([sidecarset], options=self._options).prepared((sidecarset,))
        init = sidecarset.spec.get("initContainers") or ()
        self._names = target.names | {item.get("name") for item in init}
        self._looks_at_metadata = "fieldRef" in json.dumps(sidecarset.spec)
        self._known: dict[str, tuple[FieldDifference, ...]] = {}

    def fields(self, pod: Object) -> tuple[FieldDifference, ...]:
        pod = _without_tokens(pod)
        key = json.dumps([pod["spec"].get(name) for name in (*_LISTS, "volumes")])
        if self._looks_at_metadata:
            key += json.dumps(pod.get("metadata"), default=str)
        if key not in self._known:
            self._known[key] = tuple(self._compared(pod))
        return self._known[key] or self._hash_difference(pod)

    def _compared(self, pod: Object) -> Iterable[FieldDifference]:
        try:
            new = outcome(self._bare(pod), self._prepared, self._options).pod["spec"]
        except SidecarctlError:
            return  # Kruise would reject such a pod; the hash is all that is known to differ
        now = with_resource_defaults(pod["spec"])
        new = with_resource_defaults(new)
        for field in _LISTS:
            by_name = {item.get("name"): item for item in new.get(field) or () if item}
            for index, item in enumerate(now.get(field) or ()):
                if item and item.get("name") in self._names and item["name"] in by_name:
                    yield from _container_differences(item, by_name[item["name"]], ("spec", field, index))

    def _bare(self, pod: Object) -> Object:
        """The pod as it was before this SidecarSet was injected."""
        spec = {
            field: [item for item in pod["spec"].get(field) or () if not item or item.get("name") not in self._names]
            for field in _LISTS
        }
        return {**pod, "spec": {**pod["spec"], **spec}}

    def _hash_difference(self, pod: Object) -> tuple[FieldDifference, ...]:
        annotations = (pod.get("metadata") or {}).get("annotations") or {}
        recorded = read_hashes(annotations.get(HASH_WITHOUT_IMAGE)).recorded(self._target.name)
        path = ("metadata", "annotations", HASH_WITHOUT_IMAGE, self._target.name)
        return (FieldDifference(path, recorded or None, self._target.hash_without_image),)


def _container_differences(now: Object, new: Object, path: Path) -> Iterator[FieldDifference]:
    """The differences, except the image and defaults of the API server."""
    for entry in differences(with_container_defaults(now), with_container_defaults(new), path):
        if entry.path[len(path) :] != ("image",):
            yield entry


def _without_tokens(pod: Object) -> Object:
    """The pod without the mount of its service account, whose volume has a different name in every pod."""
    spec = pod.get("spec") or {}
    changed = {
        field: [
            {**item, "volumeMounts": [mount for mount in item["volumeMounts"] if not _is_token(mount)]}
            if item and item.get("volumeMounts")
            else item
            for item in spec[field]
        ]
        for field in _LISTS
        if spec.get(field)
    }
    volumes = [
        item for item in spec.get("volumes") or () if not str((item or {}).get("name")).startswith("kube-api-")
    ]
    return {**pod, "spec": {**spec, **changed, "volumes": volumes}}


def _is_token(mount: Object | None) -> bool:
    return bool(mount) and (mount or {}).get("mountPath") == _TOKEN_MOUNT
