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


def merged(original: Object, patch: Object, *, by_name: bool = True) -> Object:
    """An object with a patch applied: objects merge, null removes, `$patch` replaces or empties.

    Lists merge item by item, or are replaced as a whole where not `by_name`.

    MergeError at another directive, or at an item of a merged list that lacks its key.
    """
    directive = patch.get("$patch")
    if directive == "replace":
        return {key: value for key, value in patch.items() if key != "$patch"}
    if directive == "delete":
        return {}
    if any(key.startswith("$") for key in patch):
        raise MergeError("the patch has an unknown directive")
    changed = {key: _merged_value(key, original.get(key), value, by_name=by_name) for key, value in patch.items()}
    return {key: value for key, value in (original | changed).items() if key not in patch or value is not None}


def _merged_value(key: str, original: Value, patch: Value, *, by_name: bool) -> Value:
    if isinstance(original, dict) and isinstance(patch, dict):
        return merged(original, patch, by_name=by_name)
    if by_name and isinstance(original, list) and isinstance(patch, list) and key in MERGE_KEYS:
        return _merged_list(MERGE_KEYS[key], original, patch)
    return patch


def _merged_list(key: str, original: list[Value], patch: list[Value]) -> list[Value]:
    """The items of both: those of the patch in its order, each after the ones that it followed before.

    An item of the patch is merged into the first item of its key, be that an earlier one of the patch. Items of one
    key end up together.
    """
    if not all(isinstance(item, dict) and isinstance(item.get(key), str | int) for item in original + patch):
        raise MergeError(f"an item of a list that is merged by {key} has no {key}")
    if any("$patch" in item for item in patch):
        raise MergeError("directives inside lists are not supported")
    places, order = _first_places(key, original), _first_places(key, patch)
    items = list(original)
    for item in patch:
        found = next((index for index, other in enumerate(items) if other[key] == item[key]), None)
        if found is None:
            items.append(item)
        else:
            items[found] = merged(items[found], item)
    kept = sorted((item for item in items if item[key] not in order), key=lambda item: places[item[key]])
    result: list[Value] = []
    for item in sorted((item for item in items if item[key] in order), key=lambda item: order[item[key]]):
        place = places.get(item[key])
        while kept and place is not None and places[kept[0][key]] < place:
            result.append(kept.pop(0))
        result.append(item)
    return result + kept


def _first_places(key: str, items: list[Value]) -> dict[Value, int]:
    return {item[key]: index for index, item in reversed(list(enumerate(items)))}
