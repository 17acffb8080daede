"""A SidecarSet's manifest decoded as the API version that it names, and what v1alpha1 says in the form of v1beta1.

Source: docs/behavior/api.md.
"""

from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.facts.errors import InputError, input_error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.sidecarset.sets import GROUP, NAMESPACE_NAME_LABEL, SidecarSet, Version

_VERSIONS: dict[str, Version] = {f"{GROUP}/v1alpha1": "v1alpha1", f"{GROUP}/v1beta1": "v1beta1"}


def version_of(manifest: Value) -> Version:
    """The API version of a SidecarSet's manifest; InputError if it is no SidecarSet of a known one."""
    if not isinstance(manifest, dict) or manifest.get("kind") != "SidecarSet":
        raise input_error(Reason.WRONG_TYPE, "not a SidecarSet", ("kind",), hint="kind: SidecarSet")
    api_version = manifest.get("apiVersion")
    version = _VERSIONS.get(api_version) if isinstance(api_version, str) else None
    if version is None:
        known = " or ".join(_VERSIONS)
        raise input_error(Reason.UNKNOWN_VERSION, "unknown API version", ("apiVersion",), hint=known)
    return version


def type_of(version: Version) -> str:
    """The type of a SidecarSet in the field table."""
    return f"{version}.SidecarSet"


def decode(manifest: Value, release: Release = DEFAULT) -> Version:
    """The API version of a manifest; InputError with a finding for each value that a release cannot decode."""
    version = version_of(manifest)
    problems = check(manifest, type_of(version), release=release)
    if problems:
        raise InputError(*problems)
    return version


CUSTOM_VERSION_LABEL = "apps.kruise.io/sidecarset-custom-version"


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
    """A manifest in the API version that a release knows, otherwise unchanged.

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


def spec_in_v1beta1(sidecarset: SidecarSet) -> Object:
    """The spec of a SidecarSet in v1beta1."""
    if sidecarset.version == "v1beta1":
        return sidecarset.spec
    spec: Object = to_v1beta1({"metadata": sidecarset.metadata, "spec": sidecarset.spec})["spec"]
    return spec


def checked_spec(sidecarset: SidecarSet) -> Object:
    """The spec of a SidecarSet in the form that its release checks."""
    return spec_in_v1beta1(sidecarset) if sidecarset.release.namespace_is_selector else sidecarset.spec


def checked_labels(sidecarset: SidecarSet) -> Labels:
    """The labels of a SidecarSet that its release checks; if customVersion is a field, no label names it."""
    if sidecarset.version == "v1beta1" or not sidecarset.release.custom_version_field:
        labels: Labels = sidecarset.metadata.get("labels", {})
        return labels
    converted: Labels = to_v1beta1({"metadata": sidecarset.metadata, "spec": {}})["metadata"]["labels"]
    return converted
