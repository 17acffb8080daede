"""A SidecarSet in the other API version.

Source: docs/behaviour/api.md, "Conversion".
"""

from sidecarctl.api.canonical import typed
from sidecarctl.api.decoding import check
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.values import Object, Value
from sidecarctl.releases.release import Release
from sidecarctl.sidecarset.decoding import decode, type_of, version_of
from sidecarctl.sidecarset.matching import NAMESPACE_NAME_LABEL
from sidecarctl.sidecarset.sets import GROUP, Version

CUSTOM_VERSION_LABEL = "apps.kruise.io/sidecarset-custom-version"


def converted(manifest: Value) -> Object:
    """A v1alpha1 set as v1beta1 and the other way round: typed, without defaults, status as it was given.

    InputError with a finding for each value that the API cannot decode.
    """
    version = decode(manifest)
    held = typed(manifest, type_of(version))
    other: Version = "v1beta1" if version == "v1alpha1" else "v1alpha1"
    convert = to_v1beta1 if version == "v1alpha1" else to_v1alpha1
    changed = convert(held) | {"apiVersion": f"{GROUP}/{other}"}
    result: Object = typed(changed, type_of(other))  # drops what the other version lacks, in its own order
    return result if manifest.get("status") else {key: result[key] for key in result if key != "status"}


def to_v1beta1(held: Object) -> Object:
    """A typed v1alpha1 set with its namespace and its version's name where v1beta1 has them."""
    spec = held["spec"]
    labels = held["metadata"].get("labels", {})
    if version := labels.get(CUSTOM_VERSION_LABEL):
        spec = spec | {"customVersion": version}
    if namespace := spec.get("namespace"):
        spec = spec | {"namespaceSelector": {"matchLabels": {NAMESPACE_NAME_LABEL: namespace}}}
    labels = {key: value for key, value in labels.items() if key != CUSTOM_VERSION_LABEL}
    return held | {"metadata": held["metadata"] | {"labels": labels}, "spec": spec}


def as_known_to(release: Release, manifest: Value) -> Value:
    """A manifest in the API version that a release knows, all but that as it is written.

    For a release without v1beta1 its customVersion is the label, and what only v1alpha1 has (`namespace`) is unknown.
    InputError for a customVersion that cannot be decoded.
    """
    if version_of(manifest) == "v1alpha1" or release.serves_v1beta1:
        return manifest
    spec, metadata = manifest.get("spec"), manifest.get("metadata")
    if not isinstance(spec, dict) or not isinstance(metadata or {}, dict):
        return manifest | {"apiVersion": f"{GROUP}/v1alpha1"}
    if problems := check(spec.get("customVersion"), "string", ("spec", "customVersion")):
        raise InputError(*problems)
    kept = {key: member for key, member in spec.items() if key not in {"customVersion", "namespace"}}
    changed = manifest | {"apiVersion": f"{GROUP}/v1alpha1", "spec": kept}
    version = spec.get("customVersion")
    labels = (metadata or {}).get("labels") or {}
    if not version or not isinstance(labels, dict):
        return changed
    return changed | {"metadata": (metadata or {}) | {"labels": labels | {CUSTOM_VERSION_LABEL: version}}}


def to_v1alpha1(held: Object) -> Object:
    """A typed v1beta1 set with its version's name in the label; the namespaceSelector stays one."""
    version = held["spec"].get("customVersion")
    if not version:
        return held
    labels = held["metadata"].get("labels", {}) | {CUSTOM_VERSION_LABEL: version}
    return held | {"metadata": held["metadata"] | {"labels": labels}}
