"""The hashes recorded in the manifest of a SidecarSet, compared with the computed ones.

Source: docs/behaviour/hash-and-revisions.md, "The two hashes".
"""

from collections.abc import Iterator

from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.annotations.pod_annotations import HASH, HASH_WITHOUT_IMAGE
from sidecarctl.sidecarset.sets import SidecarSet


def stale_hashes(manifest: Object, sidecarset: SidecarSet) -> Iterator[Finding]:
    """A warning for each recorded hash that is not the computed one of the set that the manifest made."""
    computed = sidecarset.metadata["annotations"]
    for key, value in _recorded(manifest).items():
        if value != computed[key]:
            message = f'the recorded hash "{value}" differs from the computed hash {computed[key]}'
            hint = "it is stale, or another Kruise version wrote it"
            yield warning(Reason.STALE_HASH, message, ("metadata", "annotations", key), hint=hint)


def with_recorded_hashes(manifest: Object, sidecarset: SidecarSet) -> SidecarSet:
    """The set that the manifest made, with the hashes that the manifest records where it does."""
    annotations = sidecarset.metadata["annotations"] | _recorded(manifest)
    return sidecarset._replace(
        metadata=sidecarset.metadata | {"annotations": annotations},
        hash=annotations[HASH],
        hash_without_image=annotations[HASH_WITHOUT_IMAGE],
    )


def _recorded(manifest: Object) -> dict[str, str]:
    annotations = (manifest.get("metadata") or {}).get("annotations") or {}
    keys = (HASH, HASH_WITHOUT_IMAGE)
    return {key: annotations[key] for key in keys if annotations.get(key)}
