"""What is odd about an admitted set, though nothing refuses it."""

from sidecarctl.api.unknown_fields import unknown_fields
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.sidecarset.reading import type_of
from sidecarctl.sidecarset.recorded_hashes import stale_hashes
from sidecarctl.tasks.world import World


def remarks(world: World) -> list[Finding]:
    """Warnings about the sets: fields that the API does not have, recorded hashes that are not the computed ones."""
    findings: list[Finding] = []
    for sidecarset in world.sidecarsets:
        source = world.sources[sidecarset.name]
        unknown = unknown_fields(source.manifest, type_of(sidecarset.version))
        found = [_unknown(path, meant) for path, meant in unknown]
        findings += source.findings([*found, *stale_hashes(source.manifest, sidecarset)])
    return findings


def _unknown(path: Path, meant: str) -> Finding:
    hint = f"did you mean {meant}?" if meant else "field names are case-sensitive"
    return warning(Reason.UNKNOWN_FIELD, f"the API has no field {path[-1]}; it is dropped", path, hint=hint)
