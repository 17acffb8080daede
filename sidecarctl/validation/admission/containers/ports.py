"""Ports of containers.

Source: docs/behaviour/validation.md, "Containers".
"""

from collections.abc import Iterator, Sequence

from sidecarctl.api.names import PORT_NAME_FORM, is_port_name
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object
from sidecarctl.validation.rules import kubernetes

_PROTOCOLS = ("TCP", "UDP", "SCTP")

NUMBER = kubernetes(
    "port-number",
    "A port is a number from 1 to 65535.",
    why="There are no other ports. containerPort is required; hostPort may be 0 for none.",
    mend="write a number from 1 to 65535",
    fails="ports: [{containerPort: 70000}]",
    passes="ports: [{containerPort: 7000}]",
)
NAME = kubernetes(
    "port-name",
    "The name of a port has at most 15 characters of a-z, 0-9 and -, with a letter, and is unique in its container.",
    why="Probes and Services find the port by its name.",
    mend=f"a name is {PORT_NAME_FORM}",
    fails="ports: [{containerPort: 80, name: the-name-of-the-port}]",
    passes="ports: [{containerPort: 80, name: http}]",
)
PROTOCOL = kubernetes(
    "port-protocol",
    "The protocol of a port is TCP, UDP or SCTP.",
    why="Kubernetes has no others, and case matters.",
    mend="write TCP, UDP or SCTP",
    fails="ports: [{containerPort: 80, protocol: HTTP}]",
    passes="ports: [{containerPort: 80, protocol: TCP}]",
)
HOST_PORT = kubernetes(
    "host-port-twice",
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
