"""env and envFrom of a container.

Source: docs/behaviour/validation.md, "Containers".
"""

from collections.abc import Iterator

from sidecarctl.api.names import (
    ENV_NAME_FORM,
    KEY_FORM,
    SUBDOMAIN_FORM,
    is_config_key,
    is_env_name,
    is_subdomain,
    is_subdomain_prefix,
)
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object
from sidecarctl.releases.release import Release
from sidecarctl.validation.admission.containers.field_references import env_fields, field_findings, resource_findings
from sidecarctl.validation.rules import kubernetes

_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef")

NAME = kubernetes(
    "env-name",
    "The name of an environment variable is letters, digits, -, _ and ., and does not begin with a digit.",
    why="Kruise checks the strict form, the only one that shells can read.",
    mend=f"a name is {ENV_NAME_FORM}",
    fails="env: [{name: 1ST, value: x}]",
    passes="env: [{name: FIRST, value: x}]",
)
SOURCE = kubernetes(
    "env-source",
    "valueFrom has exactly one source, and no value next to it.",
    why="A variable has one value.",
    mend=f"write one of {', '.join(_SOURCES)}, or value instead",
    fails="env: [{name: TOKEN, value: x, valueFrom: {secretKeyRef: {name: tokens, key: token}}}]",
    passes="env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: tokens, key: token}}}]",
)
KEY = kubernetes(
    "env-key-ref",
    "A configMapKeyRef or secretKeyRef has the name of an object and a key.",
    why="The container could not start without them.",
    mend=f"a name is {SUBDOMAIN_FORM}; a key is {KEY_FORM}",
    fails="env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: My_Tokens, key: token}}}]",
    passes="env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: my-tokens, key: token}}}]",
)
FROM = kubernetes(
    "env-from",
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
        yield from field_findings(source["fieldRef"], env_fields(release), (*path, "fieldRef"))
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
