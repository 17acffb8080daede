"""What a SidecarSet injects besides containers, item by item: volumes, pull secrets, annotations.

Source: docs/behavior/injection.md, "What is written".
"""

import json
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.injection.pod.pod_plan import made_alone, name_of
from sidecarctl.engine.injection.pod.pod_view import is_injected
from sidecarctl.engine.injection.pod.set_plan import SetPlan
from sidecarctl.engine.sidecarset.defaults import with_volume_defaults

Key: TypeAlias = tuple[str, str]
"""A member of a pod and the name of an item of it: a volume, a pull secret, an annotation."""
Items: TypeAlias = Mapping[Key, Value]

VOLUMES, SECRETS, ANNOTATIONS = "volumes", "imagePullSecrets", "annotations"
CONTAINERS, INIT = "containers", "initContainers"


def brought_by(plan: SetPlan) -> Items:
    """What a SidecarSet injects besides containers into a pod that has nothing with these names."""
    return {
        **{(VOLUMES, name_of(item)): full_volume(item) for item in plan.volumes},
        **{(SECRETS, name_of(item)): {"name": name_of(item)} for item in plan.pull_secrets},
        **{(ANNOTATIONS, name): text for name, text in made_alone([plan.patches]).items()},
    }


def names_by_list(plan: SetPlan) -> Mapping[str, frozenset[str]]:
    """The names of the containers that a SidecarSet injects into each list."""
    lists = {CONTAINERS: plan.sidecars, INIT: plan.init_sidecars}
    return {field: frozenset(half.name for item in items for half in item.halves) for field, items in lists.items()}


def items_of(pod: Object) -> Mapping[Key, tuple[Path, Value]]:
    """The volumes, pull secrets and annotations of a pod, each with its path; the first of each name."""
    spec, annotations = pod["spec"], (pod.get("metadata") or {}).get("annotations") or {}
    found: dict[Key, tuple[Path, Value]] = {}
    for index, item in enumerate(spec.get(VOLUMES) or ()):
        found.setdefault((VOLUMES, name_of(item)), (("spec", VOLUMES, index), full_volume(item or {})))
    for index, item in enumerate(spec.get(SECRETS) or ()):
        found.setdefault((SECRETS, name_of(item)), (("spec", SECRETS, index), {"name": name_of(item)}))
    for name, text in annotations.items():
        found[(ANNOTATIONS, name)] = (("metadata", ANNOTATIONS, name), text or "")
    return found


def full_volume(volume: Object) -> Object:
    """A volume with the defaults of the API server."""
    return with_volume_defaults({key: value for key, value in volume.items() if value is not None})


def place_to_add(key: Key) -> Path:
    """Where an item that is missing would be added, as a JSON patch says it."""
    member, name = key
    return ("metadata", member, name) if member == ANNOTATIONS else ("spec", member, "-")


def item_text(key: Key) -> str:
    """`spec.volumes[buf]`: an item as messages name it."""
    member, name = key
    return f"metadata.{member}[{name}]" if member == ANNOTATIONS else f"spec.{member}[{name}]"


def without_merged(now: str, patches: Iterable[Object], name: str) -> str:
    """An annotation without what patches merged into it; the text itself if they merged nothing."""
    try:
        value = left = json.loads(now)
        for item in patches:
            patch = (item.get("annotations") or {}).get(name)
            if patch and item.get("patchPolicy") == "MergePatchJson":
                left = _difference(left, json.loads(patch))
    except (ValueError, RecursionError):
        return now
    return now if left == value else json.dumps(left, separators=(",", ":"))


def _difference(value: Value, patch: Value) -> Value:
    if not (isinstance(value, dict) and isinstance(patch, dict)):
        return value
    kept = {key: _difference(member, patch.get(key)) for key, member in value.items() if patch.get(key) != member}
    return {key: member for key, member in kept.items() if member != {} or value[key] == {}}


def differs(now: Value, after: Value) -> bool:
    """Whether two values differ; texts of JSON by what they say, as merging writes them anew."""
    if now == after:
        return False
    if not (isinstance(now, str) and isinstance(after, str) and now[:1] == after[:1] and now[:1] in ("{", "[")):
        return True
    try:
        return bool(_without_nulls(json.loads(now)) != _without_nulls(json.loads(after)))
    except (ValueError, RecursionError):
        return True


def _without_nulls(value: Value) -> Value:
    """A value without the nulls that merging removes or keeps, depending on where they were."""
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_nulls(member) for key, member in value.items() if member is not None}
    return value


def is_mounted_by_own(pod: Object, name: str) -> bool:
    """Whether a container mounts a volume that no SidecarSet injected."""
    containers = [*(pod["spec"].get("containers") or ()), *(pod["spec"].get(INIT) or ())]
    return any(
        name_of(mount) == name
        for item in containers
        if item and not is_injected(item)
        for member in ("volumeMounts", "volumeDevices")
        for mount in item.get(member) or ()
    )
