"""What an update records on the pod: the set's hashes, and the images that containers had before.

docs/behaviour/rollout.md, "Cold upgrade of one pod".
"""

from collections.abc import Iterable, Mapping

from sidecarctl.rollout.pod_changes import PodChange
from sidecarctl.rollout.pods import SimulatedPod
from sidecarctl.rollout.records import EntryEdit
from sidecarctl.rollout.targets import Target
from sidecarctl.sidecarset.inplace_update_state import UpdateState, write_states
from sidecarctl.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INPLACE_UPDATE_STATE,
    HashAnnotation,
    HashEntry,
    HashFormat,
    write_hashes,
)


def record_hashes(change: PodChange, target: Target, pod: SimulatedPod, now: str | None) -> None:
    """Record the target's hash, in the new format whatever the pod had."""
    present = pod.hashes
    if present.format is not HashFormat.NEW and pod.hashes_without_image.is_plain:
        _upgrade_hashes_without_image(change, target, pod, now)
    kept = _upgraded(target, present.strings, now) if present.format is HashFormat.OLD else present.entries
    entry = HashEntry(now, target.hash, target.name, target.sidecar_list, target.revision)
    edit = EntryEdit(target.name, kept.get(target.name), entry)
    _write(change, HASH, {**kept, target.name: entry}, edit)


def record_images(
    change: PodChange, target: Target, pod: SimulatedPod, containers: Iterable[str], now: str | None
) -> None:
    """Record the imageID that each of these containers has now; an entry keeps its revision and time."""
    states = pod.update_states or {}
    present = states.get(target.name)
    state = present or UpdateState(target.hash, now, {})
    image_ids = {name: _image_id(pod, name) for name in containers}
    updated = state._replace(last_image_ids={**(state.last_image_ids or {}), **image_ids})
    written = {**states, target.name: updated}
    edit = EntryEdit(target.name, present, updated)
    change.annotate_entry(INPLACE_UPDATE_STATE, write_states(written), written, edit)


def _upgrade_hashes_without_image(
    change: PodChange, target: Target, pod: SimulatedPod, now: str | None
) -> None:
    """Bring this annotation to the new format too, with the names that only the other one has."""
    strings = {**pod.hashes.strings, **pod.hashes_without_image.strings}
    entries = _upgraded(target, strings, now)
    if target.name in entries:
        edit = EntryEdit(target.name, None, entries[target.name])
        _write(change, HASH_WITHOUT_IMAGE, entries, edit)
    else:
        change.annotate(HASH_WITHOUT_IMAGE, write_hashes(entries))


def _upgraded(target: Target, strings: Mapping[str, str], now: str | None) -> dict[str, HashEntry]:
    """Entries for plain hashes; Kruise gives all of them the name of the set that is being updated."""
    return {name: HashEntry(now, text, target.name) for name, text in strings.items()}


def _write(change: PodChange, key: str, entries: Mapping[str, HashEntry], edit: EntryEdit) -> None:
    read = HashAnnotation(HashFormat.NEW, entries, {})
    change.annotate_entry(key, write_hashes(entries), read, edit)


def _image_id(pod: SimulatedPod, container: str) -> str:
    status = pod.statuses.get(container)
    return status.image_id if status else ""
