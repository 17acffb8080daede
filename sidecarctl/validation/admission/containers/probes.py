"""Probes and lifecycle hooks of a container.

Source: docs/behaviour/validation.md, "Containers".
"""

from collections.abc import Callable, Iterator

from sidecarctl.api.field_table import has_field
from sidecarctl.api.names import PORT_NAME_FORM, is_header_name, is_port_name
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object, Value
from sidecarctl.releases.release import Release
from sidecarctl.validation.rules import kubernetes

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_NUMBERS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
_GRACE_PERIOD = 30
"""The grace period, in seconds, of the pod that Kruise builds to check a SidecarSet."""

HANDLER = kubernetes(
    "probe-handler",
    "A probe has exactly one of exec, httpGet, tcpSocket and grpc; a hook has one of exec, httpGet, "
    "tcpSocket and sleep.",
    why="A probe or hook does one thing.",
    mend="write exactly one of them, with its required fields",
    fails="livenessProbe: {periodSeconds: 10}",
    passes="livenessProbe: {tcpSocket: {port: 80}}",
)
PORT = kubernetes(
    "probe-port",
    "The port of a probe or hook is a number from 1 to 65535, or the name of a port.",
    why="A number in quotes is a name, and a port name contains a letter.",
    mend=f"write a number without quotes, or a name: {PORT_NAME_FORM}",
    fails="livenessProbe: {tcpSocket: {port: '80'}}",
    passes="livenessProbe: {tcpSocket: {port: 80}}",
)
HTTP = kubernetes(
    "probe-http",
    "An httpGet has a path, the scheme HTTP or HTTPS, and header names of letters, digits and -.",
    why="Kruise sets defaults for path and scheme in liveness and readiness probes and in hooks, but not in "
    "a startupProbe.",
    mend="write path: / and scheme: HTTP",
    fails="startupProbe: {httpGet: {port: 80}, successThreshold: 1}",
    passes="startupProbe: {httpGet: {port: 80, path: /, scheme: HTTP}, successThreshold: 1}",
)
NUMBER = kubernetes(
    "probe-number",
    "The numbers of a probe are not negative, and successThreshold is 1 except in a readinessProbe.",
    why="Kruise sets defaults in liveness and readiness probes, but not in a startupProbe, which needs "
    "successThreshold: 1.",
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


def _probe(probe: Object, field: str, path: Path, release: Release) -> Iterator[Finding]:
    yield from _handler(probe, path, _PROBE_HANDLERS, release)
    for number in _NUMBERS:
        if probe.get(number, 0) < 0:
            yield NUMBER.at((*path, number), f"{probe[number]} is negative", "write 0 or more")
    if field != "readinessProbe" and probe.get("successThreshold", 0) != 1:
        message = f"successThreshold is {probe.get('successThreshold', 'missing')}"
        yield NUMBER.at((*path, "successThreshold"), f"{message}; it must be 1")
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
