"""A strategic merge patch on a pod template, as UnitedDeployment applies the patches of its subsets.

Source: docs/workload-kinds.md, "Subsets of a UnitedDeployment".
"""

from sidecarctl.facts.values import Object, Value

_KEYS = {
    "containers": ("name",),
    "initContainers": ("name",),
    "ephemeralContainers": ("name",),
    "volumes": ("name",),
    "env": ("name",),
    "imagePullSecrets": ("name",),
    "resourceClaims": ("name",),
    "volumeMounts": ("mountPath",),
    "volumeDevices": ("devicePath",),
    "ports": ("containerPort",),
    "hostAliases": ("ip",),
    "topologySpreadConstraints": ("topologyKey",),
}
"""The lists of a pod that are merged item by item, and by what; a patch replaces all others."""

_DIRECTIVE = "$patch"


def strategically_merged(value: Object, patch: Object) -> Object:
    """The value after a patch: null takes a member out, maps and the lists above are merged, all else is replaced."""
    if patch.get(_DIRECTIVE) == "replace":
        return {key: member for key, member in patch.items() if key != _DIRECTIVE}
    result = dict(value)
    for key, change in patch.items():
        if change is None or _is_deletion(change):
            result.pop(key, None)
        elif not str(key).startswith("$"):
            result[key] = _member(key, result.get(key), change)
    return result


def _is_deletion(change: Value) -> bool:
    return isinstance(change, dict) and change.get(_DIRECTIVE) == "delete"


def _member(key: str, value: Value, change: Value) -> Value:
    if isinstance(change, dict):
        return strategically_merged(value if isinstance(value, dict) else {}, change)
    if key in _KEYS and isinstance(value, list) and isinstance(change, list):
        return _items(value, change, _KEYS[key][0])
    return change


def _items(items: list[Value], changes: list[Value], key: str) -> list[Value]:
    """The merged list: items keep their order, new ones come before the next that the patch does not name."""
    names = [_name(item, key) for item in items]
    changed = {_name(change, key): change for change in changes}
    gone = {name for name, change in changed.items() if _is_deletion(change)}
    kept = [(name, item) for name, item in zip(names, items, strict=True) if name not in changed]
    of_patch = [(name, _item(items, names, name, change)) for name, change in changed.items() if name not in gone]
    of_patch.sort(key=lambda pair: names.index(pair[0]) if pair[0] in names else len(names))
    result: list[Value] = []
    while kept and of_patch:
        is_known = of_patch[0][0] in names
        first = is_known and names.index(kept[0][0]) < names.index(of_patch[0][0])
        result.append((kept if first else of_patch).pop(0)[1])
    return [*result, *(item for _, item in (*kept, *of_patch))]


def _item(items: list[Value], names: list[Value], name: Value, change: Value) -> Value:
    own = items[names.index(name)] if name in names else {}
    return strategically_merged(own, change) if isinstance(own, dict) and isinstance(change, dict) else change


def _name(item: Value, key: str) -> Value:
    return item.get(key) if isinstance(item, dict) else item
