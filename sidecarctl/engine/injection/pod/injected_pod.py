"""One injected pod, with everything known about it, and the annotations that record what was injected.

Source: docs/behavior/injection.md, "What is written" and "Annotations written on the pod".
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from sidecarctl.engine.api.quantities import with_resource_defaults
from sidecarctl.engine.facts.errors import ImpossibleError, about, impossible
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.pod.pod_plan import (
    Placed,
    PodPlan,
    Queue,
    Slot,
    appended,
    patched_annotations,
    placed_containers,
    with_pull_secrets,
    with_volumes,
)
from sidecarctl.engine.injection.pod.pod_view import PodView
from sidecarctl.engine.injection.pod.set_plan import SetPlan, findings_about
from sidecarctl.engine.injection.pod.sidecars import Sidecar, containers_for, version_annotations, working_containers
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INJECTED_LIST,
    WORKING_CONTAINERS,
    HashAnnotation,
    HashEntry,
    HashFormat,
    injected_sets,
    parsed_annotation,
    read_hashes,
    read_working_containers,
    write_hashes,
    write_injected_sets,
    write_working_containers,
)

HASHES = (HASH, HASH_WITHOUT_IMAGE)
_RECORDS = (*HASHES, INJECTED_LIST, WORKING_CONTAINERS)

Annotations = Mapping[str, Value]


class Prepared:
    """What the sets of a plan inject together, what they record on a pod, and their findings for each pod."""

    def __init__(self, plan: PodPlan, options: InjectionOptions) -> None:
        self.plan = plan
        self.findings = tuple(findings_about(plan.plans))
        self._options = options
        self._names = [set_plan.name for set_plan in plan.plans]
        entries = {set_plan.name: pair for set_plan in plan.plans if (pair := set_plan.hash_entries)}
        self._entries = {
            key: {name: pair[which] for name, pair in entries.items()} for which, key in enumerate(HASHES)
        }
        self._release = plan.release
        self._working = working_containers(plan.hot_names if plan.release.all_hot_entries else plan.hot_names[-1:])
        self._versions = version_annotations(plan.hot_names)
        self._hashes_beside = lru_cache(maxsize=1024)(self._hashes)  # the pods of a workload share these texts
        self._on_a_new_pod = self._recorded({})

    @property
    def recorded_keys(self) -> frozenset[str]:
        """The annotations in which the sets are recorded."""
        return frozenset(self._on_a_new_pod)

    def recorded(self, annotations: Annotations) -> dict[str, str]:
        """All that the sets record on a pod of these annotations, in the order in which new keys are written.

        ImpossibleError if a hash annotation cannot be read.
        """
        if any(annotations.get(key) for key in _RECORDS):
            return self._recorded(annotations)
        return self._on_a_new_pod

    def _recorded(self, annotations: Annotations) -> dict[str, str]:
        recorded = {key: self._hashes_beside(key, annotations.get(key)) for key in HASHES}
        recorded[INJECTED_LIST] = self._injected_list(annotations.get(INJECTED_LIST))
        if self._working:
            recorded[WORKING_CONTAINERS] = self._working_text(annotations.get(WORKING_CONTAINERS))
        return recorded | self._versions

    def _injected_list(self, present: str | None) -> str:
        if self._release.injected_list_grows:
            return write_injected_sets(present, self._names)
        return ",".join(self._names)

    def _hashes(self, key: str, present: str | None) -> str:
        entries = read_entries(key, present)
        own = {name: self._with_time(entry, entries.get(name)) for name, entry in self._entries[key].items()}
        return self._kept_text(present, write_hashes({**entries, **own}, self._release))

    def _with_time(self, entry: HashEntry, present: HashEntry | None) -> HashEntry:
        if self._options.keeps_times and present and present.hash == entry.hash and present.update_timestamp:
            return entry._replace(update_timestamp=present.update_timestamp)
        return entry._replace(update_timestamp=self._options.timestamp)

    def _working_text(self, present: str | None) -> str:
        return self._kept_text(present, write_working_containers(read_working_containers(present) | self._working))

    def _kept_text(self, present: str | None, wanted: str) -> str:
        """The existing text if it is equivalent."""
        if not present or present == wanted or not self._options.keeps_times:
            return wanted
        try:
            return present if parsed_annotation(present) == parsed_annotation(wanted) else wanted
        except ValueError:
            return wanted


def read_entries(key: str, text: str | None) -> Mapping[str, HashEntry]:
    """The entries of the hash annotation `key`; ImpossibleError if it cannot be read."""
    read = read_hashes(text)
    entries = entries_of(read)
    if entries is None:
        message = f"cannot read the annotation {key}: it is {read.format}"
        hint = "remove it, or restore what Kruise wrote"
        raise impossible(Reason.UNREADABLE_HASHES, message, ("metadata", "annotations", key), hint=hint)
    return entries


def entries_of(read: HashAnnotation) -> Mapping[str, HashEntry] | None:
    """The entries of a hash annotation, those of the old format as Kruise upgrades them; None for no format."""
    if read.format is HashFormat.OLD:
        return {name: HashEntry(hash=text, set_name=name) for name, text in read.strings.items()}
    return read.entries if read.format in {HashFormat.ABSENT, HashFormat.NEW} else None


def recorded_sets(annotations: Annotations) -> set[str]:
    """The names of the injected sets that a pod records."""
    named = set(injected_sets(annotations.get(INJECTED_LIST)))
    for key in HASHES:
        named |= (entries_of(read_hashes(annotations.get(key))) or {}).keys()
    return named


class PodBranches(NamedTuple):
    """The parts of a pod; absent or null branches are empty."""

    pod: Object
    metadata: Object
    labels: Object
    annotations: Object
    spec: Object


def branches_of(pod: Object) -> PodBranches:
    """The branches of a pod."""
    metadata = pod.get("metadata") or {}
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    return PodBranches(pod, metadata, labels, annotations, pod.get("spec") or {})


def rebuilt(parts: PodBranches, annotations: Mapping[str, str], members: Mapping[str, Value]) -> Object:
    """The pod with these annotations and these members of its spec; the same object when it has them all.

    Members are compared by identity; None for a member that the pod lacks adds nothing. New keys come last.
    """
    spec, metadata = parts.spec, parts.metadata
    pod = parts.pod
    written = {key: text for key, text in annotations.items() if not _says(parts.annotations, key, text)}
    if written:
        pod = pod | {"metadata": metadata | {"annotations": parts.annotations | written}}
    changed = {name: member for name, member in members.items() if spec.get(name) is not member}
    return pod | {"spec": spec | changed} if changed else pod


def _says(annotations: Object, key: str, text: str) -> bool:
    return key in annotations and (annotations[key] or "") == text


def queues(plan: PodPlan, pod: PodView, *, fills_requests: bool) -> tuple[Queue, Queue]:
    """The queue of initContainers and that of containers.

    ImpossibleError if a resourcesPolicy cannot be computed. `fills_requests`: see `Options`.
    """
    if not plan.dynamic:
        return _filled(plan.init_queue, {}), _filled(plan.queue, {})
    excluded = plan.sidecar_names if plan.has_policies else frozenset[str]()
    spec = with_resource_defaults(pod.spec) if plan.has_policies and fills_requests else pod.spec
    built = {  # by identity: what a sidecar holds cannot be hashed
        id(sidecar): containers_for(sidecar, pod, _resources(owner, sidecar, spec, excluded))
        for owner, sidecar in plan.dynamic
    }
    return _filled(plan.init_queue, built), _filled(plan.queue, built)


def _resources(owner: SetPlan, sidecar: Sidecar, spec: Object, excluded: frozenset[str]) -> Object:
    if sidecar.policy is None:
        return sidecar.resources
    from sidecarctl.engine.sidecarset.resources_policy import (
        computed_resources,  # the expression language, which few sets use
    )

    with about(owner.reference):
        return computed_resources(sidecar.policy, spec, excluded, (*sidecar.path, "resourcesPolicy"))


def _filled(slots: Iterable[Slot], built: dict[int, list[Object]]) -> Queue:
    return [(slot, slot.container or built[id(slot.sidecar)][slot.half]) for slot in slots]


class PodWithSidecars(NamedTuple):
    """A pod before (`parts`) and after (`pod`) one injection.

    `patched` are the annotations after the metadata patches. `init` and `main` are the two lists of containers; both
    and `view` are None if no container was queued, and only metadata was patched.
    """

    parts: PodBranches
    pod: Object
    patched: Mapping[str, Value]
    view: PodView | None = None
    init: Placed | None = None
    main: Placed | None = None


def outcome(pod: Object, prepared: Prepared, options: InjectionOptions) -> PodWithSidecars:
    """The result for a pod; ImpossibleError if it is rejected."""
    plan, parts = prepared.plan, branches_of(pod)
    if plan.crashes:
        raise ImpossibleError(*plan.crashes)
    patched = patched_annotations(parts.annotations, plan.patches) if plan.patches else parts.annotations
    if not plan.queues_anything:
        for key in HASHES:
            read_entries(key, patched.get(key))
        return PodWithSidecars(parts, rebuilt(parts, patched, {}), patched)
    spec = parts.spec
    view = PodView(spec, parts.labels, patched, plan.release)
    init_queue, queue = queues(plan, view, fills_requests=options.fills_requests)
    place_init = placed_containers if plan.release.init_containers_replace else appended
    init, main = place_init(spec.get("initContainers"), init_queue), placed_containers(spec.get("containers"), queue)
    recorded = prepared.recorded(patched)
    members = {
        "initContainers": init.containers,
        "containers": main.containers,
        "volumes": with_volumes(spec.get("volumes"), plan.volumes),
        "imagePullSecrets": with_pull_secrets(spec.get("imagePullSecrets"), plan.pull_secrets),
    }
    annotations = {**patched, **recorded} if plan.patches else recorded
    return PodWithSidecars(parts, rebuilt(parts, annotations, members), patched, view, init, main)
