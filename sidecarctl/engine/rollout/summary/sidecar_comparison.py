"""Compares the sidecars of running pods with what injection would write now, and finds what blocks updates.

docs/behavior/rollout.md, "Predicates on a pod"; docs/behavior/injection.md.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.api.quantities import with_resource_defaults
from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.findings import Place, reference_of
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.field_changes import field_changes
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.pod.injected_pod import outcome
from sidecarctl.engine.injection.pod.pod_view import is_injected
from sidecarctl.engine.rollout.simulated_pods import PodName
from sidecarctl.engine.rollout.targets import Target
from sidecarctl.engine.sidecarset.defaults import with_container_defaults
from sidecarctl.engine.sidecarset.pod_annotations import HASH, HASH_WITHOUT_IMAGE, HashEntry, read_hashes
from sidecarctl.engine.sidecarset.revisions.controller_revisions import Revision
from sidecarctl.engine.sidecarset.revisions.revision_restoring import known_revisions
from sidecarctl.engine.sidecarset.sets import DEFAULT_NAMESPACE, SidecarSet, is_native_sidecar, names_in_pods

if TYPE_CHECKING:
    from sidecarctl.engine.rollout.summary.rollout_plan import Plan


CONTAINER_LISTS = ("containers", "initContainers")
_TOKEN_MOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 - a path: what every live pod has there


class FieldDifference(NamedTuple):
    """A field of the pod that differs: its value, and what injection would write; None if absent.

    `text` is the path with the names of items, `spec.containers[log].env[TZ].value`. `place`: where the SidecarSet
    has the new value, if that is known; `version`: the revision that the current value is from, if it is known.
    """

    path: Path
    now: Value
    new: Value
    text: str = ""
    place: Place | None = None
    version: str = ""


def kept_in_place(blocking: Sequence[FieldDifference]) -> str:
    """What to write in the SidecarSet if pull policies alone block an update in place, else empty."""
    if not blocking or any(each.path[-1] != "imagePullPolicy" or not each.now for each in blocking):
        return ""
    policies = dict.fromkeys(f"imagePullPolicy: {each.now}" for each in blocking)
    return f"write {' and '.join(policies)} in the SidecarSet, which keeps the update in place"


def differences(now: Value, new: Value, path: Path = (), text: str = "") -> Iterator[FieldDifference]:
    """The fields in which two values differ for the API, which treats absent and empty as equal."""
    for change in field_changes(now, new, whole_lists=True):
        if not change.is_order and change.before != change.after and (change.before or change.after):
            yield FieldDifference((*path, *change.place), change.before, change.after, f"{text}.{change.text}")


def is_image(entry: FieldDifference) -> bool:
    """Whether the field is the image of a container."""
    return entry.path[3:] == ("image",)


class ComparedSidecars(NamedTuple):
    """The fields in which the sidecars of a pod differ, and the containers that it lacks.

    `orders`: the names of each list of containers as injection orders them.
    """

    fields: tuple[FieldDifference, ...] = ()
    missing: tuple[str, ...] = ()
    orders: Mapping[str, tuple[str, ...]] = {}


class SidecarComparison:
    """The sidecars of a SidecarSet in a pod, compared with those that injection would write.

    Pods of the same template are compared once. `names` are those that its containers have in each list of a pod;
    `looks_at_metadata`: labels and annotations of the pod decide too.
    """

    def __init__(self, sidecarset: SidecarSet, gates: frozenset[str]) -> None:
        # What was patched into the metadata is there already, and need not fit a second time.
        bare = sidecarset._replace(spec={**sidecarset.spec, "patchPodMetadata": []})
        self._options = InjectionOptions(feature_gates=gates)
        self._prepared = InjectionContext([bare], options=self._options).prepared((bare,))
        written = {field: sidecarset.spec.get(field) or () for field in CONTAINER_LISTS}
        self.names = {field: frozenset(_names(items, field)) for field, items in written.items()}
        self._takes_from_pods = bool(self._prepared.plan.dynamic)
        self.looks_at_metadata = any(
            "sourceContainerNameFrom" in transfer
            for items in written.values()
            for item in items
            for transfer in item.get("transferEnv") or ()
        )
        self._known: dict[str, ComparedSidecars | None] = {}

    def of(self, pod: Object) -> ComparedSidecars | None:
        """The differences, without those that the API server makes; None where Kruise would reject such a pod now."""
        pod = _without_tokens(pod)
        key = json.dumps([pod["spec"].get(name) for name in CONTAINER_LISTS])
        if self.looks_at_metadata:
            metadata = pod.get("metadata") or {}
            key += json.dumps([metadata.get("labels"), metadata.get("annotations")])
        if key not in self._known:
            self._known[key] = self._compared(pod)
        return self._known[key]

    def _compared(self, pod: Object) -> ComparedSidecars | None:
        """The fewest differences from what may have been injected: a pod does not show what it was before."""
        found: list[ComparedSidecars] = []
        for bare, fills_requests in self._befores(pod):
            one = self._compared_with(pod, bare, fills_requests=fills_requests)
            if one and not (one.fields or one.missing):
                return one
            found += [one] if one else []
        return min(found, key=lambda each: (len(each.missing), len(each.fields)), default=None)

    def _befores(self, pod: Object) -> Iterator[tuple[Object, bool]]:
        """The pods that may have been injected; whether the API server had filled in requests.

        Other SidecarSets and meshes may have added theirs before or afterward; or the pod was injected twice.
        """
        befores = [_without(pod, self.names, is_injected)]
        if self._takes_from_pods:
            befores += [
                _without(pod, self.names, _is_injected_or_of_mesh),
                _without(pod, self.names, lambda _: False),
                pod,
            ]
        for bare in befores:
            yield bare, True
            if self._prepared.plan.has_policies:
                yield bare, False

    def _compared_with(self, pod: Object, bare: Object, *, fills_requests: bool) -> ComparedSidecars | None:
        options = self._options._replace(fills_requests=fills_requests)
        try:
            new = outcome(bare, self._prepared, options).pod["spec"]
        except SidecarctlError:
            return None
        now, new = with_resource_defaults(pod["spec"]), with_resource_defaults(new)
        fields: list[FieldDifference] = []
        missing: list[str] = []
        for field in CONTAINER_LISTS:
            present = {item.get("name"): index for index, item in enumerate(now.get(field) or ()) if item}
            for wanted in new.get(field) or ():
                name = (wanted or {}).get("name")
                if name not in self.names[field]:
                    continue
                if name in present:
                    index = present[name]
                    at: Path = ("spec", field, index)
                    sides = with_container_defaults(now[field][index]), with_container_defaults(wanted)
                    fields += differences(*sides, at, f"spec.{field}[{name}]")  # not those of the API server
                else:
                    missing.append(name)
        orders = {
            field: tuple((item or {}).get("name", "") for item in new.get(field) or ()) for field in CONTAINER_LISTS
        }
        return ComparedSidecars(tuple(fields), tuple(missing), orders)


def _without(pod: Object, names: Mapping[str, frozenset[str]], goes: Callable[[Object], bool]) -> Object:
    """The pod without containers of these names, and without others that go too."""
    spec = {
        field: [
            item
            for item in pod["spec"].get(field) or ()
            if not item or not (item.get("name") in names[field] or goes(item))
        ]
        for field in CONTAINER_LISTS
    }
    return {**pod, "spec": {**pod["spec"], **spec}}


def _is_injected_or_of_mesh(container: Object) -> bool:
    return container.get("name") in MESH_CONTAINERS or is_injected(container)


MESH_CONTAINERS = frozenset(
    {
        "istio-proxy",
        "istio-init",
        "istio-validation",
        "linkerd-proxy",
        "linkerd-init",
        "linkerd-network-validator",
    }
)
"""The containers that webhooks of service meshes add; they may come after Kruise's."""


def _names(items: Iterable[Object], field: str) -> Iterator[str]:
    for item in items:
        is_pair = field == "containers" or is_native_sidecar(item)
        yield from names_in_pods(item) if is_pair else (item.get("name") or "",)


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
        for field in CONTAINER_LISTS
        if spec.get(field)
    }
    volumes = [
        item for item in spec.get("volumes") or () if not str((item or {}).get("name")).startswith("kube-api-")
    ]
    return {**pod, "spec": {**spec, **changed, "volumes": volumes}}


def _is_token(mount: Object | None) -> bool:
    return bool(mount) and (mount or {}).get("mountPath") == _TOKEN_MOUNT


WholePods: TypeAlias = Callable[[], Iterable[Object]]
"""Reads untrimmed pods; called only if any pod is blocked, and asked for its fields."""

Blocked = Mapping[str, Mapping[int, Sequence[FieldDifference]]]
"""For each SidecarSet by name: the pods by index, with the fields in which they differ."""


def blocked_fields(
    plan: "Plan", whole: WholePods, namespace: str, gates: frozenset[str], revisions: Collection[Revision]
) -> Blocked:
    """The fields that block each blocked pod of a plan."""
    indices = {
        item.target.name: {plan.pods[index].name: index for index in item.outcome.not_upgradable}
        for item in plan.sets
    }
    wanted = [(item.target, indices[item.target.name]) for item in plan.sets]
    return {
        set_name: {indices[set_name][pod]: fields for pod, fields in by_pod.items()}
        for set_name, by_pod in blocking_fields(wanted, whole, namespace, gates, revisions).items()
    }


def blocking_fields(
    wanted: Sequence[tuple[Target, Collection[PodName]]],
    whole: WholePods,
    namespace: str,
    gates: frozenset[str],
    revisions: Collection[Revision],
) -> dict[str, dict[PodName, Sequence[FieldDifference]]]:
    """For each SidecarSet by name, the fields in which its `wanted` pods differ from a new injection.

    `revisions` show changes that leave no trace in a pod.
    """
    comparisons = [(_Comparison(target, gates, revisions), pods) for target, pods in wanted]
    found: dict[str, dict[PodName, Sequence[FieldDifference]]] = {target.name: {} for target, _ in wanted}
    for manifest in whole() if any(pods for _, pods in wanted) else ():
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
        """The fields except images, and the sidecars that the SidecarSet no longer has.

        If neither is known: the fields of the SidecarSet that changed since the recorded revision; the hash if that
        revision is unknown, or if Kruise would reject the pod.
        """
        compared = self._sidecars.of(pod) or ComparedSidecars()
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
