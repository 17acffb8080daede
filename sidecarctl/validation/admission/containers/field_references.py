"""References to fields and resources of the pod, in env, volumes and transferEnv.

Source: docs/behaviour/validation.md, "Containers" and "Sidecar fields".
"""

from collections.abc import Iterator

from sidecarctl.api.qualified_names import is_qualified_name
from sidecarctl.api.quantities import parse_quantity
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object
from sidecarctl.releases.release import Release
from sidecarctl.validation.rules import kubernetes

_ENV_FIELDS = frozenset(
    (
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.serviceAccountName",
        "spec.host",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
    )
)
VOLUME_FIELDS = frozenset(
    ("metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels", "metadata.annotations")
)
_RESOURCES = tuple(
    f"{kind}.{resource}" for kind in ("limits", "requests") for resource in ("cpu", "memory", "ephemeral-storage")
)
_HUGE_PAGES = ("limits.hugepages-", "requests.hugepages-")
_CPU_DIVISORS = frozenset(("1", "1m"))
_DIVISORS = frozenset(
    ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"),
)

FIELD = kubernetes(
    "field-ref",
    "A fieldRef names a field of the pod that can be read there.",
    why="Only a few fields of a pod are available to its containers.",
    mend="write metadata.name, metadata.namespace, metadata.uid, metadata.labels['KEY'] or "
    "metadata.annotations['KEY'], and in env also spec.nodeName, spec.serviceAccountName, status.hostIP or "
    "status.podIP",
    fails="env: [{name: NODE, valueFrom: {fieldRef: {fieldPath: status.phase}}}]",
    passes="env: [{name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]",
)
RESOURCE = kubernetes(
    "resource-field-ref",
    "A resourceFieldRef names a limit or request that can be read, and an allowed divisor.",
    why="Containers cannot read other resources.",
    mend="write limits.cpu or requests.memory, and a divisor such as 1m for cpu or 1Mi for memory",
    fails="env: [{name: CORES, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: '2'}}}]",
    passes="env: [{name: CORES, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: '1'}}}]",
)


def env_fields(release: Release) -> frozenset[str]:
    """The fields of a pod that an env may take."""
    return _ENV_FIELDS if release.host_ips else _ENV_FIELDS - {"status.hostIPs"}


def field_findings(reference: Object, fields: frozenset[str], path: Path) -> Iterator[Finding]:
    """Errors in a fieldRef, defaults applied, given the fields that can be read in addition to single labels."""
    version, text = reference.get("apiVersion"), reference.get("fieldPath", "")
    where = (*path, "fieldPath")
    base, key = subscripted(text)
    if not text:
        yield FIELD.at(where, "fieldPath is missing")
    elif version != "v1":
        yield FIELD.at(where, f'the API version of a pod is v1, not "{version}"', "omit apiVersion")
    elif base in {"metadata.labels", "metadata.annotations"}:
        if not is_qualified_name(key.lower() if base == "metadata.annotations" else key):
            yield FIELD.at(where, f'"{key}" is not a valid label or annotation key')
    elif text not in fields:
        yield FIELD.at(where, f'"{text}" cannot be read here')


def subscripted(text: str) -> tuple[str, str]:
    """The base and key of a field path such as `metadata.labels['app']`; empty texts for other paths."""
    base, bracket, key = text.removesuffix("']").partition("['")
    return (base, key) if text.endswith("']") and bracket else ("", "")


def resource_findings(reference: Object, path: Path, *, in_volume: bool = False) -> Iterator[Finding]:
    """Errors in a resourceFieldRef; in a volume it names a container too."""
    resource = reference.get("resource", "")
    if in_volume and not reference.get("containerName"):
        yield RESOURCE.at((*path, "containerName"), "containerName is missing", "name the container")
    elif not resource:
        yield RESOURCE.at((*path, "resource"), "resource is missing")
    elif resource not in _RESOURCES and not resource.startswith(_HUGE_PAGES):
        yield RESOURCE.at((*path, "resource"), f'the resource "{resource}" cannot be read')
    divisor = reference.get("divisor", "0")
    allowed = _CPU_DIVISORS if resource.endswith(".cpu") else _DIVISORS
    is_known = resource in _RESOURCES or resource.startswith(_HUGE_PAGES)
    if is_known and parse_quantity(divisor).nanos and divisor not in allowed:
        yield RESOURCE.at((*path, "divisor"), f"the divisor {divisor} is not one of {', '.join(sorted(allowed))}")
