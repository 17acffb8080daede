"""Strategic merge patches, as far as revisions recorded by Kruise 1.5.0 or older need them.

Source: docs/behaviour/hash-and-revisions.md, "ControllerRevisions".
"""

from sidecarctl.facts.values import Object, Value

MERGE_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "volumes": "name",
    "imagePullSecrets": "name",
    "env": "name",
    "ports": "containerPort",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
}
"""The lists that are merged item by item, with the member that names an item; all others are replaced."""


class MergeError(ValueError):
    """A patch that cannot be applied."""


def merged(original: Object, patch: Object) -> Object:
    """An object with a patch applied: objects merge, null removes, `$patch` replaces or empties.

    MergeError at another directive, or at an item of a merged list that lacks its key.
    """
    directive = patch.get("$patch")
    if directive == "replace":
        return {key: value for key, value in patch.items() if key != "$patch"}
    if directive == "delete":
        return {}
    if any(key.startswith("$") for key in patch):
        raise MergeError("the patch has an unknown directive")
    changed = {key: _merged_value(key, original.get(key), value) for key, value in patch.items()}
    return {key: value for key, value in (original | changed).items() if changed.get(key, value) is not None}


def _merged_value(key: str, original: Value, patch: Value) -> Value:
    if isinstance(original, dict) and isinstance(patch, dict):
        return merged(original, patch)
    if isinstance(original, list) and isinstance(patch, list) and key in MERGE_KEYS:
        return _merged_list(MERGE_KEYS[key], original, patch)
    return patch


def _merged_list(key: str, original: list[Value], patch: list[Value]) -> list[Value]:
    """The items of both: those of the patch in its order, each after the ones that it followed before."""
    if not all(isinstance(item, dict) and isinstance(item.get(key), str | int) for item in original + patch):
        raise MergeError(f"an item of a list that is merged by {key} has no {key}")
    if any("$patch" in item for item in patch):
        raise MergeError("directives inside lists are not supported")
    places = {item[key]: index for index, item in reversed(list(enumerate(original)))}
    patched = {item[key] for item in patch}
    kept = [item for item in original if item[key] not in patched]
    result: list[Value] = []
    for item in patch:
        place = places.get(item[key])
        while kept and place is not None and places[kept[0][key]] < place:
            result.append(kept.pop(0))
        result.append(item if place is None else merged(original[place], item))
    return result + kept
