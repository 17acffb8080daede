"""Ports of an injected pod: which container a Service reaches, and which ports are used twice.

Source: https://kubernetes.io/docs/concepts/services-networking/service/, "Port definitions".
"""

from collections.abc import Iterator, Sequence

from sidecarctl.engine.facts.findings import Severity
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.validation.pods.matched import stream
from sidecarctl.engine.validation.pods.pairs import Beside, Caused, Container, Pair, mapping, objects
from sidecarctl.engine.validation.rules import Rule, warned

_SERVICES = "https://kubernetes.io/docs/concepts/services-networking/service/"
_PORTS = "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/"
_STREAM = stream(
    "containers: [{{name: agent, image: 'agent:1.2', ports: [{{{port}}}]}}]",
    """\
apiVersion: v1
kind: Service
metadata: {{name: web, namespace: shop}}
spec: {{selector: {{app: web}}, ports: [{{port: 80, targetPort: http}}]}}
""",
    pod="spec: {{containers: [{{name: main, image: 'main:1', ports: [{{name: http, containerPort: 8080}}]}}]}}",
)

SERVICE = Rule(
    "service-port",
    "Service that reaches the sidecar",
    "No sidecar has a port of the name that a Service looks for in the app.",
    why="A Service whose targetPort is a name takes the first container that has a port of this name and protocol: "
    "with a sidecar before the app, it sends the app's traffic to the sidecar.",
    mend="rename the port of the sidecar, or write the number of the app's port into the Service",
    source=_SERVICES,
    within="stream",
    fails=_STREAM.format(port="name: http, containerPort: 9090"),
    passes=_STREAM.format(port="name: metrics, containerPort: 9090"),
)
CLASH = warned(
    "port-clash",
    "Port of another container",
    "No sidecar has the containerPort of another container.",
    why="The containers of a pod share its network: the second that listens on a port fails with `address already in "
    "use`, unless they listen on different addresses.",
    mend="let the sidecar listen on another port",
    source=_PORTS,
    within="stream",
    fails=_STREAM.format(port="containerPort: 8080"),
    passes=_STREAM.format(port="containerPort: 8080, protocol: UDP"),
)

Found = tuple[Container, int, int]
"""A container, the index of one of its ports, and the number of that port."""


def port_findings(pair: Pair, beside: Beside) -> Iterator[Caused]:
    """Services that a sidecar changes, and ports that two containers have."""
    for service in beside.of("Service", pair.namespace):
        spec = mapping(service.get("spec"))
        selector = mapping(spec.get("selector"))
        if selector and all(pair.labels.get(key) == value for key, value in selector.items()):
            yield from _of_service(str(mapping(service.get("metadata")).get("name", "")), spec, pair)
    yield from _clashes(pair)


def _of_service(name: str, spec: Object, pair: Pair) -> Iterator[Caused]:
    for port in objects(spec.get("ports")):
        target, protocol = port.get("targetPort"), port.get("protocol") or "TCP"
        if not isinstance(target, str):
            continue
        alone, now = _named(pair.app, target, protocol), _named(pair.all, target, protocol)
        sidecars = [item for item in now if item[0].set_name]
        if not alone or not sidecars or sidecars[0][2] == alone[0][2]:
            continue  # the app has no such port, or the number stays: which container listens is checked elsewhere
        container, index, number = sidecars[0]
        if now[0] is sidecars[0]:
            message = (
                f"Service {pair.namespace}/{name} finds its targetPort {target} in {container.title} ({number}) "
                f"instead of {alone[0][0].name} ({alone[0][2]})"
            )
            finding = SERVICE.at((), message)
        else:
            message = (
                f"the targetPort {target} of Service {pair.namespace}/{name} is in {container.title} too: only "
                f"the order of the containers keeps the Service at {alone[0][0].name}"
            )
            finding = SERVICE.at((), message)._replace(severity=Severity.WARNING)
        yield pair.cause(container, ("ports", index, "name"), finding, (*alone[0][0].in_pod, "ports", alone[0][1]))


def _named(containers: Sequence[Container], name: str, protocol: str) -> list[Found]:
    """The ports of a name, in the order in which Kubernetes looks: native sidecars last."""
    return [
        (container, index, port.get("containerPort", 0))
        for container in containers
        if container.runs_on
        for index, port in enumerate(container.value.get("ports") or ())
        if port.get("name") == name and (port.get("protocol") or "TCP") == protocol
    ]


def _clashes(pair: Pair) -> Iterator[Caused]:
    first: dict[tuple[int, str], Container] = {}
    running = (item for item in pair.all if item.runs_on)
    for container in sorted(running, key=lambda item: bool(item.set_name)):
        for index, port in enumerate(container.value.get("ports") or ()):
            number, protocol = port.get("containerPort", 0), port.get("protocol") or "TCP"
            other = first.setdefault((number, protocol), container)
            is_hot_pair = (other.set_name, other.path) == (container.set_name, container.path)  # only one listens
            if other is container or not container.set_name or is_hot_pair:
                continue
            message = f"{container.title} and {other.name} both have the port {number}/{protocol}"
            at = (*other.in_pod, "ports") if not other.set_name else ()
            yield pair.cause(container, ("ports", index, "containerPort"), CLASH.at((), message), at)
