"""The patch of a pod in a plan: images by position, annotations with the entries that change."""

from collections.abc import Iterator, Mapping

from sidecarctl.facts.values import Object, Value
from sidecarctl.rollout.round.rollout_facts import AnnotationEdit, ConditionChange, EntryEdit, ImageChange, PodPatch
from sidecarctl.rollout.simulated_pods import SimulatedPod
from sidecarctl.sidecarset.inplace_update_state import UpdateState, read_states
from sidecarctl.sidecarset.pod_annotations import INPLACE_UPDATE_STATE, HashEntry


def patch_document(patch: PodPatch, pod: SimulatedPod) -> Object:
    """What a patch changes; `pod` is the pod as it was read."""
    return {
        "kind": patch.kind,
        "wasReady": patch.was_ready,
        "images": [_image(change, pod.manifest) for change in patch.images],
        "annotations": [_annotation(edit, pod.manifest) for edit in patch.annotations],
    }


def condition_document(change: ConditionChange) -> Object:
    """The pod condition, before and after."""
    return {
        "before": change.before._asdict() if change.before else None,
        "after": change.after._asdict(),
    }


def _image(change: ImageChange, manifest: Object) -> Object:
    containers = (manifest.get("spec") or {}).get(change.among) or []
    index = next(at for at, item in enumerate(containers) if item and item.get("name") == change.container)
    return {
        "container": change.container,
        "in": change.among,
        "index": index,
        "before": change.before,
        "after": change.after,
    }


def _annotation(edit: AnnotationEdit, manifest: Object) -> Object:
    return {
        "key": edit.key,
        "before": edit.before,
        "after": edit.after,
        "entries": [dict(_entry(entry, manifest)) for entry in edit.entries],
    }


def _entry(entry: EntryEdit, manifest: Object) -> Iterator[tuple[str, Value]]:
    """`presentTime`: the time is that of the patch; `simulatedImageIDs`: containers whose imageID is invented."""
    yield "sidecarSet", entry.set_name
    yield "value", _value(entry.after)
    yield "presentTime", isinstance(entry.after, HashEntry) or entry.is_new
    if isinstance(entry.after, UpdateState) and (invented := _invented(entry.set_name, entry.after, manifest)):
        yield "simulatedImageIDs", invented


def _value(value: HashEntry | UpdateState) -> Object:
    if isinstance(value, HashEntry):
        return {
            "updateTimestamp": value.update_timestamp,
            "hash": value.hash,
            "sidecarSetName": value.set_name,
            "sidecarList": None if value.sidecar_list is None else list(value.sidecar_list),
            "controllerRevision": value.controller_revision,
        }
    return {
        "revision": value.revision,
        "updateTimestamp": value.update_timestamp,
        "lastImageIDs": dict(value.last_image_ids or {}),
    }


def _invented(set_name: str, state: UpdateState, manifest: Object) -> list[str]:
    """The containers whose imageID does not occur in the pod as it was read."""
    statuses = (manifest.get("status") or {}).get("containerStatuses") or ()
    known = {item.get("name"): item.get("imageID") or "" for item in statuses if item}
    recorded = _recorded(set_name, manifest)
    return [
        container
        for container, image_id in (state.last_image_ids or {}).items()
        if image_id and image_id not in (known.get(container), recorded.get(container))
    ]


def _recorded(set_name: str, manifest: Object) -> Mapping[str, str]:
    annotations = (manifest.get("metadata") or {}).get("annotations") or {}
    state = (read_states(annotations.get(INPLACE_UPDATE_STATE)) or {}).get(set_name)
    return (state and state.last_image_ids) or {}
