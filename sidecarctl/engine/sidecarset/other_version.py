"""A SidecarSet's manifest in the other API version: as the API would return it, and with nothing else changed.

Source: docs/behavior/api.md.
"""

from collections.abc import Iterator, Sequence

from sidecarctl.engine.api.canonical import typed
from sidecarctl.engine.facts.findings import Finding, note, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.sidecarset.conversion import CUSTOM_VERSION_LABEL, decode, to_v1beta1, type_of
from sidecarctl.engine.sidecarset.sets import GROUP, NAMESPACE_NAME_LABEL, Version


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


def in_version(manifest: Object, version: Version) -> tuple[Object, Sequence[Finding]]:
    """A manifest of the other version as one of this version, and what this version cannot express in the same way.

    Nothing else in it changes. The manifest must have passed `conversion.decode`. A field that its own version does
    not have, but the other one does, is left out: it meant nothing.
    """
    after = manifest | {"apiVersion": f"{GROUP}/{version}"}
    return _to_v1beta1(after) if version == "v1beta1" else _to_v1alpha1(after)


def _to_v1beta1(manifest: Object) -> tuple[Object, Sequence[Finding]]:
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
    return after if len(kept) == len(labels) else _with_labels(after, kept), findings


def _to_v1alpha1(manifest: Object) -> tuple[Object, Sequence[Finding]]:
    spec, labels = _spec_and_labels(manifest)
    findings = list(_unknown_before(spec, "namespace", "v1beta1"))
    changed = {key: value for key, value in spec.items() if key not in {"namespace", "customVersion"}}
    version, label = spec.get("customVersion"), labels.get(CUSTOM_VERSION_LABEL)
    after = _with_spec(manifest, spec, changed)
    if not version and label:
        message = f'v1alpha1 reads the custom version from this label: it becomes "{label}"'
        findings.append(warning(Reason.NOT_IN_VERSION, message, _LABEL, hint="remove the label"))
    if not version or label == version:
        return after, findings
    if label:
        message = (
            f'v1alpha1 stores the custom version in the label {CUSTOM_VERSION_LABEL}: "{label}" there is overwritten'
        )
        findings.append(warning(Reason.NOT_IN_VERSION, message, _CUSTOM_VERSION))
    return _with_labels(after, labels | {CUSTOM_VERSION_LABEL: version}), findings


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
