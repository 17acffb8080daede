"""What is odd about an admitted set, though nothing refuses it."""

from sidecarctl.api.unknown_fields import unknown_fields
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.hashes import Hashes, annotations_of
from sidecarctl.sidecarset.reading import type_of
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.tasks.world import World


def remarks(world: World) -> list[Finding]:
    """Warnings about the sets: fields that the API does not have, recorded hashes that are not the computed ones."""
    findings: list[Finding] = []
    for sidecarset in world.sidecarsets:
        source = world.sources[sidecarset.name]
        unknown = unknown_fields(source.manifest, type_of(sidecarset.version))
        found = [_unknown(path, meant) for path, meant in unknown]
        findings += source.findings([*found, *stale_hashes(sidecarset, source.manifest)])
    return findings


def _unknown(path: Path, meant: str) -> Finding:
    hint = f"did you mean {meant}?" if meant else "field names are case-sensitive"
    return warning(Reason.UNKNOWN_FIELD, f"the API has no field {path[-1]}; it is dropped", path, hint=hint)


def stale_hashes(sidecarset: SidecarSet, manifest: Object) -> list[Finding]:
    """A warning for each hash annotation of the manifest that differs from the computed hash."""
    recorded = (manifest.get("metadata") or {}).get("annotations") or {}
    computed = annotations_of(Hashes(sidecarset.hash, sidecarset.hash_without_image))
    return [
        warning(
            Reason.STALE_HASH,
            f"the recorded hash {recorded[key]} is not the computed {own}",
            ("metadata", "annotations", key),
            hint="it is stale, or another version of Kruise wrote it",
        )
        for key, own in computed.items()
        if recorded.get(key, own) != own
    ]
