"""JSON Schemas of SidecarSet, for editors and kubeconform, and a CustomResourceDefinition for API servers in tests.

Made from the field table (docs/behaviour/api.md) and from those rules of docs/behaviour/validation.md that a schema
can say: words of which there are only some, ranges of numbers, forms of names. What needs more than one field, or
defaults, is left to the rules.
"""

from typing import Literal, NamedTuple

from sidecarctl.api.field_table import Field, fields_of, item_type, value_type
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.sets import GROUP, Version

Dialect = Literal["json-schema", "crd"]
"""A CRD's schema allows no unknown fields to be forbidden, no references, and one form of int-or-string."""

VERSIONS: tuple[Version, ...] = ("v1alpha1", "v1beta1")
_DRAFT = "http://json-schema.org/draft-07/schema#"
_QUANTITY = r"^[ ]*[+-]?[0-9]*[.]?[0-9]*([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?[ ]*$"
_DNS_LABEL: Object = {"pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "maxLength": 63}
_MODE: Object = {"minimum": 0, "maximum": 511}
_PORT: Object = {"minimum": 1, "maximum": 65535}
_SCALARS: dict[str, Object] = {
    "string": {"type": "string"},
    "bool": {"type": "boolean"},
    "int32": {"type": "integer", "format": "int32", "minimum": -(2**31), "maximum": 2**31 - 1},
    "int64": {"type": "integer", "format": "int64", "minimum": -(2**63), "maximum": 2**63 - 1},
    "time": {"type": "string", "format": "date-time"},
    "bytes": {"type": "string", "format": "byte"},
    "object": {"type": "object"},
}
_NUMBER_OR_TEXT: dict[str, Object] = {
    "int-or-string": {"oneOf": [{"type": "integer"}, {"type": "string"}]},
    "quantity": {"oneOf": [{"type": "number"}, {"type": "string", "pattern": _QUANTITY, "minLength": 1}]},
}


class Where(NamedTuple):
    """A field of a struct, without the API version of a struct of Kruise's own."""

    struct: str
    field: str


_VALUES: dict[Where, Object] = {
    Where("SidecarContainer", "name"): _DNS_LABEL,
    Where("SidecarContainer", "imagePullPolicy"): {"enum": ["", "Always", "IfNotPresent", "Never"]},
    Where("SidecarContainer", "terminationMessagePolicy"): {"enum": ["", "File", "FallbackToLogsOnError"]},
    Where("SidecarContainer", "restartPolicy"): {"enum": ["Always"]},
    Where("SidecarContainer", "podInjectPolicy"): {"enum": ["", "BeforeAppContainer", "AfterAppContainer"]},
    Where("SidecarContainerUpgradeStrategy", "upgradeType"): {"enum": ["", "ColdUpgrade", "HotUpgrade"]},
    Where("ShareVolumePolicy", "type"): {"enum": ["", "enabled", "disabled"]},
    Where("ResourcesPolicy", "targetContainersMode"): {"enum": ["sum", "max"]},
    Where("SidecarSetUpdateStrategy", "type"): {"enum": ["", "RollingUpdate", "NotUpdate"]},
    Where("SidecarSetInjectRevision", "policy"): {"enum": ["", "Always", "Partial"]},
    Where("SidecarSetPatchPodMetadata", "patchPolicy"): {"enum": ["", "Retain", "Overwrite", "MergePatchJson"]},
    Where("LabelSelectorRequirement", "operator"): {"enum": ["In", "NotIn", "Exists", "DoesNotExist"]},
    Where("UpdatePriorityWeightTerm", "weight"): {"minimum": 0, "maximum": 100},
    Where("ContainerPort", "containerPort"): _PORT,
    Where("ContainerPort", "hostPort"): {"minimum": 0, "maximum": 65535},
    Where("ContainerPort", "protocol"): {"enum": ["", "TCP", "UDP", "SCTP"]},
    Where("HTTPGetAction", "scheme"): {"enum": ["", "HTTP", "HTTPS"]},
    Where("GRPCAction", "port"): _PORT,
    Where("SleepAction", "seconds"): {"minimum": 1, "maximum": 30},
    Where("VolumeMount", "mountPath"): {"minLength": 1},
    Where("VolumeMount", "mountPropagation"): {"enum": ["None", "HostToContainer", "Bidirectional"]},
    Where("VolumeMount", "recursiveReadOnly"): {"enum": ["Disabled", "IfPossible", "Enabled"]},
    Where("SecurityContext", "runAsUser"): {"minimum": 0, "maximum": 2**31 - 1},
    Where("SecurityContext", "runAsGroup"): {"minimum": 0, "maximum": 2**31 - 1},
    Where("SecurityContext", "procMount"): {"enum": ["Default"]},
    Where("SeccompProfile", "type"): {"enum": ["RuntimeDefault", "Unconfined", "Localhost"]},
    Where("AppArmorProfile", "type"): {"enum": ["RuntimeDefault", "Unconfined", "Localhost"]},
    Where("Volume", "name"): _DNS_LABEL,
    Where("KeyToPath", "mode"): _MODE,
    Where("DownwardAPIVolumeFile", "mode"): _MODE,
    Where("SecretVolumeSource", "defaultMode"): _MODE,
    Where("ConfigMapVolumeSource", "defaultMode"): _MODE,
    Where("DownwardAPIVolumeSource", "defaultMode"): _MODE,
    Where("ProjectedVolumeSource", "defaultMode"): _MODE,
    Where("ImageVolumeSource", "pullPolicy"): {"enum": ["Always", "IfNotPresent", "Never"]},
}
"""What a field may hold, beside its type. An empty text counts as absent where a default takes its place."""

_REQUIRED: dict[str, tuple[str, ...]] = {
    "SidecarSet": ("apiVersion", "kind", "metadata", "spec"),
    "SidecarSetSpec": ("selector",),
    "SidecarContainer": ("name", "image"),
    "ResourcesPolicy": ("targetContainersMode", "resourcesExpr"),
    "SourceContainerNameSource": ("fieldRef",),
    "ContainerPort": ("containerPort",),
    "EnvVar": ("name",),
    "VolumeMount": ("name", "mountPath"),
    "VolumeDevice": ("name", "devicePath"),
    "Volume": ("name",),
    "LabelSelectorRequirement": ("key", "operator"),
    "ObjectFieldSelector": ("fieldPath",),
    "ResourceFieldSelector": ("resource",),
    "HostPathVolumeSource": ("path",),
    "PersistentVolumeClaimVolumeSource": ("claimName",),
    "ImageVolumeSource": ("pullPolicy",),
    "KeyToPath": ("key", "path"),
    "ServiceAccountTokenProjection": ("path",),
}
"""Fields without which the webhook or the API server refuses a struct."""

_CRD_VALUES = {
    Where("ResourcesPolicy", "targetContainersMode"),
    Where("SidecarSetInjectRevision", "policy"),
}
"""What Kruise's own schema says; all else its webhook refuses, and the defaults come before the webhook."""


def sidecarset_schema(version: Version) -> Object:
    """The JSON Schema (draft 7) of a SidecarSet; unknown fields are errors."""
    return {
        "$schema": _DRAFT,
        "title": f"SidecarSet of {GROUP}/{version}",
        "description": "What a schema can say of it; `sidecarctl validate` says the rest.",
    } | _struct(f"{version}.SidecarSet", "json-schema", version)


def crd() -> Object:
    """A CustomResourceDefinition with both versions, for API servers in tests; v1beta1 is stored."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"sidecarsets.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Cluster",
            "names": {
                "kind": "SidecarSet",
                "listKind": "SidecarSetList",
                "plural": "sidecarsets",
                "singular": "sidecarset",
            },
            "versions": [_crd_version(version) for version in VERSIONS],
        },
    }


def _crd_version(version: Version) -> Object:
    schema = _struct(f"{version}.SidecarSet", "crd", version)
    schema["properties"]["metadata"] = {"type": "object"}
    return {
        "name": version,
        "served": True,
        "storage": version == "v1beta1",
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema},
    }


def _struct(type_name: str, dialect: Dialect, version: Version) -> Object:
    """The schema of a struct. `null` means absent to the API, so a JSON Schema allows it everywhere."""
    name = type_name.rpartition(".")[2]
    properties = {field.name: _field(name, field, dialect, version) for field in fields_of(type_name) or ()}
    if dialect == "crd":
        return {"type": "object", "properties": properties}
    schema: Object = {"type": "object", "properties": properties, "additionalProperties": False}
    required = _REQUIRED.get(name, ())
    return schema | {"required": list(required)} if required else schema


def _field(struct: str, field: Field, dialect: Dialect, version: Version) -> Object:
    if struct == "SidecarSet" and field.name in {"apiVersion", "kind"}:
        words = {"apiVersion": f"{GROUP}/{version}", "kind": "SidecarSet"}
        return {"type": "string"} if dialect == "crd" else {"type": "string", "enum": [words[field.name]]}
    where = Where(struct, field.name)
    values = _VALUES.get(where, {}) if dialect == "json-schema" or where in _CRD_VALUES else {}
    schema = _type(field.type, dialect, version) | values
    if dialect == "crd" and where == Where("ResourcesPolicy", "targetContainersNameRegex"):
        return schema | {"default": ".*"}
    return schema if dialect == "crd" or field.name in _REQUIRED.get(struct, ()) else _or_null(schema)


def _type(type_name: str, dialect: Dialect, version: Version) -> Object:
    if item := item_type(type_name):
        return {"type": "array", "items": _type(item, dialect, version)}
    if member := value_type(type_name):
        return {"type": "object", "additionalProperties": _type(member, dialect, version)}
    if fields_of(type_name) is not None:
        return _struct(type_name, dialect, version)
    if type_name in _NUMBER_OR_TEXT:
        return {"x-kubernetes-int-or-string": True} if dialect == "crd" else dict(_NUMBER_OR_TEXT[type_name])
    schema = dict(_SCALARS[type_name])
    if dialect == "crd":
        schema = {key: schema[key] for key in ("type", "format") if key in schema}
    if dialect == "crd" and type_name == "object":
        return schema | {"x-kubernetes-preserve-unknown-fields": True}
    return schema


def _or_null(schema: Object) -> Object:
    """The schema that null satisfies too, made so that messages about other values name the place."""
    if "oneOf" in schema:
        return schema | {"oneOf": [*schema["oneOf"], {"type": "null"}]}
    words = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return schema | {"type": [schema["type"], "null"]} | words
