"""References `$(VAR)` that nothing defines, and lists with an item twice.

Source: https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
"""

from collections.abc import Collection, Iterator

from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.injection.pod.copied_values import references_in
from sidecarctl.engine.sidecarset.sets import is_hot
from sidecarctl.engine.validation.admission.spec import placed
from sidecarctl.engine.validation.rules import noted, warned

UNDEFINED = noted(
    "variable-undefined",
    "Reference to a variable that is not defined",
    "A reference $(VAR) names a variable of the container; in env, one that is defined before it.",
    why="Otherwise it stays as it is written: the program gets the text $(VAR). In a subPathExpr the container does "
    "not start, which is a warning. command and args may refer to every variable. $$(VAR) is the text $(VAR).",
    mend="define the variable in env, before those that refer to it, or write $$(VAR) for the text",
    source="https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/",
    fails="env: [{name: LOGS, value: $(BASE)/logs}, {name: BASE, value: /var}]",
    passes="env: [{name: BASE, value: /var}, {name: LOGS, value: $(BASE)/logs}]",
)
ENV = warned(
    "env-duplicate",
    "Environment variable twice",
    "A sidecar has each environment variable once.",
    why="Of two entries with one name, the last wins. A variable that transferEnv names is not transferred if the "
    "sidecar has it itself.",
    mend="delete one of the two",
    source="docs/behavior/injection.md",
    fails="env: [{name: LEVEL, value: info}, {name: LEVEL, value: debug}]",
    passes="env: [{name: LEVEL, value: info}]",
)
TWICE = warned(
    "listed-twice",
    "Port or imagePullSecret twice",
    "A container lists each containerPort once, and a SidecarSet each imagePullSecret.",
    why="The API server warns about a repeated port, and server-side apply rejects it in a pod. A repeated "
    "imagePullSecret does nothing (a note).",
    mend="delete one of the two",
    fails="ports: [{containerPort: 80}, {containerPort: 80}]",
    passes="ports: [{containerPort: 80}, {containerPort: 80, protocol: UDP}]",
)

_NAME = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_.-]*")
_OF_SHELLS = lazy_pattern(r"[a-z].*")
"""In a command, $(date) is for the shell."""
_OF_SERVICES = lazy_pattern(r".*_(?:SERVICE_HOST|SERVICE_PORT|PORT)(?:_.*)?")
_ALWAYS = ("IS_INJECTED",)
_OF_HALVES = ("SIDECARSET_VERSION", "SIDECARSET_VERSION_ALT")


def variable_findings(spec: Object) -> Iterator[Finding]:
    """Undefined references and repeated items in a spec in v1beta1."""
    for field in ("containers", "initContainers"):
        for container, path in placed(spec, field):
            yield from _repeated(container, path)
            if not container.get("envFrom"):  # whose variables are not known
                yield from _undefined(container, path)
    seen: set[str] = set()
    for index, secret in enumerate(spec.get("imagePullSecrets") or ()):
        name = secret.get("name", "")
        if name in seen:
            found = TWICE.at(("spec", "imagePullSecrets", index), f"{name} is listed twice")
            yield found._replace(severity=Severity.NOTE)
        seen.add(name)


def _repeated(container: Object, path: Path) -> Iterator[Finding]:
    first: dict[str, Object] = {}
    for index, env in enumerate(container.get("env") or ()):
        if first.setdefault(env.get("name", ""), env) is not env:
            name = env.get("name", "")
            is_same = first[name] == env
            said = "with the same value" if is_same else "with different values: the last wins"
            found = ENV.at(
                (*path, "env", index), f"{name} is in the env of {container.get('name', '')} twice, {said}"
            )
            yield found._replace(severity=Severity.NOTE) if is_same else found
    ports: set[tuple[object, ...]] = set()
    for index, port in enumerate(container.get("ports") or ()):
        number, protocol = port.get("containerPort", 0), port.get("protocol") or "TCP"
        port_of_node = (port.get("hostIP") or "", port.get("hostPort") or 0)
        if (number, protocol, *port_of_node) in ports and not port_of_node[1]:  # a hostPort twice is rejected
            yield TWICE.at((*path, "ports", index), f"the port {number}/{protocol} is listed twice")
        ports.add((number, protocol, *port_of_node))


def _undefined(container: Object, path: Path) -> Iterator[Finding]:
    given = _given(container)
    every = given | {env.get("name", "") for env in container.get("env") or ()}
    before = set(given)
    for index, env in enumerate(container.get("env") or ()):
        for name in _lacking(env.get("value") or "", before):
            said = "defined only after it" if name in every else "not defined"
            yield UNDEFINED.at((*path, "env", index, "value"), f"$({name}) stays as it is: {name} is {said}")
        before.add(env.get("name", ""))
    for field in ("command", "args"):
        for index, text in enumerate(container.get(field) or ()):
            for name in _lacking(text, every):
                if not _OF_SHELLS.fullmatch(name):
                    yield UNDEFINED.at((*path, field, index), f"$({name}) stays as it is: {name} is not defined")
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        for name in _lacking(mount.get("subPathExpr") or "", every):
            at = (*path, "volumeMounts", index, "subPathExpr")
            found = UNDEFINED.at(at, f"the container does not start: {name} is not defined")
            yield found._replace(severity=Severity.WARNING)


def _given(container: Object) -> set[str]:
    """The variables that a container has in addition to its env: those of Kruise, and transferred ones."""
    names = {*_ALWAYS, *(_OF_HALVES if is_hot(container) else ())}
    for item in container.get("transferEnv") or ():
        names |= {item.get("envName", ""), *(item.get("envNames") or ())}
    return names


def _lacking(text: str, known: Collection[str]) -> list[str]:
    return [
        name
        for name in dict.fromkeys(references_in(text))
        if name not in known and _NAME.fullmatch(name) and not _OF_SERVICES.fullmatch(name)
    ]
