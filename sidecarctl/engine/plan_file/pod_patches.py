"""The patch of a pod: as a plan file has it, and in each form that the API server accepts."""

from collections.abc import Iterator, Mapping

from sidecarctl.engine.api.canonical import is_stable
from sidecarctl.engine.facts.errors import ImpossibleError, impossible
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value, pointer_text
from sidecarctl.engine.plan_file.reading import PlannedCondition, PlannedPatch
from sidecarctl.engine.rollout.facts import AnnotationEdit, ConditionChange, EntryEdit, ImageChange, PodPatch
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.sidecarset.inplace_update_state import UpdateState, read_states
from sidecarctl.engine.sidecarset.pod_annotations import HASH, INPLACE_UPDATE_STATE, HashEntry


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


def json_patch_of(patch: PlannedPatch) -> list[Object]:
    """A JSON patch (RFC 6902).

    It first tests the pod's uid, the name of each container at its index, its image, and the text of each annotation
    that it replaces. JSON patches cannot test whether a key is absent, nor texts that servers write differently: then
    it tests the resourceVersion, if known.
    """
    return [*_tests(patch), *_changes(patch)]


def _tests(patch: PlannedPatch) -> Iterator[Object]:
    if patch.uid:
        yield _operation("test", ("metadata", "uid"), patch.uid)
    texts = [annotation.before for annotation in patch.annotations]
    if patch.resource_version and not all(text is not None and is_stable(text) for text in texts):
        yield _operation("test", ("metadata", "resourceVersion"), patch.resource_version)
    for image in patch.images:
        place = ("spec", image.among, image.place)
        yield _operation("test", (*place, "name"), image.container)
        yield _operation("test", (*place, "image"), image.before)
    for annotation in patch.annotations:
        if annotation.before is not None and (is_stable(annotation.before) or not patch.resource_version):
            yield _operation("test", ("metadata", "annotations", annotation.key), annotation.before)


def _changes(patch: PlannedPatch) -> Iterator[Object]:
    for image in patch.images:
        yield _operation("replace", ("spec", image.among, image.place, "image"), image.after)
    for annotation in patch.annotations:
        name = "add" if annotation.before is None else "replace"
        yield _operation(name, ("metadata", "annotations", annotation.key), annotation.after)


def strategic_patch_of(patch: PlannedPatch) -> Object:
    """A strategic merge patch, which finds containers by name.

    The API server rejects it for another uid, and for another resourceVersion if that is known: for a pod's first
    patch. It cannot check images and annotations.
    """
    spec: Object = {}
    for image in patch.images:
        spec.setdefault(image.among, []).append({"name": image.container, "image": image.after})
    return {"metadata": _metadata(patch, patch.resource_version), **({"spec": spec} if spec else {})}


def merge_patch_of(patch: PlannedPatch, pod: Object) -> Object:
    """A merge patch (RFC 7386), which replaces lists: `pod` is the whole pod before the patch.

    The API server rejects it for another resourceVersion than that of `pod`.
    """
    after = applied_to(patch, pod)
    version = (pod.get("metadata") or {}).get("resourceVersion") or ""
    spec = {among: after["spec"][among] for among in dict.fromkeys(image.among for image in patch.images)}
    return {"metadata": _metadata(patch, version), **({"spec": spec} if spec else {})}


def applied_to(patch: PlannedPatch, pod: Object) -> Object:
    """The pod after the patch; ImpossibleError (StalePlan) if the pod is not as the plan expects."""
    _refuse_stale(patch, pod)
    metadata, spec = pod.get("metadata") or {}, pod.get("spec") or {}
    annotations = {**(metadata.get("annotations") or {}), **_annotations(patch)}
    lists: Object = {}
    for image in patch.images:
        containers = lists.setdefault(image.among, list(spec[image.among]))
        containers[image.place] = {**containers[image.place], "image": image.after}
    return {**pod, "metadata": {**metadata, "annotations": annotations}, "spec": {**spec, **lists}}


def _refuse_stale(patch: PlannedPatch, pod: Object) -> None:
    """ImpossibleError (StalePlan) if the pod has changed since the plan was made."""
    metadata = pod.get("metadata") or {}
    if patch.uid and metadata.get("uid") and metadata["uid"] != patch.uid:
        raise _stale(patch, f"its uid is {metadata['uid']}, but the plan is for {patch.uid}")
    for image in patch.images:
        containers = (pod.get("spec") or {}).get(image.among) or []
        held = containers[image.place] if image.place < len(containers) else None
        if not held or held.get("name") != image.container:
            raise _stale(patch, f"{image.container} is not number {image.place} of its {image.among}")
        if (held.get("image") or "") != image.before:
            message = f"the image of {image.container} is {held.get('image')}, but the plan expects {image.before}"
            raise _stale(patch, message)
    for annotation in patch.annotations:
        recorded = (metadata.get("annotations") or {}).get(annotation.key)
        if (recorded or None) == (annotation.before or None):
            continue
        if annotation.key == HASH:
            raise _stale(patch, "it records another hash than the plan expects")
        raise _stale(patch, f"the annotation {annotation.key} is not as the plan expects it")


def condition_patch_of(entry: PlannedCondition) -> Object:
    """A strategic merge patch of the pod's status."""
    metadata = {"metadata": {"uid": entry.uid}} if entry.uid else {}
    return {**metadata, "status": {"conditions": [entry.condition]}}


def _metadata(patch: PlannedPatch, resource_version: str) -> Object:
    known = {"uid": patch.uid, "resourceVersion": resource_version}
    return {**{key: value for key, value in known.items() if value}, "annotations": _annotations(patch)}


def _annotations(patch: PlannedPatch) -> dict[str, str]:
    return {annotation.key: annotation.after for annotation in patch.annotations}


def _operation(name: str, path: tuple[str | int, ...], value: str) -> Object:
    return {"op": name, "path": pointer_text(path), "value": value}


def _stale(patch: PlannedPatch, message: str) -> ImpossibleError:
    return _refused(patch, impossible(Reason.STALE_PLAN, message, hint="make a new plan"))


def refuse_unchecked(patch: PlannedPatch) -> None:
    """ImpossibleError (UncheckedPatch) for a later merge patch of a pod: no version guards it."""
    if patch.is_first:
        return
    message = (
        "an earlier patch of the plan changes its resourceVersion, so a merge patch would overwrite "
        "concurrent changes of its containers"
    )
    hint = "use -o jsonpatch; or render the waves before, apply them, and make a new plan"
    raise _refused(patch, impossible(Reason.UNCHECKED_PATCH, message, hint=hint))


def _refused(patch: PlannedPatch, problem: ImpossibleError) -> ImpossibleError:
    return ImpossibleError(*(finding._replace(subject=patch.reference) for finding in problem.findings))
