"""The annotations of a pod after the metadata patches of several sets.

Source: docs/behaviour/injection.md, "Pod metadata first".
"""

from collections.abc import Iterable, Mapping

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.values import Object, Value
from sidecarctl.sidecarset.annotations.metadata_patches import apply

Patches = Iterable[Iterable[Object]]
"""The patchPodMetadata of each set, in the order of the sets."""


def patched_annotations(annotations: Mapping[str, Value], patches: Patches) -> Mapping[str, Value]:
    """A pod's annotations after all patches; ImpossibleError if one cannot be merged."""
    for items in patches:
        annotations = apply(annotations, items)
    return annotations


def made_alone(patches: Patches) -> Mapping[str, Value]:
    """What patches make of no annotations at all; nothing where they cannot be merged with each other."""
    try:
        return patched_annotations({}, patches)
    except ImpossibleError:
        return {}


def patched_keys(patches: Patches) -> dict[str, bool]:
    """The keys that are patched, each with whether patches only add it where it is missing."""
    keys: dict[str, bool] = {}
    for items in patches:
        for item in items:
            adds = (item.get("patchPolicy") or "Retain") == "Retain"
            keys |= {key: keys.get(key, True) and adds for key in item.get("annotations", {})}
    return keys
