"""A pod's manifest as one patch of the rollout leaves it; statuses stay as they were."""

from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.rollout.facts import PodPatch


def patched(manifest: Object, patch: PodPatch) -> Object:
    """The manifest with the patch's images and annotations; only changed branches are copied."""
    metadata = manifest.get("metadata") or {}
    annotations = {
        **(metadata.get("annotations") or {}),
        **{edit.key: edit.after for edit in patch.annotations},
    }
    result = {**manifest, "metadata": {**metadata, "annotations": annotations}} if patch.annotations else manifest
    return {**result, "spec": _with_images(manifest.get("spec") or {}, patch)} if patch.images else result


def _with_images(spec: Object, patch: PodPatch) -> Object:
    images = {(change.among, change.container): change.after for change in patch.images}
    changed: Object = {
        among: [_with_image(item, images.get((among, (item or {}).get("name") or ""))) for item in spec[among]]
        for among in {change.among for change in patch.images}
    }
    return {**spec, **changed}


def _with_image(container: Value, image: str | None) -> Value:
    return container if image is None else {**container, "image": image}
