"""The fields in which a running pod differs from a pod created now, where no hash shows it.

Hashes cover containers, and initContainers only if one is native; an update in place writes images of containers
alone. So a pod may keep volumes, initContainers, pull secrets and annotations of an earlier version. What a pod has
is from a version if that version injects it. Otherwise it is the pod's own, if the pod is known to have another
version; else it is undecided.

Source: docs/behavior/injection.md, "What is written"; hash-and-revisions.md, "The two hashes".
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from sidecarctl.engine.comparing.brought_items import (
    ANNOTATIONS,
    CONTAINERS,
    INIT,
    SECRETS,
    VOLUMES,
    Items,
    Key,
    brought_by,
    differs,
    is_mounted_by_own,
    item_text,
    items_of,
    names_by_list,
    place_to_add,
    without_merged,
)
from sidecarctl.engine.comparing.tolerance import Tolerance
from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.findings import Place
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.injection.pod.pod_plan import name_of, patched_annotations
from sidecarctl.engine.injection.pod.pod_view import is_injected
from sidecarctl.engine.injection.pod.set_plan import SetPlan
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.rollout.summary.sidecar_comparison import (
    CONTAINER_LISTS,
    ComparedSidecars,
    FieldDifference,
    SidecarComparison,
    is_image,
)
from sidecarctl.engine.sidecarset.pod_annotations import HashEntry
from sidecarctl.engine.sidecarset.revisions.controller_revisions import revision_name
from sidecarctl.engine.sidecarset.revisions.revision_choice import asked_revision
from sidecarctl.engine.sidecarset.revisions.revision_restoring import KnownRevision, versions_of
from sidecarctl.engine.sidecarset.sets import DEFAULT_NAMESPACE, Matcher, SidecarSet, is_native_sidecar
from sidecarctl.engine.sidecarset.world import World, nowhere


class PodRecord(NamedTuple):
    """What a pod records of a SidecarSet; `is_patched`: whether it was ever updated in place."""

    entry: HashEntry
    without_image: str
    is_patched: bool


def record_of(pod: SimulatedPod, name: str) -> PodRecord:
    """What a pod records of a SidecarSet."""
    entry = pod.records.hashes.entries.get(name) or HashEntry()
    without_image = pod.records.hashes_without_image.recorded(name)
    return PodRecord(entry, without_image, bool((pod.update_states or {}).get(name)))


class Outdated(NamedTuple):
    """The fields that differ, and those that may be the pod's own or of a version that is not known.

    `older`: the name of the older revision that the pod records; `is_at_hand`: whether what it has is known.
    """

    fields: tuple[FieldDifference, ...] = ()
    undecided: tuple[str, ...] = ()
    older: str = ""
    is_at_hand: bool = True


class _Version:
    """A version of a SidecarSet: what it injects into an empty pod."""

    def __init__(self, known: KnownRevision, gates: frozenset[str]) -> None:
        self.known = known
        self.plan = SetPlan(known.sidecarset)
        self._gates = gates
        self.items = brought_by(self.plan)
        self.names = names_by_list(self.plan)
        self.code = revision_name(known.sidecarset)

    def order(self, pod: Object, field: str) -> tuple[str, ...]:
        """The containers of a list of a pod in the order of this version."""
        found = SidecarComparison(self.known.sidecarset, self._gates).of(pod)
        return found.orders[field] if found else ()


class NewPodVersion(NamedTuple):
    """What new pods get: `asked` is the revision that injectionStrategy.revision names, empty for the current one.

    `comparison` is None if that has another hash than the SidecarSet, or is drawn.
    """

    asked: str
    comparison: "NewPodComparison | None"


def new_pod_version(
    sidecarset: SidecarSet, latest: str, world: World, live: Iterable[SidecarSet], gates: frozenset[str]
) -> NewPodVersion:
    """What new pods get of a SidecarSet, of which `latest` is the revision; `live` are those of the cluster."""
    versions = list(versions_of(sidecarset, world.revisions, live))
    current, asked = KnownRevision(sidecarset, latest), asked_revision(sidecarset, world.revisions)
    if asked:
        pin = (sidecarset.spec.get("injectionStrategy") or {}).get("revision") or {}
        same = (item for item in versions if item.sidecarset.hash == sidecarset.hash and item.name == asked.name)
        pinned = None if pin.get("policy") == "Partial" else next(same, None)
        if pinned is None:
            return NewPodVersion(asked.name, None)
        versions, current = [current, *versions], pinned
    place = nowhere if asked else world.sources[sidecarset.name].place
    comparison = NewPodComparison(current, versions, gates, world, place)
    return NewPodVersion(asked.name if asked else "", comparison)


def outdated_pods(
    sidecarset: SidecarSet, pods: Iterable[SimulatedPod], version: NewPodVersion, tolerance: Tolerance
) -> Iterator[SimulatedPod]:
    """The pods of the current hash that differ from a pod created now; `pods` have whole containers.

    Of a SidecarSet that pods do not record, they are those that it selects.
    """
    name, comparison = sidecarset.name, version.comparison
    for pod in pods:
        if comparison and comparison.is_compared(pod):
            found = comparison.of(pod.manifest, record_of(pod, name))
            if found.older or tolerance.drifted(found.fields, pod.manifest):
                yield pod


class _Candidates(NamedTuple):
    """The versions that a pod may have got, and whether it got the first of them and no other."""

    versions: Sequence[_Version]
    is_certain: bool


class NewPodComparison:
    """Pods of a SidecarSet, compared with what a new pod gets of it; `versions` are the other known ones.

    What other SidecarSets of the world inject is not a difference. `place`: where the current version has a field.
    """

    def __init__(
        self,
        current: KnownRevision,
        versions: Iterable[KnownRevision],
        gates: frozenset[str],
        world: World,
        place: Callable[[Path], Place | None] = nowhere,
    ) -> None:
        self._place = place
        self._current = _Version(current, gates)
        self._others = [_Version(item, gates) for item in versions]
        self.sidecars = SidecarComparison(current.sidecarset, gates)
        beside = [item for item in world.sidecarsets if item.name != current.sidecarset.name]
        plans = [SetPlan(item) for item in beside]
        names = [names_by_list(plan) for plan in plans]
        self._beside = [brought_by(plan) for plan in plans]
        self._names_beside = {
            field: frozenset[str]().union(*(each[field] for each in names)) for field in CONTAINER_LISTS
        }
        self._matcher = Matcher(current.sidecarset, world.namespaces)
        self._injecting = [Matcher(item, world.namespaces) for item in beside if item.brings_containers]
        self._annotations = {key: text for key, text in self._current.items.items() if key[0] == ANNOTATIONS}
        self._covers_init = any(map(is_native_sidecar, current.sidecarset.spec.get(INIT) or ()))
        self._keys = list(dict.fromkeys(key for item in (self._current, *self._others) for key in item.items))
        self._known: dict[object, Outdated] = {}
        self._updates: dict[object, tuple[FieldDifference, ...]] = {}

    def is_compared(self, pod: SimulatedPod) -> bool:
        """Whether a pod records the current hash, or is selected by a SidecarSet that it need not record."""
        sidecarset = self._current.known.sidecarset
        recorded = pod.records.hashes.recorded(sidecarset.name)
        if recorded or sidecarset.spec.get("containers"):
            return recorded == sidecarset.hash
        return self._matcher.mismatch(pod.name.namespace, pod.labels) is None

    def _new_items(self, pod: Object) -> Items:
        """What a pod created now gets: annotations alone, unless a SidecarSet brings it a container."""
        if self._current.known.sidecarset.brings_containers:
            return self._current.items
        metadata = pod.get("metadata") or {}
        where = metadata.get("namespace") or DEFAULT_NAMESPACE, metadata.get("labels")
        brings = any(matcher.mismatch(*where) is None for matcher in self._injecting)
        return self._current.items if brings else self._annotations

    def of(self, pod: Object, record: PodRecord) -> Outdated:
        """What differs in a pod among the fields that no hash covers.

        Pods that share their lists are compared once, so they must stay in memory.
        """
        key = self._key(pod, record)
        if key not in self._known:
            self._known[key] = self.compared(pod, record)
        return self._known[key]

    def update_of(self, pod: Object, record: PodRecord) -> tuple[FieldDifference, ...]:
        """What the hash covers, but images, of a pod that records another hash."""
        key = self._key(pod, record)
        if key not in self._updates:
            self._updates[key] = tuple(self._covered(pod, record))
        return self._updates[key]

    def _key(self, pod: Object, record: PodRecord) -> object:
        spec, annotations = pod["spec"], (pod.get("metadata") or {}).get("annotations") or {}
        lists = [id(spec.get(name)) for name in ("containers", INIT, VOLUMES, SECRETS)]
        texts = [annotations.get(name) for member, name in self._keys if member == ANNOTATIONS]
        entry = record.entry
        recorded = entry.hash, entry.controller_revision, record.without_image, record.is_patched
        return (*lists, *texts, id(self._new_items(pod)), *recorded)

    def compared(self, pod: Object, record: PodRecord) -> Outdated:
        """The comparison of a pod, computed anew."""
        candidates = self._candidates(record)
        undecided: list[str] = []
        fields = [
            *self._init_containers(pod, candidates, is_patched=record.is_patched),
            *self._of_items(pod, candidates, undecided),
        ]
        name = record.entry.controller_revision
        named = [item for item in self._others if item.known.name == name]
        is_older = name != self._current.known.name and any(item.code != self._current.code for item in named)
        is_at_hand = bool(named) or name in ("", self._current.known.name)
        return Outdated(tuple(fields), tuple(undecided), name if is_older else "", is_at_hand)

    def _candidates(self, record: PodRecord) -> _Candidates:
        name = record.entry.controller_revision
        if not record.entry.hash:
            return _Candidates([self._current, *self._others], is_certain=bool(self._others))
        if record.is_patched:  # that writes the name of the revision, but only the images of containers
            alike = [
                item for item in self._others if item.known.sidecarset.hash_without_image == record.without_image
            ]
            return _Candidates([self._current, *alike], is_certain=bool(alike))
        if name == self._current.known.name:
            return _Candidates([self._current], is_certain=True)
        if name:
            named = [item for item in self._others if item.known.name == name]
            return _Candidates(named[:1] or [self._current], is_certain=bool(named))
        alike = [item for item in self._others if item.known.sidecarset.hash == record.entry.hash]
        return _Candidates([self._current, *alike], is_certain=not alike)

    def _of_items(self, pod: Object, candidates: _Candidates, undecided: list[str]) -> Iterator[FieldDifference]:
        present = items_of(pod)
        new = self._new_items(pod)
        for key in dict.fromkeys((*new, *(key for item in candidates.versions for key in item.items))):
            path, now = present.get(key, (place_to_add(key), None))
            if any(now is not None and now == items.get(key) for items in self._beside):
                continue
            version, before = _before(key, now, candidates)
            after = self._after(key, before, new)
            text = item_text(key)
            if key[0] == VOLUMES and after is None and is_mounted_by_own(pod, key[1]):
                continue
            if differs(now, after):
                place = self._place_of(key) if key in new else None
                yield FieldDifference(path, now, after, text, place, version.known.name if version else "")
            elif key in new and now != new[key] and not version and not candidates.is_certain:
                undecided.append(text)

    def _after(self, key: Key, before: Value, new: Items) -> Value:
        """What a pod created now has, which had `before` before its injection."""
        member, name = key
        if member != ANNOTATIONS:
            return new.get(key) if before is None else before
        try:
            return patched_annotations({} if before is None else {name: before}, [self._current.plan.patches]).get(
                name
            )
        except ImpossibleError:
            return before  # Kruise rejects such a pod

    def _init_containers(
        self, pod: Object, candidates: _Candidates, *, is_patched: bool
    ) -> Iterator[FieldDifference]:
        """The initContainers that no hash covers; those that it covers keep their images at an update in place."""
        compared = self.sidecars.of(pod)
        present = pod["spec"].get(INIT) or []
        if compared is None:
            return
        first = candidates.versions[0]
        version = "" if first is self._current else first.known.name
        for entry in compared.fields:
            name = name_of(present[int(entry.path[2])]) if entry.path[1] == INIT else ""
            is_left = not self._covers_init or (is_patched and is_image(entry))
            if name and is_left and name not in self._names_beside[INIT]:
                yield entry._replace(place=self.place_of_sidecar(name, entry.path[3:]), version=version)
        if self._covers_init:
            return
        yield from self._of_list(pod, INIT, compared, candidates)

    def _covered(self, pod: Object, record: PodRecord) -> Iterator[FieldDifference]:
        compared = self.sidecars.of(pod)
        if compared is None:
            return
        for entry in compared.fields:
            field, index, *within = entry.path[1:]
            is_left = is_image(entry) and (field == CONTAINERS or record.is_patched)
            if not is_left and (field == CONTAINERS or self._covers_init):
                name = name_of(pod["spec"][field][int(index)])
                yield entry._replace(place=self.place_of_sidecar(name, tuple(within)))
        for field in CONTAINER_LISTS if self._covers_init else (CONTAINERS,):
            yield from self._of_list(pod, field, compared, self._candidates(record))

    def _of_list(
        self, pod: Object, field: str, compared: ComparedSidecars, candidates: _Candidates
    ) -> Iterator[FieldDifference]:
        """The containers of a list that are missing, those that a version brought and the current one does not."""
        for name in compared.missing:
            if name in self._current.names[field]:
                place = self.place_of_sidecar(name)
                yield FieldDifference(("spec", field, "-"), None, {"name": name}, f"spec.{field}[{name}]", place)
        known = self._current.names[field] | self._names_beside[field]
        for index, item in enumerate(pod["spec"].get(field) or ()):
            name = name_of(item)
            if name in known or not is_injected(item or {}):
                continue
            if version := next((each for each in candidates.versions if name in each.names[field]), None):
                now, path = {"name": name, "image": item.get("image")}, ("spec", field, index)
                yield FieldDifference(path, now, None, f"spec.{field}[{name}]", None, version.known.name)
        yield from self._order(pod, field, compared.orders[field], candidates)

    def _order(
        self, pod: Object, field: str, wanted: Sequence[str], candidates: _Candidates
    ) -> Iterator[FieldDifference]:
        """The order of a list of containers, if it is that of another version."""
        now = [name_of(item) for item in pod["spec"].get(field) or ()]
        new = [name for name in wanted if name in now]
        if [name for name in now if name in new] == new:
            return
        for version in candidates.versions:
            if version is self._current:
                continue
            order = [name for name in version.order(pod, field) if name in now]
            if order == [name for name in now if name in order]:
                path, code = ("spec", field), version.known.name
                yield FieldDifference(path, list(now), list(new), f"spec.{field}", self._place(path), code)
                return

    def _place_of(self, key: Key) -> Place | None:
        """Where the SidecarSet has an item."""
        member, name = key
        spec = self._current.known.sidecarset.spec
        if member != ANNOTATIONS:
            return self._place(("spec", member, [*map(name_of, spec[member])].index(name)))
        last = max(
            index for index, item in enumerate(spec["patchPodMetadata"]) if name in item.get("annotations", {})
        )
        return self._place(("spec", "patchPodMetadata", last, "annotations", name))

    def place_of_sidecar(self, name: str, within: Path = ()) -> Place | None:
        """Where the SidecarSet has a field of a container."""
        sidecar = next(item for item in self._current.plan.all_sidecars if any(h.name == name for h in item.halves))
        return self._place((*sidecar.path, *within[:1]))


def _before(key: Key, now: Value, candidates: _Candidates) -> tuple[_Version | None, Value]:
    """The version that an item is from, None if from none, and what the pod had before its injection."""
    if now is None:
        return None, None
    for version in candidates.versions:
        if key in version.items and now == version.items[key]:
            return version, None
    if key[0] != ANNOTATIONS:
        return None, now
    merged = [(item, without_merged(now, item.plan.patches, key[1])) for item in candidates.versions]
    version, before = min(merged, key=lambda entry: len(entry[1]))
    return (version, before) if before != now else (None, now)
