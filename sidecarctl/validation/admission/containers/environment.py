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
from sidecarctl.validation.admission.containers.field_references import ENV_FIELDS, field_findings, resource_findings
from sidecarctl.validation.rules import kubernetes

_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef")

NAME = kubernetes(
    "env-name",
    "The name of an environment variable is letters, digits, -, _ and ., and does not begin with a digit.",
    why="Kruise checks by the strict form; shells can read no other.",
    mend=f"a name is {ENV_NAME_FORM}",
    fails="env: [{name: 1ST, value: x}]",
    passes="env: [{name: FIRST, value: x}]",
)
SOURCE = kubernetes(
    "env-source",
    "valueFrom has exactly one source, and no value beside it.",
    why="A variable has one value.",
    mend=f"write one of {', '.join(_SOURCES)}, or value instead",
    fails="env: [{name: TOKEN, value: x, valueFrom: {secretKeyRef: {name: tokens, key: token}}}]",
    passes="env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: tokens, key: token}}}]",
)
KEY = kubernetes(
    "env-key-ref",
    "A configMapKeyRef or secretKeyRef has the name of an object and a key.",
    why="The container could not start otherwise.",
    mend=f"a name is {SUBDOMAIN_FORM}; a key is {KEY_FORM}",
    fails="env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: My_Tokens, key: token}}}]",
    passes="env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: my-tokens, key: token}}}]",
)
FROM = kubernetes(
    "env-from",
    "An entry of envFrom has a configMapRef or a secretRef, with a name, and its prefix can begin a variable's name.",
    why="The variables come from one object.",
    mend="write [{configMapRef: {name: settings}}]",
    fails="envFrom: [{prefix: LOG_}]",
    passes="envFrom: [{prefix: LOG_, configMapRef: {name: log-settings}}]",
)


def env_findings(container: Object, path: Path) -> Iterator[Finding]:
    """What is refused in a container's env and envFrom."""
    for index, variable in enumerate(container.get("env", ())):
        where = (*path, "env", index)
        name = variable.get("name", "")
        if not is_env_name(name):
            yield NAME.at(
                (*where, "name"), f'"{name}" cannot name a variable' if name else "the variable has no name"
            )
        if "valueFrom" in variable:
            yield from _source(variable, (*where, "valueFrom"))
    for index, entry in enumerate(container.get("envFrom", ())):
        yield from _from(entry, (*path, "envFrom", index))


def _source(variable: Object, path: Path) -> Iterator[Finding]:
    source = variable["valueFrom"]
    present = [field for field in _SOURCES if field in source]
    if "fieldRef" in source:
        yield from field_findings(source["fieldRef"], ENV_FIELDS, (*path, "fieldRef"))
    if "resourceFieldRef" in source:
        yield from resource_findings(source["resourceFieldRef"], (*path, "resourceFieldRef"))
    for field in ("configMapKeyRef", "secretKeyRef"):
        if field in source:
            yield from _key(source[field], (*path, field))
    if not present:
        yield SOURCE.at(path, "valueFrom has no source")
    elif variable.get("value"):
        yield SOURCE.at(path, "there is a value beside valueFrom")
    elif len(present) > 1:
        yield SOURCE.at(path, f"there are {' and '.join(present)}, only one of them is allowed")


def _key(reference: Object, path: Path) -> Iterator[Finding]:
    name, key = reference.get("name", ""), reference.get("key", "")
    if not is_subdomain(name):
        yield KEY.at((*path, "name"), f'"{name}" cannot name an object' if name else "name is missing")
    if not is_config_key(key):
        yield KEY.at((*path, "key"), f'"{key}" cannot be a key' if key else "key is missing")


def _from(entry: Object, path: Path) -> Iterator[Finding]:
    prefix = entry.get("prefix", "")
    if prefix and not is_env_name(prefix):
        yield FROM.at((*path, "prefix"), f'"{prefix}" cannot begin the name of a variable')
    present = [field for field in ("configMapRef", "secretRef") if field in entry]
    for field in present:
        name = entry[field].get("name", "")
        if not is_subdomain_prefix(name):
            message = f'"{name}" cannot name an object' if name else "name is missing"
            yield FROM.at((*path, field, "name"), message)
    if len(present) != 1:
        yield FROM.at(path, "there must be exactly one of configMapRef and secretRef")
