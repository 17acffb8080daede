"""JSON Schemas of SidecarSet, for editors and kubeconform, and a CustomResourceDefinition for test API servers.

Generated from the field table (docs/behavior/api.md) and from those rules of docs/behavior/validation.md that a
schema can express: enumerations, ranges of numbers, patterns of names. Rules that need several fields or defaults are
checked by `validate` only.
"""

from typing import Literal, NamedTuple

from sidecarctl.engine.api.field_table import Field, fields_of, item_type, value_type
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.sidecarset.sets import GROUP, Version

Dialect = Literal["json-schema", "crd"]
"""A CRD schema cannot forbid unknown fields, has no references, and only one form of int-or-string."""

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


Where = tuple[str, str]
"""A struct, without the API version of Kruise's own, and a field of it."""

_VALUES: dict[Where, Object] = {
    ("SidecarContainer", "name"): _DNS_LABEL,
    ("SidecarContainer", "imagePullPolicy"): {"enum": ["", "Always", "IfNotPresent", "Never"]},
    ("SidecarContainer", "terminationMessagePolicy"): {"enum": ["", "File", "FallbackToLogsOnError"]},
    ("SidecarContainer", "restartPolicy"): {"enum": ["Always"]},
    ("SidecarContainer", "podInjectPolicy"): {"enum": ["", "BeforeAppContainer", "AfterAppContainer"]},
    ("SidecarContainerUpgradeStrategy", "upgradeType"): {"enum": ["", "ColdUpgrade", "HotUpgrade"]},
    ("ShareVolumePolicy", "type"): {"enum": ["", "enabled", "disabled"]},
    ("ResourcesPolicy", "targetContainersMode"): {"enum": ["sum", "max"]},
    ("SidecarSetUpdateStrategy", "type"): {"enum": ["", "RollingUpdate", "NotUpdate"]},
    ("SidecarSetInjectRevision", "policy"): {"enum": ["", "Always", "Partial"]},
    ("SidecarSetPatchPodMetadata", "patchPolicy"): {"enum": ["", "Retain", "Overwrite", "MergePatchJson"]},
    ("LabelSelectorRequirement", "operator"): {"enum": ["In", "NotIn", "Exists", "DoesNotExist"]},
    ("UpdatePriorityWeightTerm", "weight"): {"minimum": 0, "maximum": 100},
    ("ContainerPort", "containerPort"): _PORT,
    ("ContainerPort", "hostPort"): {"minimum": 0, "maximum": 65535},
    ("ContainerPort", "protocol"): {"enum": ["", "TCP", "UDP", "SCTP"]},
    ("HTTPGetAction", "scheme"): {"enum": ["", "HTTP", "HTTPS"]},
    ("GRPCAction", "port"): _PORT,
    ("SleepAction", "seconds"): {"minimum": 1, "maximum": 30},
    ("VolumeMount", "mountPath"): {"minLength": 1},
    ("VolumeMount", "mountPropagation"): {"enum": ["None", "HostToContainer", "Bidirectional"]},
    ("VolumeMount", "recursiveReadOnly"): {"enum": ["Disabled", "IfPossible", "Enabled"]},
    ("SecurityContext", "runAsUser"): {"minimum": 0, "maximum": 2**31 - 1},
    ("SecurityContext", "runAsGroup"): {"minimum": 0, "maximum": 2**31 - 1},
    ("SecurityContext", "procMount"): {"enum": ["Default"]},
    ("SeccompProfile", "type"): {"enum": ["RuntimeDefault", "Unconfined", "Localhost"]},
    ("AppArmorProfile", "type"): {"enum": ["RuntimeDefault", "Unconfined", "Localhost"]},
    ("Volume", "name"): _DNS_LABEL,
    ("KeyToPath", "mode"): _MODE,
    ("DownwardAPIVolumeFile", "mode"): _MODE,
    ("SecretVolumeSource", "defaultMode"): _MODE,
    ("ConfigMapVolumeSource", "defaultMode"): _MODE,
    ("DownwardAPIVolumeSource", "defaultMode"): _MODE,
    ("ProjectedVolumeSource", "defaultMode"): _MODE,
    ("ImageVolumeSource", "pullPolicy"): {"enum": ["Always", "IfNotPresent", "Never"]},
}
"""Constraints of a field, in addition to its type. An empty string counts as absent if the field has a default."""

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
"""Fields that the webhook or the API server requires."""

_POLICY = ("SidecarSetInjectRevision", "policy")
_PROC_MOUNT = ("SecurityContext", "procMount")
_CRD_VALUES = {("ResourcesPolicy", "targetContainersMode"), _POLICY}
"""Constraints of Kruise's own schema; the webhook checks everything else, after defaults."""


class _Form(NamedTuple):
    """The purpose of a schema."""

    dialect: Dialect
    version: Version
    release: Release


def versions_of(release: Release) -> tuple[Version, ...]:
    """The API versions of SidecarSet that a release serves."""
    return VERSIONS if release.serves_v1beta1 else VERSIONS[:1]


def sidecarset_schema(version: Version, release: Release = DEFAULT) -> Object:
    """The JSON Schema (draft 7) of a SidecarSet as a release knows it; unknown fields are errors."""
    behavior = "" if release is DEFAULT else f" in {release.behavior}"
    return {
        "$schema": _DRAFT,
        "title": f"SidecarSet of {GROUP}/{version}{behavior}",
        "description": "What a schema can express; `sidecarctl validate` checks the rest.",
    } | _struct(f"{version}.SidecarSet", _Form("json-schema", version, release))


def crd(release: Release = DEFAULT) -> Object:
    """A CustomResourceDefinition with the versions of a release, for test API servers; the newest one is stored."""
    served = versions_of(release)
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
            "versions": [_crd_version(version, release) for version in served],
        },
    }


def _crd_version(version: Version, release: Release) -> Object:
    schema = _struct(f"{version}.SidecarSet", _Form("crd", version, release))
    schema["properties"]["metadata"] = {"type": "object"}
    return {
        "name": version,
        "served": True,
        "storage": version == versions_of(release)[-1],
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema},
    }


def _struct(type_name: str, form: _Form) -> Object:
    """The schema of a struct. The API treats `null` as absent, so a JSON Schema allows it everywhere."""
    name = type_name.rpartition(".")[2]
    properties = {field.name: _field(name, field, form) for field in fields_of(type_name, form.release) or ()}
    if form.dialect == "crd":
        return {"type": "object", "properties": properties}
    schema: Object = {"type": "object", "properties": properties, "additionalProperties": False}
    required = _REQUIRED.get(name, ())
    return schema | {"required": list(required)} if required else schema


def _values(where: Where, form: _Form) -> Object:
    """The constraints of a field in addition to its type; Kruise's own schema has few."""
    if form.dialect == "crd" and where not in _CRD_VALUES:
        return {}
    if where == _PROC_MOUNT and not form.release.proc_mount_check:
        return {"enum": ["Default", "Unmasked"]}
    if where == _POLICY and not form.release.partial_policy:
        return {"enum": ["", "Always"]} if form.dialect == "json-schema" else {}
    return _VALUES.get(where, {})


def _field(struct: str, field: Field, form: _Form) -> Object:
    if struct == "SidecarSet" and field.name in {"apiVersion", "kind"}:
        words = {"apiVersion": f"{GROUP}/{form.version}", "kind": "SidecarSet"}
        return {"type": "string"} if form.dialect == "crd" else {"type": "string", "enum": [words[field.name]]}
    where = (struct, field.name)
    schema = _type(field.type, form) | _values(where, form)
    if form.dialect == "crd" and where == ("ResourcesPolicy", "targetContainersNameRegex"):
        return schema | {"default": ".*"}
    return schema if form.dialect == "crd" or field.name in _REQUIRED.get(struct, ()) else _or_null(schema)


def _type(type_name: str, form: _Form) -> Object:
    if item := item_type(type_name):
        return {"type": "array", "items": _type(item, form)}
    if member := value_type(type_name):
        return {"type": "object", "additionalProperties": _type(member, form)}
    if fields_of(type_name) is not None:
        return _struct(type_name, form)
    if type_name in _NUMBER_OR_TEXT:
        return {"x-kubernetes-int-or-string": True} if form.dialect == "crd" else dict(_NUMBER_OR_TEXT[type_name])
    schema = dict(_SCALARS[type_name])
    if form.dialect == "crd":
        schema = {key: schema[key] for key in ("type", "format") if key in schema}
    if form.dialect == "crd" and type_name == "object":
        return schema | {"x-kubernetes-preserve-unknown-fields": True}
    return schema


def _or_null(schema: Object) -> Object:
    """The schema, extended to accept null, in a form whose error messages name the place of other values."""
    if "oneOf" in schema:
        return schema | {"oneOf": [*schema["oneOf"], {"type": "null"}]}
    words = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return schema | {"type": [schema["type"], "null"]} | words
