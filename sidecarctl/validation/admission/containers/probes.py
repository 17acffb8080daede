"""Probes and lifecycle hooks of a container.

Source: docs/behaviour/validation.md, "Containers".
"""

from collections.abc import Callable, Iterator

from sidecarctl.api.names import PORT_NAME_FORM, is_header_name, is_port_name
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object, Value
from sidecarctl.validation.rules import kubernetes

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_NUMBERS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
_GRACE_PERIOD = 30
"""Seconds that the pod has which Kruise makes of a SidecarSet to check it."""

HANDLER = kubernetes(
    "probe-handler",
    "A probe has one of exec, httpGet, tcpSocket and grpc; a hook has one of them, or sleep instead of grpc.",
    why="It does one thing.",
    mend="write one of them, complete",
    fails="livenessProbe: {periodSeconds: 10}",
    passes="livenessProbe: {tcpSocket: {port: 80}}",
)
PORT = kubernetes(
    "probe-port",
    "The port of a probe or hook is a number from 1 to 65535, or the name of a port.",
    why="A number in quotes is a name, and a port's name has a letter.",
    mend=f"write a number without quotes, or a name: {PORT_NAME_FORM}",
    fails="livenessProbe: {tcpSocket: {port: '80'}}",
    passes="livenessProbe: {tcpSocket: {port: 80}}",
)
HTTP = kubernetes(
    "probe-http",
    "An httpGet has a path, the scheme HTTP or HTTPS, and headers of letters, digits and -.",
    why="Kruise completes path and scheme of liveness and readiness probes and of hooks, not of a startupProbe.",
    mend="write path: / and scheme: HTTP",
    fails="startupProbe: {httpGet: {port: 80}, successThreshold: 1}",
    passes="startupProbe: {httpGet: {port: 80, path: /, scheme: HTTP}, successThreshold: 1}",
)
NUMBER = kubernetes(
    "probe-number",
    "The numbers of a probe are not negative, and successThreshold is 1 but for readiness.",
    why="Kruise completes liveness and readiness probes, not a startupProbe: that one must say successThreshold: 1.",
    mend="write successThreshold: 1",
    fails="startupProbe: {tcpSocket: {port: 80}}",
    passes="startupProbe: {tcpSocket: {port: 80}, successThreshold: 1}",
)
GRACE = kubernetes(
    "probe-grace-period",
    "terminationGracePeriodSeconds of a probe is above 0, and a readinessProbe has none.",
    why="A failed readinessProbe terminates nothing.",
    mend="delete it, or write a number above 0",
    fails="readinessProbe: {tcpSocket: {port: 80}, terminationGracePeriodSeconds: 5}",
    passes="livenessProbe: {tcpSocket: {port: 80}, terminationGracePeriodSeconds: 5}",
)
SLEEP = kubernetes(
    "hook-sleep",
    "A sleep of a hook is 1 to 30 seconds.",
    why="Kruise checks by a pod with the usual 30 seconds to terminate, whatever the real pods have.",
    mend="write seconds: 5",
    fails="lifecycle: {preStop: {sleep: {seconds: 60}}}",
    passes="lifecycle: {preStop: {sleep: {seconds: 5}}}",
)


def probe_findings(container: Object, path: Path) -> Iterator[Finding]:
    """What is refused in a container's lifecycle and probes."""
    for hook, handler in container.get("lifecycle", {}).items():
        yield from _handler(handler, (*path, "lifecycle", hook), _HOOK_HANDLERS)
    for field in PROBES:
        if field in container:
            yield from _probe(container[field], field, (*path, field))


def _probe(probe: Object, field: str, path: Path) -> Iterator[Finding]:
    yield from _handler(probe, path, _PROBE_HANDLERS)
    for number in _NUMBERS:
        if probe.get(number, 0) < 0:
            yield NUMBER.at((*path, number), f"{probe[number]} is negative", "write a number from 0 on")
    if field != "readinessProbe" and probe.get("successThreshold", 0) != 1:
        message = f"successThreshold is {probe.get('successThreshold', 'missing')}"
        yield NUMBER.at((*path, "successThreshold"), f"{message}, it must be 1")
    grace = probe.get("terminationGracePeriodSeconds")
    if grace is not None and (field == "readinessProbe" or grace <= 0):
        message = "a readinessProbe has no grace period" if field == "readinessProbe" else f"{grace} is not above 0"
        yield GRACE.at((*path, "terminationGracePeriodSeconds"), message)


def _handler(handler: Object, path: Path, kinds: dict[str, "Check"]) -> Iterator[Finding]:
    present = [kind for kind in kinds if kind in handler]
    if not present:
        yield HANDLER.at(path, f"there is none of {', '.join(kinds)}")
        return
    yield from kinds[present[0]](handler[present[0]], (*path, present[0]))
    for kind in present[1:]:
        yield HANDLER.at((*path, kind), f"there is {present[0]} already", "delete one of them")


def _exec(action: Object, path: Path) -> Iterator[Finding]:
    if not action.get("command"):
        yield HANDLER.at((*path, "command"), "command is missing", "write command: [cat, /ready]")


def _http_get(action: Object, path: Path) -> Iterator[Finding]:
    if not action.get("path"):
        yield HTTP.at((*path, "path"), "path is missing")
    yield from _port(action.get("port", 0), (*path, "port"))
    if action.get("scheme") not in {"HTTP", "HTTPS"}:
        message = f'there is no scheme "{action["scheme"]}"' if action.get("scheme") else "scheme is missing"
        yield HTTP.at((*path, "scheme"), message)
    for index, header in enumerate(action.get("httpHeaders", ())):
        if not is_header_name(header.get("name", "")):
            message = f'"{header.get("name", "")}" cannot name a header'
            yield HTTP.at((*path, "httpHeaders", index, "name"), message, "write it like X-Probe")


def _socket(action: Object, path: Path) -> Iterator[Finding]:
    yield from _port(action.get("port", 0), (*path, "port"))


def _sleep(action: Object, path: Path) -> Iterator[Finding]:
    seconds = action.get("seconds", 0)
    if not 1 <= seconds <= _GRACE_PERIOD:
        yield SLEEP.at((*path, "seconds"), f"{seconds} seconds are not between 1 and {_GRACE_PERIOD}")


def _port(port: Value, path: Path) -> Iterator[Finding]:
    if isinstance(port, str):
        if not is_port_name(port):
            hint = f"write it without quotes: {port}" if port.isdecimal() else ""
            yield PORT.at(path, f'"{port}" cannot name a port', hint)
    elif not 1 <= port <= 65535:
        yield PORT.at(path, f"{port} is no port" if port else "port is missing")


Check = Callable[[Object, Path], Iterator[Finding]]

_SHARED: dict[str, Check] = {"exec": _exec, "httpGet": _http_get, "tcpSocket": _socket}
_PROBE_HANDLERS: dict[str, Check] = {**_SHARED, "grpc": _socket}
_HOOK_HANDLERS: dict[str, Check] = {**_SHARED, "sleep": _sleep}
