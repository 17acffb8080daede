"""The annotations in which a pod records what was injected into it.

Source: docs/behaviour/injection.md, "Annotations written on the pod".
"""

from collections.abc import Mapping
from functools import lru_cache

from sidecarctl.facts.errors import impossible
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Value
from sidecarctl.injection.build.pod_plan import PodPlan
from sidecarctl.injection.containers.hot_pairs import version_annotations, working_containers
from sidecarctl.injection.options import InjectionOptions
from sidecarctl.sidecarset.annotations.annotation_json import decode
from sidecarctl.sidecarset.annotations.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INJECTED_LIST,
    WORKING_CONTAINERS,
    HashAnnotation,
    HashEntry,
    HashFormat,
    injected_sets,
    read_hashes,
    read_working_containers,
    write_hashes,
    write_injected_sets,
    write_working_containers,
)

HASHES = (HASH, HASH_WITHOUT_IMAGE)
_RECORDS = (*HASHES, INJECTED_LIST, WORKING_CONTAINERS)

Annotations = Mapping[str, Value]


class Recorder:
    """What the sets of a plan record on a pod; made once for a plan."""

    def __init__(self, plan: PodPlan, options: InjectionOptions) -> None:
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
    def keys(self) -> frozenset[str]:
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
        """The existing text, if it means the same."""
        if not present or present == wanted or not self._options.keeps_times:
            return wanted
        try:
            return present if decode(present) == decode(wanted) else wanted
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
