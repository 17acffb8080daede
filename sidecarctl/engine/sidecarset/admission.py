"""A SidecarSet as the cluster holds it after it was created or updated, with its two hashes.

The hashes tell Kruise whether a pod runs the current version of a set. Source: docs/behavior/api.md and
hash-and-revisions.md.
"""

from collections.abc import Iterator

from sidecarctl.engine.api.canonical import compact, encoded, typed
from sidecarctl.engine.api.decoding import decodes
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.findings import Finding, error, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import sha256
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.sidecarset.conversion import as_known_to, decode, type_of, version_of
from sidecarctl.engine.sidecarset.defaults import with_defaults, with_schema_defaults
from sidecarctl.engine.sidecarset.pod_annotations import HASH, HASH_WITHOUT_IMAGE
from sidecarctl.engine.sidecarset.sets import SidecarSet, is_native_sidecar

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_TABLE = {code: _ALPHABET[code % len(_ALPHABET)] for code in range(128)}


def safely_encoded(text: str) -> str:
    """ASCII text with each character replaced by the one that its code picks from the alphabet."""
    return text.translate(_TABLE)


def hash_annotations(spec: Object, written: Object, release: Release = DEFAULT) -> dict[str, str]:
    """Both hashes of a spec in typed form, over the fields that a release knows, by the annotations that hold them.

    `written` is the spec that it was made from: a list of containers that is empty there counts differently
    from an absent one, and the typed form has neither.
    """
    containers, init_containers = (
        spec.get(name, [] if written.get(name) == [] else None) for name in ("containers", "initContainers")
    )
    return {
        HASH: _hash(containers, init_containers, release),
        HASH_WITHOUT_IMAGE: _hash(_without_image(containers), _without_image(init_containers), release),
    }


def _hash(containers: Value, init_containers: Value, release: Release) -> str:
    hashed = {"containers": _encoded(containers, release)}
    if any(map(is_native_sidecar, init_containers or ())):
        hashed["initContainers"] = _encoded(init_containers, release)
    return safely_encoded(sha256(compact(hashed).encode()).hexdigest())


def _encoded(containers: Value, release: Release) -> Value:
    # The type is the same in both API versions.
    return None if containers is None else encoded(containers, "[]v1beta1.SidecarContainer", release)


def _without_image(containers: Value) -> Value:
    return containers and [container | {"image": ""} for container in containers]


def stale_hashes(manifest: Object, sidecarset: SidecarSet) -> Iterator[Finding]:
    """A warning for each hash in the manifest that differs from the computed one."""
    computed = sidecarset.metadata["annotations"]
    for key, value in _recorded_in(manifest).items():
        if value != computed[key]:
            message = f'the recorded hash "{value}" differs from the computed hash {computed[key]}'
            hint = "it is stale, or another Kruise version wrote it"
            yield warning(Reason.STALE_HASH, message, ("metadata", "annotations", key), hint=hint)


def with_recorded_hashes(manifest: Object, sidecarset: SidecarSet) -> SidecarSet:
    """The set with the hashes that its manifest records, if it does."""
    annotations = sidecarset.metadata["annotations"] | _recorded_in(manifest)
    return sidecarset._replace(
        metadata=sidecarset.metadata | {"annotations": annotations},
        hash=annotations[HASH],
        hash_without_image=annotations[HASH_WITHOUT_IMAGE],
    )


def _recorded_in(manifest: Object) -> dict[str, str]:
    return recorded_hashes((manifest.get("metadata") or {}).get("annotations") or {})


def recorded_hashes(annotations: Object) -> dict[str, str]:
    """The hashes among annotations."""
    return {key: annotations[key] for key in (HASH, HASH_WITHOUT_IMAGE) if annotations.get(key)}


_CONTAINER_LISTS = ("containers", "initContainers")


def admit(manifest: Value, release: Release = DEFAULT) -> SidecarSet:
    """A manifest as a release admits it: typed, with all defaults and both computed hashes (not the recorded ones).

    A release without v1beta1 reads such a set in its v1alpha1 form. InputError with a finding for each value that
    the API cannot decode. Nothing else is checked here (docs/behavior/validation.md); unknown fields are dropped.
    """
    manifest = _with_readable_status(as_known_to(release, manifest))
    version = decode(manifest, release)
    if problems := list(_undefaultable(manifest)):
        raise InputError(*problems)
    held = typed(with_schema_defaults(manifest), type_of(version), release)
    spec = with_defaults(held.get("spec", {}), release)
    hashes = hash_annotations(spec, manifest.get("spec") or {}, release)
    metadata = held.get("metadata", {})
    status = held.get("status", {})
    return SidecarSet(
        name=metadata.get("name", ""),
        version=version,
        metadata=metadata | {"annotations": metadata.get("annotations", {}) | hashes},
        spec=typed(spec, f"{version}.SidecarSetSpec", release),  # again, to put defaults into the API's order
        hash=hashes[HASH],
        hash_without_image=hashes[HASH_WITHOUT_IMAGE],
        latest_revision=status.get("latestRevision", ""),
        collision_count=status.get("collisionCount", 0),
        release=release,
    )


def _with_readable_status(manifest: Value) -> Value:
    """A manifest without a status that cannot be decoded: the API server drops it before Kruise sees it."""
    if decodes(f"{version_of(manifest)}.SidecarSetStatus")(manifest.get("status") or {}):
        return manifest
    return {key: value for key, value in manifest.items() if key != "status"}


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
