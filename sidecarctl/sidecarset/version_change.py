"""A SidecarSet's manifest in the other API version, with as little changed as possible.

Source: docs/behaviour/api.md, "Conversion".
"""

from collections.abc import Iterator

from sidecarctl.facts.findings import Finding, note, warning
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.conversion import CUSTOM_VERSION_LABEL
from sidecarctl.sidecarset.matching import NAMESPACE_NAME_LABEL
from sidecarctl.sidecarset.sets import GROUP, Version

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
