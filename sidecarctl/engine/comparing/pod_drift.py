"""The drift of a pod from a SidecarSet and its known revisions: a pure function.

The hash that the pod records names the revision that its sidecars are compared with. initContainers count as far as
the hash covers them: all of them if one is a native sidecar, else none. An update in place leaves their images.

Source: docs/behavior/rollout.md, "Predicates on a pod"; hash-and-revisions.md, "The two hashes".
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from sidecarctl.engine.api.field_table import fields_of
from sidecarctl.engine.comparing.drift_states import DriftState
from sidecarctl.engine.comparing.drifts import Drift, PodDrift
from sidecarctl.engine.comparing.outdated import NewPodVersion, Outdated, record_of
from sidecarctl.engine.comparing.tolerance import Tolerance
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.injection.new_pods import of_the_pod
from sidecarctl.engine.injection.pod.pod_view import is_injected
from sidecarctl.engine.rollout.predicates import other_images
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.rollout.statuses import PodStatus, SetStatus
from sidecarctl.engine.rollout.summary.sidecar_comparison import (
    ComparedSidecars,
    FieldDifference,
    SidecarComparison,
    is_image,
)
from sidecarctl.engine.rollout.targets import LeftOut, Target, target_of
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    INJECTED_LIST,
    HashAnnotation,
    HashEntry,
    HashFormat,
    injected_sets,
)
from sidecarctl.engine.sidecarset.revisions.revision_restoring import KnownRevision
from sidecarctl.engine.sidecarset.sets import is_native_sidecar, sidecar_list

NOT_COMPARED = frozenset(
    {Reason.SYSTEM_NAMESPACE, Reason.POD_NOT_ACTIVE, Reason.INJECTED_BY_CANARY, Reason.STATIC_POD}
)
"""Reasons for which selected pods are not compared."""

_HISTORY = "--revision-from takes earlier manifests"
_RANKS = {state: rank for rank, state in enumerate(DriftState)}


class _Revision:
    """A known revision as pods are compared with it; pods that share their containers are compared once."""

    def __init__(self, known: KnownRevision, comparison: SidecarComparison) -> None:
        self.known = known
        spec = known.sidecarset.spec
        self.target: Target = target_of(known.sidecarset, known.name)
        self.containers = sidecar_list(spec)
        self.covers_init = any(map(is_native_sidecar, spec.get("initContainers") or ()))
        self._comparison = comparison
        self._known: dict[tuple[int, int], ComparedSidecars | None] = {}

    def compared(self, pod: SimulatedPod) -> ComparedSidecars | None:
        """What differs but the images of containers; None if nothing can be computed."""
        if self._comparison.looks_at_metadata:
            return self._covered(pod)
        spec = pod.manifest["spec"]
        key = id(spec.get("containers")), id(spec.get("initContainers"))
        if key not in self._known:
            self._known[key] = self._covered(pod)
        return self._known[key]

    def _covered(self, pod: SimulatedPod) -> ComparedSidecars | None:
        found = self._comparison.of(pod.manifest)
        if found is None:
            return None
        main = self._comparison.names["containers"]
        fields = [entry for entry in found.fields if self._counts(entry)]
        return ComparedSidecars(
            tuple(fields), tuple(name for name in found.missing if self.covers_init or name in main)
        )

    def _counts(self, entry: FieldDifference) -> bool:
        is_of_init = entry.path[1] == "initContainers"
        return self.covers_init if is_of_init else not is_image(entry)

    def images(self, pod: SimulatedPod) -> Iterator[FieldDifference]:
        """The containers of the pod with another image."""
        for name, now, image in other_images(self.target, pod):
            path = ("spec", "containers", list(pod.images).index(name), "image")
            yield FieldDifference(path, now, image, f"spec.containers[{name}].image")


class ComparedPods:
    """The pods of one SidecarSet; `known` are its revisions by hash, `family` its base and that one's canaries.

    `new_pods`: what pods created now get.
    """

    def __init__(
        self,
        status: SetStatus,
        known: Mapping[str, KnownRevision],
        family: frozenset[str],
        gates: frozenset[str],
        tolerance: Tolerance,
        new_pods: NewPodVersion,
    ) -> None:
        self._new_pods = new_pods
        self._family = family
        self._target = status.target
        self._known = known
        self._gates = gates
        self._tolerance = tolerance
        self._revisions: dict[str, _Revision] = {}
        self._containers = frozenset(sidecar_list(status.sidecarset.spec))
        self._injects = status.sidecarset.brings_containers
        self._wanted = {item.name: item.image for item in self._target.containers}
        self._names = self._target.names
        self._runs: dict[int, Mapping[str, str]] = {}
        self._new_images: dict[tuple[int, int], list[FieldDifference]] = {}

    def of_member(self, pod: SimulatedPod, standing: PodStatus) -> PodDrift:
        """The drift of a pod that takes part in the rollout."""
        return self._made(pod, self._of_record(pod, standing), standing)

    def of_left_out(self, pod: SimulatedPod, left_out: LeftOut) -> PodDrift | None:
        """The drift of a pod that is selected, but takes no part; None if it need not have sidecars."""
        if left_out.reason is Reason.NOTHING_RECORDED:
            return self._made(pod, self._of_new_pod(pod))
        if left_out.reason in NOT_COMPARED or not self._injects or self._is_of_family(pod):
            return None
        if left_out.reason is Reason.ANNOTATION_UNREADABLE:
            return self._made(pod, [Drift(DriftState.UNKNOWN, left_out.message)])
        if left_out.reason is Reason.SIDECAR_MISSING:
            return self._made(pod, self._of_record(pod, None, left_out.message))
        if carried := self._carried(pod):
            why = f"it has {carried}, but its injected-list does not name the SidecarSet: {self._advice(pod)}"
            return self._made(pod, [Drift(DriftState.UNKNOWN, why)])
        return self._made(pod, [Drift(DriftState.MISSING, left_out.message)])

    def _is_of_family(self, pod: SimulatedPod) -> bool:
        """Whether the pod has the sidecars of a canary or base of the set, which stand for its own."""
        return not self._family.isdisjoint(injected_sets(pod.annotations.get(INJECTED_LIST)))

    def _carried(self, pod: SimulatedPod) -> str:
        """What a pod has of the SidecarSet without recording it; empty for nothing."""
        containers = (pod.manifest.get("spec") or {}).get("containers") or ()
        injected = [item["name"] for item in containers if item and is_injected(item)]
        lists = [entry.sidecar_list for entry in pod.records.hashes.entries.values()]
        others = self._names if None in lists else {name for names in lists for name in names or ()}
        if names := [name for name in dict.fromkeys(injected) if name in self._names - others]:
            return f"sidecar {', '.join(names)}"
        return "a recorded hash of it" if pod.records.hashes.recorded(self._target.name) else ""

    def _made(self, pod: SimulatedPod, drifts: Iterable[Drift], standing: PodStatus | None = None) -> PodDrift:
        found = sorted(drifts, key=lambda drift: _RANKS[drift.state]) or [Drift(DriftState.IN_SYNC)]
        hashes = pod.hashes
        entry = hashes.entries.get(self._target.name) or HashEntry()
        recorded = hashes.recorded(self._target.name)
        known = self._known.get(recorded)
        return PodDrift(
            pod=pod.name,
            drifts=tuple(found),
            hash=recorded,
            revision=entry.controller_revision or (known.name if known else ""),
            version=known.version if known else "",
            since=entry.update_timestamp,
            runs=self._running(pod),
            wanted=self._wanted,
            standing=standing,
        )

    def _running(self, pod: SimulatedPod) -> Mapping[str, str]:
        key = id(pod.images)
        if key not in self._runs:
            self._runs[key] = {name: image for name, image in pod.images.items() if name in self._names}
        return self._runs[key]

    def _of_record(self, pod: SimulatedPod, standing: PodStatus | None, lacks: str = "") -> Iterator[Drift]:
        """The drifts of a pod that records the SidecarSet; `lacks` says which sidecar of the current one it lacks."""
        hashes = pod.records.hashes
        recorded = hashes.recorded(self._target.name)
        if not recorded:
            if self._target.containers:
                yield Drift(DriftState.UNKNOWN, _unrecorded(hashes))
            else:
                yield from self._of_new_pod(pod)
            return
        if recorded in self._known:
            yield from self._of_revision(pod, recorded, standing, lacks)
        else:
            yield from self._of_unknown(pod, recorded, lacks)
        if gone := self._no_longer(pod, recorded):
            yield Drift(DriftState.ORPHAN, f"the SidecarSet no longer has {', '.join(gone)}: {self._advice(pod)}")
        if pod.update_states is None:
            why = "whether an update is in flight: kruise.io/sidecarset-inplace-update-state cannot be read"
            yield Drift(DriftState.UNKNOWN, why)
        elif standing and standing.in_flight and (standing.working or pod.update_states.get(self._target.name)):
            yield Drift(DriftState.UPDATING, standing.why if standing.updated else "an update is in flight")

    def _revision(self, recorded: str) -> _Revision:
        if recorded not in self._revisions:
            known, of_new_pods = self._known[recorded], self._new_pods.comparison
            if of_new_pods and recorded == self._target.hash:  # pods are compared with it once
                comparison = of_new_pods.sidecars
            else:
                comparison = SidecarComparison(known.sidecarset, self._gates)
            self._revisions[recorded] = _Revision(known, comparison)
        return self._revisions[recorded]

    def _of_revision(
        self, pod: SimulatedPod, recorded: str, standing: PodStatus | None, lacks: str
    ) -> Iterator[Drift]:
        revision = self._revision(recorded)
        compared = revision.compared(pod)
        if compared is None:
            yield Drift(DriftState.UNKNOWN, "Kruise would reject such a pod now, so nothing can be compared")
            compared = ComparedSidecars()
        yield from self._missing(compared, pod)
        is_patched = (pod.update_states or {}).get(self._target.name)  # that leaves the images of initContainers
        fields = [entry for entry in compared.fields if not (is_image(entry) and is_patched)]
        drifted = self._tolerance.drifted([*revision.images(pod), *fields], pod.manifest)
        if newer := [entry.text for entry in drifted if _is_unknown(entry)]:
            why = "a field that the API here does not know, perhaps a default of a newer Kubernetes"
            yield Drift(DriftState.UNKNOWN, f"{', '.join(newer)}: {why}")
        if differing := tuple(entry for entry in drifted if not _is_unknown(entry)):
            yield Drift(DriftState.CHANGED, "the sidecar differs from the revision that the pod records", differing)
        if recorded != self._target.hash:
            why = _holding(standing) if standing else f"{lacks}: {self._advice(pod)}"
            yield Drift(DriftState.BEHIND, why, self._tolerance.drifted([*self._of_update(pod)], pod.manifest))
        else:
            yield from self._of_new_pod(pod)

    def _of_update(self, pod: SimulatedPod) -> Iterator[FieldDifference]:
        """All fields in which a pod of another hash differs from a new one."""
        if comparison := self._new_pods.comparison:
            key = id(pod.images), id(pod.records)
            if key not in self._new_images:
                self._new_images[key] = [
                    entry._replace(place=comparison.place_of_sidecar([*pod.images][int(entry.path[2])], ("image",)))
                    for entry in self._revision(self._target.hash).images(pod)
                ]
            yield from self._new_images[key]
            yield from comparison.update_of(pod.manifest, record_of(pod, self._target.name))
            yield from self._outdated(pod).fields

    def _outdated(self, pod: SimulatedPod) -> Outdated:
        comparison = self._new_pods.comparison
        return comparison.of(pod.manifest, record_of(pod, self._target.name)) if comparison else Outdated()

    def _of_new_pod(self, pod: SimulatedPod) -> Iterator[Drift]:
        """The drift from a new pod of a pod whose hash is current, or that cannot record one."""
        found = self._outdated(pod)
        fields = self._tolerance.drifted(found.fields, pod.manifest)
        if found.older or fields:  # as `outdated_pods` counts them
            why = f"it records the older revision {found.older}" if found.older else "no update changes that"
            yield Drift(DriftState.OUTDATED, f"{why}: {self._advice(pod)}", fields)
        if found.undecided:
            why = f"whether {', '.join(found.undecided)} is the pod's own or of an earlier version: {_HISTORY}"
            yield Drift(DriftState.UNKNOWN, why)
        elif not (found.is_at_hand or fields):
            name = record_of(pod, self._target.name).entry.controller_revision
            why = f"revision {name} is not among the inputs, so a new pod may or may not differ: {_HISTORY}"
            yield Drift(DriftState.UNKNOWN, why)

    def _of_unknown(self, pod: SimulatedPod, recorded: str, lacks: str) -> Iterator[Drift]:
        """The drift of a pod of an unknown revision: all but images, if only images differ from a known one."""
        without_image = pod.records.hashes_without_image.recorded(self._target.name)
        alike = [item for item in self._known if self._known[item].sidecarset.hash_without_image == without_image]
        named = pod.records.hashes.entries.get(self._target.name) or HashEntry()
        which = f"hash {recorded[:12]}"
        which = f"revision {named.controller_revision} ({which})" if named.controller_revision else which
        undecided = "its images" if alike else "its sidecars"
        why = f"{which} is not among the inputs, so {undecided} cannot be compared: {_HISTORY}"
        compared = (self._revision(alike[0]).compared(pod) if alike else None) or ComparedSidecars()
        yield Drift(DriftState.UNKNOWN, f"{lacks}; {why}" if lacks and not compared.missing else why)
        yield from self._missing(compared, pod)
        fields = [entry for entry in compared.fields if not is_image(entry)]
        if drifted := self._tolerance.drifted(fields, pod.manifest):
            yield Drift(DriftState.CHANGED, "the sidecar differs from every revision with this hash", drifted)

    def _missing(self, compared: ComparedSidecars, pod: SimulatedPod) -> Iterator[Drift]:
        if compared.missing:
            why = f"sidecar {', '.join(compared.missing)} is missing, which its revision has: {self._advice(pod)}"
            yield Drift(DriftState.MISSING, why)

    def _advice(self, pod: SimulatedPod) -> str:
        return of_the_pod(self._target.recreation(pod))

    def _is_asked(self, recorded: str) -> bool:
        """Whether new pods get the revision too, so that recreating the pod changes nothing."""
        asked = self._new_pods.asked
        return bool(asked) and recorded in self._known and self._known[recorded].name == asked

    def _no_longer(self, pod: SimulatedPod, recorded: str) -> list[str]:
        """The containers that the pod has from an earlier revision, and the SidecarSet no longer has."""
        if recorded == self._target.hash or self._is_asked(recorded):
            return []
        entry = pod.records.hashes.entries.get(self._target.name) or HashEntry()
        earlier = self._revision(recorded).containers if recorded in self._known else entry.sidecar_list or ()
        return [name for name in earlier if name not in self._containers]


def _is_unknown(entry: FieldDifference) -> bool:
    """Whether a pod has a field of a container that no SidecarSet can have."""
    return entry.new is None and entry.path[3] not in _container_fields()


@cache
def _container_fields() -> frozenset[str]:
    return frozenset(field.name for field in fields_of("core.Container") or ())


def _holding(standing: PodStatus) -> str:
    """Why a pod does not have the current revision."""
    return f"{standing.state}: {standing.why}" if standing.why else str(standing.state)


def _unrecorded(hashes: HashAnnotation) -> str:
    """Why a pod records no hash."""
    if hashes.format in (HashFormat.MIXED, HashFormat.UNREADABLE):
        return f"the annotation {HASH} records nothing: it is {hashes.format}"
    return f"the annotation {HASH} has no hash of the SidecarSet"
