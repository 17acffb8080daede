"""Ports, probes and lifecycle hooks of a container.

Source: docs/behavior/validation.md, "Containers".
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.field_table import has_field
from sidecarctl.engine.api.text_forms import PORT_NAME_FORM, is_header_name, is_port_name
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.validation.rules import Rule, kubernetes

_PROTOCOLS = ("TCP", "UDP", "SCTP")

NUMBER = kubernetes(
    "port-number",
    "Invalid port number",
    "A port is a number from 1 to 65535.",
    why="There are no other ports. containerPort is required; hostPort may be 0 for none.",
    mend="write a number from 1 to 65535",
    fails="ports: [{containerPort: 70000}]",
    passes="ports: [{containerPort: 7000}]",
)
NAME = kubernetes(
    "port-name",
    "Invalid or repeated port name",
    "The name of a port has at most 15 characters of a-z, 0-9 and -, with a letter, and is unique in its container.",
    why="Probes and Services find the port by its name.",
    mend=f"a name is {PORT_NAME_FORM}",
    fails="ports: [{containerPort: 80, name: the-name-of-the-port}]",
    passes="ports: [{containerPort: 80, name: http}]",
)
PROTOCOL = kubernetes(
    "port-protocol",
    "Unknown port protocol",
    "The protocol of a port is TCP, UDP or SCTP.",
    why="Kubernetes has no others, and case matters.",
    mend="write TCP, UDP or SCTP",
    fails="ports: [{containerPort: 80, protocol: HTTP}]",
    passes="ports: [{containerPort: 80, protocol: TCP}]",
)
HOST_PORT = kubernetes(
    "host-port-twice",
    "hostPort used twice",
    "No two containers of a pod use the same hostPort.",
    why="The second container could not listen on it.",
    mend="give one of them another hostPort, or none",
    fails="ports: [{containerPort: 80, hostPort: 80}, {containerPort: 81, hostPort: 80}]",
    passes="ports: [{containerPort: 80, hostPort: 80}, {containerPort: 81, hostPort: 81}]",
)


def port_findings(container: Object, path: Path) -> Iterator[Finding]:
    """Errors in the ports of a container."""
    names: set[str] = set()
    for index, port in enumerate(container.get("ports", ())):
        where = (*path, "ports", index)
        yield from _name(port.get("name", ""), names, (*where, "name"))
        number = port.get("containerPort", 0)
        if not 1 <= number <= 65535:
            message = f"{number} is not a port number" if number else "containerPort is missing"
            yield NUMBER.at((*where, "containerPort"), message)
        if not 0 <= port.get("hostPort", 0) <= 65535:
            yield NUMBER.at((*where, "hostPort"), f"{port['hostPort']} is not a port number")
        protocol = port.get("protocol", "")
        if protocol not in _PROTOCOLS:
            yield PROTOCOL.at((*where, "protocol"), f'unknown protocol "{protocol}"')


def host_port_findings(containers: Sequence[tuple[Object, Path]]) -> Iterator[Finding]:
    """Each hostPort that two of these containers use."""
    taken: set[tuple[str, str, int]] = set()
    for container, path in containers:
        for index, port in enumerate(container.get("ports", ())):
            wanted = (port.get("protocol", ""), port.get("hostIP", ""), port.get("hostPort", 0))
            if wanted[2] and wanted in taken:
                where = (*path, "ports", index, "hostPort")
                yield HOST_PORT.at(where, f"the hostPort {wanted[2]} is already used")
            taken.add(wanted)


def _name(name: str, names: set[str], path: Path) -> Iterator[Finding]:
    if not name:
        return
    if not is_port_name(name):
        yield NAME.at(path, f'"{name}" is not a valid port name')
    elif name in names:
        yield NAME.at(path, f'two ports are named "{name}"', "give one of them another name")
    names.add(name)


PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_NUMBERS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
_GRACE_PERIOD = 30
"""The grace period, in seconds, of the pod that Kruise builds to check a SidecarSet."""

HANDLER = kubernetes(
    "probe-handler",
    "Probe or hook without exactly one handler",
    "A probe has exactly one of exec, httpGet, tcpSocket and grpc; a hook has one of exec, httpGet, "
    "tcpSocket and sleep.",
    why="A probe or hook does one thing.",
    mend="write exactly one of them, with its required fields",
    fails="livenessProbe: {periodSeconds: 10}",
    passes="livenessProbe: {tcpSocket: {port: 80}}",
)
PORT = kubernetes(
    "probe-port",
    "Invalid port of a probe or hook",
    "The port of a probe or hook is a number from 1 to 65535, or the name of a port.",
    why="A number in quotes is a name, and a port name contains a letter.",
    mend=f"write a number without quotes, or a name: {PORT_NAME_FORM}",
    fails="livenessProbe: {tcpSocket: {port: '80'}}",
    passes="livenessProbe: {tcpSocket: {port: 80}}",
)
UNDECLARED = Rule(
    "probe-port-undeclared",
    "Probe of a port that does not exist",
    "A port that a probe or hook names is in the ports of its container.",
    why="Nobody rejects it, but the kubelet does not find the port, and the probe or hook always fails.",
    mend="add the port to the ports of the container, or write its number",
    source="https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/",
    fails="readinessProbe: {tcpSocket: {port: http}}",
    passes="{ports: [{name: http, containerPort: 80}], readinessProbe: {tcpSocket: {port: http}}}",
)
HTTP = kubernetes(
    "probe-http",
    "Invalid httpGet",
    "An httpGet has a path, the scheme HTTP or HTTPS, and header names of letters, digits and -.",
    why="Kruise sets defaults for path and scheme in liveness and readiness probes and in hooks, but not in "
    "a startupProbe.",
    mend="write path: / and scheme: HTTP",
    fails="startupProbe: {httpGet: {port: 80}, successThreshold: 1}",
    passes="startupProbe: {httpGet: {port: 80, path: /, scheme: HTTP}, successThreshold: 1}",
)
PROBE_NUMBER = kubernetes(
    "probe-number",
    "Invalid number of a probe",
    "The numbers of a probe are not negative, and successThreshold is 1 except in a readinessProbe.",
    why="Kruise sets defaults in liveness and readiness probes, but not in a startupProbe, which needs "
    "successThreshold: 1.",
    mend="write successThreshold: 1",
    fails="startupProbe: {tcpSocket: {port: 80}}",
    passes="startupProbe: {tcpSocket: {port: 80}, successThreshold: 1}",
)
GRACE = kubernetes(
    "probe-grace-period",
    "Invalid grace period of a probe",
    "terminationGracePeriodSeconds of a probe is above 0, and a readinessProbe has none.",
    why="A failed readinessProbe terminates nothing.",
    mend="delete it, or write a number above 0",
    fails="readinessProbe: {tcpSocket: {port: 80}, terminationGracePeriodSeconds: 5}",
    passes="livenessProbe: {tcpSocket: {port: 80}, terminationGracePeriodSeconds: 5}",
)
SLEEP = kubernetes(
    "hook-sleep",
    "Invalid sleep of a hook",
    "A hook sleeps 1 to 30 seconds.",
    why="Kruise checks hooks against the default grace period of 30 seconds, whatever the real pods have.",
    mend="write seconds: 5",
    fails="lifecycle: {preStop: {sleep: {seconds: 60}}}",
    passes="lifecycle: {preStop: {sleep: {seconds: 5}}}",
)


def probe_findings(container: Object, path: Path, release: Release) -> Iterator[Finding]:
    """Errors in the lifecycle and the probes of a container."""
    hooks = _HOOK_HANDLERS if release.sleep_hooks else _OLD_HOOK_HANDLERS
    for hook, handler in container.get("lifecycle", {}).items():
        yield from _handler(handler, (*path, "lifecycle", hook), hooks, release)
    for field in PROBES:
        if field in container:
            yield from _probe(container[field], field, (*path, field), release)
    names = {port.get("name") for port in container.get("ports", ())}
    hooks_and_probes: dict[Path, Object] = {
        ("lifecycle", hook): handler for hook, handler in container.get("lifecycle", {}).items()
    }
    hooks_and_probes |= {(field,): container[field] for field in PROBES if field in container}
    for steps, handler in hooks_and_probes.items():
        yield from _undeclared(handler, names, (*path, *steps))


def _undeclared(handler: Object, names: Collection[Value], path: Path) -> Iterator[Finding]:
    """A named port that the container does not have: it is not rejected, and never reached."""
    for kind in ("httpGet", "tcpSocket"):
        port = handler.get(kind, {}).get("port", 0)
        if isinstance(port, str) and is_port_name(port) and port not in names:
            yield UNDECLARED.at((*path, kind, "port"), f'the container has no port named "{port}"')


def _probe(probe: Object, field: str, path: Path, release: Release) -> Iterator[Finding]:
    yield from _handler(probe, path, _PROBE_HANDLERS, release)
    for number in _NUMBERS:
        if probe.get(number, 0) < 0:
            yield PROBE_NUMBER.at((*path, number), f"{probe[number]} is negative", "write 0 or more")
    if field != "readinessProbe" and probe.get("successThreshold", 0) != 1:
        message = f"successThreshold is {probe.get('successThreshold', 'missing')}"
        yield PROBE_NUMBER.at((*path, "successThreshold"), f"{message}; it must be 1")
    grace = probe.get("terminationGracePeriodSeconds")
    if grace is not None and (field == "readinessProbe" or grace <= 0):
        message = "a readinessProbe has no grace period" if field == "readinessProbe" else f"{grace} is not above 0"
        yield GRACE.at((*path, "terminationGracePeriodSeconds"), message)


def _handler(handler: Object, path: Path, kinds: "Kinds", release: Release) -> Iterator[Finding]:
    present = [kind for kind in kinds.checks if kind in handler]
    if not present:
        known = (kind for kind in kinds.checks if has_field(kinds.type_name, kind, release))
        yield HANDLER.at(path, f"one of {', '.join(known)} is required")
        return
    yield from kinds.checks[present[0]](handler[present[0]], (*path, present[0]))
    for kind in present[1:]:
        yield HANDLER.at((*path, kind), f"{present[0]} is already set", "delete one of them")


def _exec(action: Object, path: Path) -> Iterator[Finding]:
    if not action.get("command"):
        yield HANDLER.at((*path, "command"), "command is missing", "write command: [cat, /ready]")


def _http_get(action: Object, path: Path) -> Iterator[Finding]:
    if not action.get("path"):
        yield HTTP.at((*path, "path"), "path is missing")
    yield from _port(action.get("port", 0), (*path, "port"))
    if action.get("scheme") not in {"HTTP", "HTTPS"}:
        message = f'unknown scheme "{action["scheme"]}"' if action.get("scheme") else "scheme is missing"
        yield HTTP.at((*path, "scheme"), message)
    for index, header in enumerate(action.get("httpHeaders", ())):
        if not is_header_name(header.get("name", "")):
            message = f'"{header.get("name", "")}" is not a valid header name'
            yield HTTP.at((*path, "httpHeaders", index, "name"), message, "write it like X-Probe")


def _socket(action: Object, path: Path) -> Iterator[Finding]:
    yield from _port(action.get("port", 0), (*path, "port"))


def _sleep(action: Object, path: Path) -> Iterator[Finding]:
    seconds = action.get("seconds", 0)
    if not 1 <= seconds <= _GRACE_PERIOD:
        yield SLEEP.at((*path, "seconds"), f"{seconds} seconds are not between 1 and {_GRACE_PERIOD}")


def _no_sleep(action: Object, path: Path) -> Iterator[Finding]:
    seconds = action.get("seconds", 0)
    yield SLEEP.at(
        path,
        f"this release rejects every sleep ({seconds} seconds)",
        "write exec: {command: [sleep, '5']} instead",
    )


def _port(port: Value, path: Path) -> Iterator[Finding]:
    if isinstance(port, str):
        if not is_port_name(port):
            hint = f"write it without quotes: {port}" if port.isdecimal() else ""
            yield PORT.at(path, f'"{port}" is not a valid port name', hint)
    elif not 1 <= port <= 65535:
        yield PORT.at(path, f"{port} is not a port number" if port else "port is missing")


Check = Callable[[Object, Path], Iterator[Finding]]


class Kinds(NamedTuple):
    """The actions of a probe or hook, in the order of Kubernetes, and the API type that declares them."""

    type_name: str
    checks: dict[str, Check]


_SHARED: dict[str, Check] = {"exec": _exec, "httpGet": _http_get, "tcpSocket": _socket}
_PROBE_HANDLERS = Kinds("core.Probe", {**_SHARED, "grpc": _socket})
_HOOK_HANDLERS = Kinds("core.LifecycleHandler", {**_SHARED, "sleep": _sleep})
_OLD_HOOK_HANDLERS = Kinds("core.LifecycleHandler", {**_SHARED, "sleep": _no_sleep})
