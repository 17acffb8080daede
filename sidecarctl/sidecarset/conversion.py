"""A SidecarSet in the other API version.

Source: docs/behaviour/api.md, "Conversion".
"""

from sidecarctl.api.canonical import typed
from sidecarctl.facts.values import Object, Value
from sidecarctl.sidecarset.decoding import decode, type_of
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


def to_v1alpha1(held: Object) -> Object:
    """A typed v1beta1 set with its version's name in the label; the namespaceSelector stays one."""
    version = held["spec"].get("customVersion")
    if not version:
        return held
    labels = held["metadata"].get("labels", {}) | {CUSTOM_VERSION_LABEL: version}
    return held | {"metadata": held["metadata"] | {"labels": labels}}
