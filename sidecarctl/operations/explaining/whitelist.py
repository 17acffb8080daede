"""Whether Kruise's whitelist lets a SidecarSet patch the annotations that it patches: the answers of validation.

Source: docs/behaviour/validation.md, "Strategies".
"""

from collections.abc import Iterator, Sequence

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.references import Place
from sidecarctl.facts.values import Object
from sidecarctl.inputs.deciding_kinds import is_whitelist
from sidecarctl.inputs.world import World
from sidecarctl.sidecarset.sets import WHITELIST, SidecarSet
from sidecarctl.validation.admission.metadata_patches import metadata_patch_findings
from sidecarctl.validation.given import METADATA_DEFAULTS_GATE, Given, checked_labels, spec_in_v1beta1

_PATH: Path = ("spec", "patchPodMetadata")


class PatchedKey(NamedTuple):
    """An annotation that a SidecarSet patches; `allowed` is None if the whitelist is not known."""

    key: str
    policy: str
    allowed: bool | None
    path: Path
    place: Place | None


class WhitelistAnswer(NamedTuple):
    """What the whitelist says about a SidecarSet; `place` is where it was read, None if it was not found.

    `misplaced` are ConfigMaps of its name in namespaces where Kruise does not look, with their places.
    """

    message: str
    place: Place | None
    misplaced: Sequence[tuple[str, Place]]
    keys: Sequence[PatchedKey]


def whitelist_answer(sidecarset: SidecarSet, world: World, gates: frozenset[str]) -> WhitelistAnswer | None:
    """The answer for one SidecarSet; None for one that patches no metadata."""
    items = spec_in_v1beta1(sidecarset).get("patchPodMetadata") or []
    if not items:
        return None
    given = Given([sidecarset], whitelist=world.whitelist, gates=gates)
    found = list(metadata_patch_findings(items, checked_labels(sidecarset), given))
    unknown = world.whitelist is None and METADATA_DEFAULTS_GATE not in gates
    refused = {item.path for item in found}
    whole = next((item.message for item in found if item.path == _PATH), "")
    used = next((item for item in reversed(world.whitelist_sources) if is_whitelist(item.reference)), None)
    others = [item for item in world.whitelist_sources if not is_whitelist(item.reference)]
    source = world.sources[sidecarset.name]
    keys = [
        PatchedKey(key, policy, None if unknown else not (whole or path in refused), path, source.place(path))
        for key, policy, path in _keys(items)
    ]
    misplaced = [(other.reference.namespace, other.place()) for other in others]
    return WhitelistAnswer(_message(whole, unknown=unknown), used.place() if used else None, misplaced, keys)


def _keys(items: Sequence[Object]) -> Iterator[tuple[str, str, Path]]:
    for index, item in enumerate(items):
        for key in item.get("annotations") or {}:
            yield key, item.get("patchPolicy") or "Retain", (*_PATH, index, "annotations", key)


def _message(refusal: str, *, unknown: bool) -> str:
    name = f"ConfigMap {WHITELIST.namespace}/{WHITELIST.name}"
    if unknown:
        return f"the whitelist, {name}, is not among the inputs: without it Kruise refuses the SidecarSet"
    return refusal or f"the whitelist is {name}"
