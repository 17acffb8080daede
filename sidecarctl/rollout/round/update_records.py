"""What an update records on the pod: the hashes of the SidecarSet, and the previous images of containers.

docs/behaviour/rollout.md, "Cold upgrade of one pod".
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from sidecarctl.releases.release import Release
from sidecarctl.rollout.pods.simulated_pods import SimulatedPod
from sidecarctl.rollout.pods.targets import Target
from sidecarctl.rollout.round.pod_changes import PodChange
from sidecarctl.rollout.round.rollout_facts import EntryEdit
from sidecarctl.sidecarset.annotations.inplace_update_state import UpdateState, read_states, write_states
from sidecarctl.sidecarset.annotations.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INPLACE_UPDATE_STATE,
    HashAnnotation,
    HashEntry,
    HashFormat,
    write_hashes,
)


def record_hashes(change: PodChange, target: Target, pod: SimulatedPod) -> None:
    """Record the hash of the target, always in the new format."""
    present = pod.records.hashes
    if present.format is not HashFormat.NEW:
        _upgrade_hashes_without_image(change, target, present, pod.records.hashes_without_image)
    if present.format is HashFormat.OLD:
        entries = {**_upgraded(target, present.strings), target.name: target.hash_entry}
        _write_upgraded(change, HASH, present.strings, entries, target.release)
    else:
        _write_entry(change, target, pod)


def record_images(change: PodChange, target: Target, pod: SimulatedPod, containers: Iterable[str]) -> None:
    """Record the current imageID of each of these containers; an entry keeps its revision and time."""
    image_ids = tuple((name, _image_id(pod, name)) for name in containers)
    present = pod.annotations.get(INPLACE_UPDATE_STATE)
    text, edit = _with_images(present, target.name, target.hash, target.now, image_ids)
    change.annotate_entries(INPLACE_UPDATE_STATE, text, (edit,))


@lru_cache(maxsize=1024)  # the pods of one set alone all get the same text
def _with_entry(others: tuple[tuple[str, HashEntry], ...], name: str, entry: HashEntry, release: Release) -> str:
    return write_hashes({**dict(others), name: entry}, release)


@lru_cache(maxsize=1024)  # so do those of one workload, the first time
def _with_images(
    text: str | None, name: str, revision: str, now: str | None, image_ids: tuple[tuple[str, str], ...]
) -> tuple[str, EntryEdit]:
    states = read_states(text) or {}
    state = states.get(name) or UpdateState(revision, now)
    updated = state._replace(last_image_ids={**(state.last_image_ids or {}), **dict(image_ids)})
    return write_states({**states, name: updated}), EntryEdit(name, updated, is_new=states.get(name) is None)


def _upgrade_hashes_without_image(
    change: PodChange, target: Target, hashes: HashAnnotation, without_image: HashAnnotation
) -> None:
    """Convert this annotation to the new format too, with the names that only the other one has."""
    if without_image.is_plain:
        entries = _upgraded(target, {**hashes.strings, **without_image.strings})
        _write_upgraded(change, HASH_WITHOUT_IMAGE, without_image.strings, entries, target.release)


def _upgraded(target: Target, strings: Mapping[str, str]) -> dict[str, HashEntry]:
    """Entries for plain hashes; Kruise gives all of them the name of the SidecarSet being updated."""
    return {name: HashEntry(target.now, text, target.name) for name, text in strings.items()}


def _write_upgraded(
    change: PodChange, key: str, strings: Mapping[str, str], entries: Mapping[str, HashEntry], release: Release
) -> None:
    """Convert an annotation from the old format to the new one."""
    text = write_hashes(entries, release)
    edits = tuple(EntryEdit(name, entry, is_new=name not in strings) for name, entry in entries.items())
    change.annotate_entries(key, text, edits)


def _write_entry(change: PodChange, target: Target, pod: SimulatedPod) -> None:
    entries = {} if is_alone(target, pod) else pod.hashes.entries
    others = tuple(item for item in entries.items() if item[0] != target.name)
    text = _with_entry(others, target.name, target.hash_entry, target.release)
    edit = EntryEdit(target.name, target.hash_entry, is_new=target.name not in pod.records.hashes.entries)
    change.annotate_entries(HASH, text, (edit,))


def is_alone(target: Target, pod: SimulatedPod) -> bool:
    """Whether the hash annotation has no entry of another SidecarSet, which an update keeps with its time."""
    return pod.records.hashes.entries.keys() <= {target.name}


def _image_id(pod: SimulatedPod, container: str) -> str:
    status = pod.statuses.get(container)
    return status.image_id if status else ""
