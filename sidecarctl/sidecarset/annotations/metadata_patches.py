"""patchPodMetadata: what a set wants among a pod's annotations (docs/behaviour/injection.md)."""

from collections.abc import Iterable, Mapping

from sidecarctl.facts.errors import impossible
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value


def apply(annotations: Mapping[str, Value] | None, items: Iterable[Object]) -> dict[str, str]:
    """The annotations after all items of a set's `patchPodMetadata`, in order; new keys come last.

    Raises ImpossibleError (MetadataPatchFailed) if a MergePatchJson item cannot be merged.
    """
    patched = {key: value or "" for key, value in (annotations or {}).items()}
    for item in items:
        policy = item.get("patchPolicy") or "Retain"
        for key, value in (item.get("annotations") or {}).items():
            _apply_one(patched, key, value or "", policy)
    return patched


def _apply_one(annotations: dict[str, str], key: str, value: str, policy: str) -> None:
    if policy == "Retain":
        annotations.setdefault(key, value)
    elif policy == "Overwrite" or (policy == "MergePatchJson" and not annotations.get(key)):
        annotations[key] = value
    elif policy == "MergePatchJson":
        annotations[key] = _merged(key, annotations[key], value)


def _merged(key: str, present: str, value: str) -> str:
    from sidecarctl.sidecarset.annotations.json_merge import merge

    try:
        return merge(present, value)
    except ValueError as problem:
        raise impossible(
            Reason.METADATA_PATCH_FAILED,
            f"cannot merge the patch of annotation {key}: {problem}",
            ("metadata", "annotations", key),
            hint="MergePatchJson requires a JSON object or list in the SidecarSet, and non-null JSON on the pod",
        ) from problem
