"""A SidecarSet as the cluster holds it after it was created or updated.

Source: docs/behaviour/api.md and hash-and-revisions.md.
"""

from collections.abc import Iterator

from sidecarctl.api.canonical import typed
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.sidecarset.conversion import as_known_to
from sidecarctl.sidecarset.decoding import decode, type_of
from sidecarctl.sidecarset.defaults import with_defaults, with_schema_defaults
from sidecarctl.sidecarset.hashes import annotations_of, hashes
from sidecarctl.sidecarset.sets import SidecarSet

_CONTAINER_LISTS = ("containers", "initContainers")


def admit(manifest: Value, release: Release = MASTER) -> SidecarSet:
    """The set that a release makes of a manifest: typed, with all defaults and both hashes (not the recorded).

    A release without v1beta1 reads such a set in its v1alpha1 form. InputError with a finding for each value that
    the API cannot decode. Nothing else is checked here (docs/behaviour/validation.md); unknown fields are dropped
    (`release_gaps.dropped_fields` finds them).
    """
    manifest = as_known_to(release, manifest)
    version = decode(manifest, release)
    if problems := list(_undefaultable(manifest)):
        raise InputError(*problems)
    held = typed(with_schema_defaults(manifest), type_of(version), release)
    spec = with_defaults(held.get("spec", {}), release)
    computed = hashes(spec, manifest.get("spec") or {}, release)
    metadata = held.get("metadata", {})
    annotations = metadata.get("annotations", {}) | annotations_of(computed)
    status = held.get("status", {})
    return SidecarSet(
        name=metadata.get("name", ""),
        version=version,
        metadata=metadata | {"annotations": annotations},
        spec=typed(spec, f"{version}.SidecarSetSpec", release),  # once more: defaults stand in the API's order
        hash=computed.hash,
        hash_without_image=computed.hash_without_image,
        latest_revision=status.get("latestRevision", ""),
        collision_count=status.get("collisionCount", 0),
        release=release,
    )


def _undefaultable(manifest: Object) -> Iterator[Finding]:
    """A sourceContainerNameFrom without a fieldRef, which Kruise cannot admit."""
    spec = manifest.get("spec") or {}
    for name in _CONTAINER_LISTS:
        for index, container in enumerate(spec.get(name) or ()):
            for item, transfer in enumerate((container or {}).get("transferEnv") or ()):
                source = (transfer or {}).get("sourceContainerNameFrom")
                if source is not None and source.get("fieldRef") is None:
                    path = ("spec", name, index, "transferEnv", item, "sourceContainerNameFrom", "fieldRef")
                    yield error(
                        Reason.MISSING_FIELD, "fieldRef is missing", path, hint="Kruise rejects the SidecarSet"
                    )
