"""env and envFrom of a container, and references to fields and resources, which downwardAPI volumes have too.

Source: docs/behavior/validation.md, "Containers".
"""

from collections.abc import Collection, Iterator

from sidecarctl.engine.api.quantities import parse_quantity
from sidecarctl.engine.api.text_forms import (
    ENV_NAME_FORM,
    KEY_FORM,
    SUBDOMAIN_FORM,
    is_config_key,
    is_env_name,
    is_qualified_name,
    is_subdomain,
    is_subdomain_prefix,
)
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.validation.rules import Rule, kubernetes

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
    "Invalid fieldRef",
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
    "Invalid resourceFieldRef",
    "A resourceFieldRef names a limit or request that can be read, and an allowed divisor.",
    why="Containers cannot read other resources.",
    mend="write limits.cpu or requests.memory, and a divisor such as 1m for cpu or 1Mi for memory",
    fails="env: [{name: CORES, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: '2'}}}]",
    passes="env: [{name: CORES, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: '1'}}}]",
)


def field_findings(reference: Object, fields: frozenset[str], path: Path) -> Iterator[Finding]:
    """Errors in a fieldRef, defaults applied, given the fields that can be read in addition to single labels."""
    return reference_findings(reference, path, FIELD, "cannot be read here", fields)


def reference_findings(
    reference: Object, path: Path, rule: Rule, wrong: str, fields: Collection[str] = ()
) -> Iterator[Finding]:
    """What a rule says about a fieldRef to a label, an annotation, or one of some fields; `wrong`: to any other."""
    version, text = reference.get("apiVersion"), reference.get("fieldPath", "")
    where = (*path, "fieldPath")
    base, key = _subscripted(text)
    if not text:
        yield rule.at(where, "fieldPath is missing")
    elif version != "v1":
        yield rule.at(where, f'the API version of a pod is v1, not "{version}"', "omit apiVersion")
    elif base in {"metadata.labels", "metadata.annotations"}:
        if not is_qualified_name(key.lower() if base == "metadata.annotations" else key):
            yield rule.at(where, f'"{key}" is not a valid label or annotation key')
    elif text not in fields:
        yield rule.at(where, f'"{text}" {wrong}')


def _subscripted(text: str) -> tuple[str, str]:
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


_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef")

NAME = kubernetes(
    "env-name",
    "Invalid name of an environment variable",
    "The name of an environment variable is letters, digits, -, _ and ., and does not begin with a digit.",
    why="Kruise checks the strict form, the only one that shells can read.",
    mend=f"a name is {ENV_NAME_FORM}",
    fails="env: [{name: 1ST, value: x}]",
    passes="env: [{name: FIRST, value: x}]",
)
SOURCE = kubernetes(
    "env-source",
    "valueFrom without exactly one source",
    "valueFrom has exactly one source, and no value next to it.",
    why="A variable has one value.",
    mend=f"write one of {', '.join(_SOURCES)}, or value instead",
    fails="env: [{name: TOKEN, value: x, valueFrom: {secretKeyRef: {name: tokens, key: token}}}]",
    passes="env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: tokens, key: token}}}]",
)
KEY = kubernetes(
    "env-key-ref",
    "Key reference without name or key",
    "A configMapKeyRef or secretKeyRef has the name of an object and a key.",
    why="The container could not start without them.",
    mend=f"a name is {SUBDOMAIN_FORM}; a key is {KEY_FORM}",
    fails="env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: My_Tokens, key: token}}}]",
    passes="env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: my-tokens, key: token}}}]",
)
FROM = kubernetes(
    "env-from",
    "Invalid entry of envFrom",
    "An entry of envFrom has one configMapRef or secretRef with a name, and a prefix that can begin a variable name.",
    why="The variables of an entry come from one object.",
    mend="write [{configMapRef: {name: settings}}]",
    fails="envFrom: [{prefix: LOG_}]",
    passes="envFrom: [{prefix: LOG_, configMapRef: {name: log-settings}}]",
)


def env_findings(container: Object, path: Path, release: Release) -> Iterator[Finding]:
    """Errors in env and envFrom of a container."""
    for index, variable in enumerate(container.get("env", ())):
        where = (*path, "env", index)
        name = variable.get("name", "")
        if not is_env_name(name):
            yield NAME.at(
                (*where, "name"), f'"{name}" is not a valid variable name' if name else "the variable has no name"
            )
        if "valueFrom" in variable:
            yield from _source(variable, (*where, "valueFrom"), release)
    for index, entry in enumerate(container.get("envFrom", ())):
        yield from _from(entry, (*path, "envFrom", index))


def _source(variable: Object, path: Path, release: Release) -> Iterator[Finding]:
    source = variable["valueFrom"]
    present = [field for field in _SOURCES if field in source]
    if "fieldRef" in source:
        fields = _ENV_FIELDS if release.host_ips else _ENV_FIELDS - {"status.hostIPs"}
        yield from field_findings(source["fieldRef"], fields, (*path, "fieldRef"))
    if "resourceFieldRef" in source:
        yield from resource_findings(source["resourceFieldRef"], (*path, "resourceFieldRef"))
    for field in ("configMapKeyRef", "secretKeyRef"):
        if field in source:
            yield from _key(source[field], (*path, field))
    if not present:
        yield SOURCE.at(path, "valueFrom has no source")
    elif variable.get("value"):
        yield SOURCE.at(path, "value and valueFrom exclude each other")
    elif len(present) > 1:
        yield SOURCE.at(path, f"{' and '.join(present)}: only one of them is allowed")


def _key(reference: Object, path: Path) -> Iterator[Finding]:
    name, key = reference.get("name", ""), reference.get("key", "")
    if not is_subdomain(name):
        yield KEY.at((*path, "name"), f'"{name}" is not a valid object name' if name else "name is missing")
    if not is_config_key(key):
        yield KEY.at((*path, "key"), f'"{key}" is not a valid key' if key else "key is missing")


def _from(entry: Object, path: Path) -> Iterator[Finding]:
    prefix = entry.get("prefix", "")
    if prefix and not is_env_name(prefix):
        yield FROM.at((*path, "prefix"), f'"{prefix}" cannot begin a variable name')
    present = [field for field in ("configMapRef", "secretRef") if field in entry]
    for field in present:
        name = entry[field].get("name", "")
        if not is_subdomain_prefix(name):
            message = f'"{name}" is not a valid object name' if name else "name is missing"
            yield FROM.at((*path, field, "name"), message)
    if len(present) != 1:
        yield FROM.at(path, "exactly one of configMapRef and secretRef is required")
