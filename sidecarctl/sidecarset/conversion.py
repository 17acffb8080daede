"""A SidecarSet's manifest decoded as the API version that it names, and converted to the other one.

Source: docs/behavior/api.md.
"""

from collections.abc import Iterator
from typing import NamedTuple

from sidecarctl.api.canonical import typed
from sidecarctl.api.decoding import check
from sidecarctl.api.label_selectors import Labels
from sidecarctl.facts.errors import InputError, input_error
from sidecarctl.facts.findings import Finding, note, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value
from sidecarctl.releases.release import DEFAULT, Release
from sidecarctl.sidecarset.sets import GROUP, NAMESPACE_NAME_LABEL, SidecarSet, Version

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


def converted(manifest: Value) -> Object:
    """A v1alpha1 set as v1beta1, or the reverse: typed, without defaults, status as it was given.

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


def to_v1alpha1(held: Object) -> Object:
    """A typed v1beta1 set with its version's name in the label; the namespaceSelector stays one."""
    version = held["spec"].get("customVersion")
    if not version:
        return held
    labels = held["metadata"].get("labels", {}) | {CUSTOM_VERSION_LABEL: version}
    return held | {"metadata": held["metadata"] | {"labels": labels}}


_LABEL = ("metadata", "labels", CUSTOM_VERSION_LABEL)
_CUSTOM_VERSION = ("spec", "customVersion")
_NAMESPACE = ("spec", "namespace")


class VersionChange(NamedTuple):
    """The manifest in the other version, and what that version cannot say in the same way."""

    after: Object
    findings: tuple[Finding, ...]


def in_version(manifest: Object, version: Version) -> VersionChange:
    """A manifest of the other version as one of this version: nothing else in it changes.

    The manifest must have passed `decoding.decode`. A field that its own version does not have, but the other one
    does, is left out: it meant nothing.
    """
    change = _to_v1beta1 if version == "v1beta1" else _to_v1alpha1
    after = manifest | {"apiVersion": f"{GROUP}/{version}"}
    return change(after)


def _to_v1beta1(manifest: Object) -> VersionChange:
    spec, labels = _spec_and_labels(manifest)
    findings = [*_remarks_on_namespace(spec), *_unknown_before(spec, "customVersion", "v1alpha1")]
    changed = {key: value for key, value in spec.items() if key not in {"namespace", "customVersion"}}
    if namespace := spec.get("namespace"):
        changed["namespaceSelector"] = {"matchLabels": {NAMESPACE_NAME_LABEL: namespace}}
    if version := labels.get(CUSTOM_VERSION_LABEL):
        changed["customVersion"] = version
    elif CUSTOM_VERSION_LABEL in labels:
        findings.append(
            note(Reason.NOT_IN_VERSION, "the label is empty, so it names no version; it is removed", _LABEL)
        )
    kept = {key: value for key, value in labels.items() if key != CUSTOM_VERSION_LABEL}
    after = _with_spec(manifest, spec, changed)
    return VersionChange(after if len(kept) == len(labels) else _with_labels(after, kept), tuple(findings))


def _to_v1alpha1(manifest: Object) -> VersionChange:
    spec, labels = _spec_and_labels(manifest)
    findings = list(_unknown_before(spec, "namespace", "v1beta1"))
    changed = {key: value for key, value in spec.items() if key not in {"namespace", "customVersion"}}
    version, label = spec.get("customVersion"), labels.get(CUSTOM_VERSION_LABEL)
    after = _with_spec(manifest, spec, changed)
    if not version and label:
        message = f'v1alpha1 reads the custom version from this label: it becomes "{label}"'
        findings.append(warning(Reason.NOT_IN_VERSION, message, _LABEL, hint="remove the label"))
    if not version or label == version:
        return VersionChange(after, tuple(findings))
    if label:
        message = (
            f'v1alpha1 stores the custom version in the label {CUSTOM_VERSION_LABEL}: "{label}" there is overwritten'
        )
        findings.append(warning(Reason.NOT_IN_VERSION, message, _CUSTOM_VERSION))
    return VersionChange(_with_labels(after, labels | {CUSTOM_VERSION_LABEL: version}), tuple(findings))


def _remarks_on_namespace(spec: Object) -> Iterator[Finding]:
    if not spec.get("namespace"):
        return
    message = f"v1beta1 has no field namespace: a namespaceSelector on {NAMESPACE_NAME_LABEL} says the same"
    yield note(Reason.NOT_IN_VERSION, message, _NAMESPACE)
    if spec.get("namespaceSelector") is not None:
        message = "namespace takes precedence over namespaceSelector, which had no effect and is removed"
        yield warning(Reason.NOT_IN_VERSION, message, ("spec", "namespaceSelector"))


def _unknown_before(spec: Object, field: str, version: Version) -> Iterator[Finding]:
    if spec.get(field) not in (None, ""):
        message = f"{version} has no field {field}: it had no effect, and is removed because the other version has it"
        yield warning(Reason.NOT_IN_VERSION, message, ("spec", field))


def _spec_and_labels(manifest: Object) -> tuple[Object, Object]:
    return manifest.get("spec") or {}, (manifest.get("metadata") or {}).get("labels") or {}


def _with_spec(manifest: Object, spec: Object, changed: Object) -> Object:
    """The manifest with the changed spec; as it is where nothing in that changed, even if it is null."""
    return manifest if changed == spec else manifest | {"spec": changed}


def _with_labels(manifest: Object, labels: Object) -> Object:
    metadata = {key: value for key, value in (manifest.get("metadata") or {}).items() if key != "labels" or labels}
    return manifest | {"metadata": metadata | {"labels": labels} if labels else metadata}


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
