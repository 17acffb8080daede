"""What the API server rejects in an injected pod but not in the app alone, and which SidecarSet is to blame.

By the same rules as in a SidecarSet; the order is that of the API server, which names the later of two that clash.

Source: docs/behavior/validation.md, "Containers", and
https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object, Path
from sidecarctl.injection.injecting import Injection
from sidecarctl.releases.release import MASTER
from sidecarctl.sidecarset.defaults import with_container_defaults
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.sidecarset.world import GivenPod
from sidecarctl.validation.admission.mounts import mount_findings
from sidecarctl.validation.admission.ports_and_probes import host_port_findings
from sidecarctl.validation.admission.resources import resource_findings
from sidecarctl.validation.pods.pairs import LISTS, Beside, Caused, Pair, pair_of
from sidecarctl.validation.pods.requests import resources_in
from sidecarctl.validation.rules import SET_AND_POD, Rule


class Spot(NamedTuple):
    """A container of a pod, by its list and position, and a path in it; the position is -1 for the pod itself."""

    field: str
    position: int
    path: Path = ()

    @property
    def in_pod(self) -> Path:
        """The path in the pod."""
        return ("spec", *self.path) if self.position < 0 else ("spec", self.field, self.position, *self.path)


class Refusal(NamedTuple):
    """An error: where the API server sees it, and the other spot of two that clash."""

    at: Spot
    message: str
    other: Spot | None = None


def refusals_of(spec: Object, resources: Mapping[tuple[str, int], Object] | None = None) -> Iterator[Refusal]:
    """What the API server refuses in the spec of a pod in typed form.

    `resources`: those that containers end up with, by list and index; None for those that are written.
    """
    containers = list(_placed(spec, resources or {}))
    yield from _names(containers)
    volumes = {volume.get("name", ""): volume for volume in spec.get("volumes") or ()}
    for spot, container in containers:
        for found in mount_findings(container, volumes, (), MASTER, lacks="the pod has no volume"):
            yield Refusal(spot._replace(path=found.path), found.message)
        for found in resource_findings(container, ()):
            yield Refusal(spot._replace(path=found.path), found.message)
        yield from _of_system(spot, container, spec)
    yield from _ports(containers, spec)
    yield from _host_processes(containers, spec)


Placed = tuple[Spot, Object]


def _placed(spec: Object, resources: Mapping[tuple[str, int], Object]) -> Iterator[Placed]:
    """The containers of a pod with the defaults of the API server."""
    for field in LISTS:
        for index, container in enumerate(spec.get(field) or ()):
            own = resources.get((field, index))
            filled = with_container_defaults(container if own is None else {**container, "resources": own})
            yield Spot(field, index), _with_host_ports(filled) if spec.get("hostNetwork") else filled


def _with_host_ports(container: Object) -> Object:
    """A container of a pod in the network of its node: each port is one of the node."""
    if not container.get("ports"):
        return container
    ports = [
        {**port, "hostPort": port.get("hostPort") or port.get("containerPort", 0)} for port in container["ports"]
    ]
    return {**container, "ports": ports}


def _names(containers: Iterable[Placed]) -> Iterator[Refusal]:
    first: dict[str, Spot] = {}
    for spot, container in containers:
        name = container.get("name", "")
        other = first.setdefault(name, spot)
        if other is not spot:
            yield Refusal(spot._replace(path=("name",)), f'two containers are named "{name}"', other)


def _ports(containers: Sequence[Placed], spec: Object) -> Iterator[Refusal]:
    """HostPorts that clash: of all containers, and of each init container alone, since they run one by one."""
    together = [item for item in containers if item[0].field == "containers"]
    for group in (together, *([item] for item in containers if item[0].field == "initContainers")):
        placed = [(container, (spot.field, spot.position)) for spot, container in group]
        for found in host_port_findings(placed):
            field, index, *path = found.path
            at = Spot(str(field), int(index), tuple(path))
            yield Refusal(at, found.message, _first_with_port(group, at))
    if spec.get("hostNetwork"):
        for spot, container in together:
            for index, port in enumerate(container.get("ports") or ()):
                if port["hostPort"] != port.get("containerPort", 0):
                    at = spot._replace(path=("ports", index, "hostPort"))
                    message = f"with hostNetwork, the hostPort {port['hostPort']} must be the containerPort"
                    yield Refusal(at, message)


def _first_with_port(containers: Iterable[Placed], at: Spot) -> Spot | None:
    """The first spot of the hostPort at another spot."""
    found: dict[tuple[str, str, int], Spot] = {}
    for spot, container in containers:
        for index, port in enumerate(container.get("ports") or ()):
            wanted = (port.get("protocol", ""), port.get("hostIP", ""), port.get("hostPort", 0))
            first = found.setdefault(wanted, spot._replace(path=("ports", index, "hostPort")))
            if spot._replace(path=("ports", index, "hostPort")) == at:
                return first
    return None


_NOT_OF = {
    "linux": ("windowsOptions",),
    "windows": (
        "appArmorProfile",
        "seLinuxOptions",
        "seccompProfile",
        "capabilities",
        "readOnlyRootFilesystem",
        "privileged",
        "allowPrivilegeEscalation",
        "procMount",
        "runAsUser",
        "runAsGroup",
    ),
}
"""Fields of a securityContext that the API server refuses in pods of an operating system."""


def _of_system(spot: Spot, container: Object, spec: Object) -> Iterator[Refusal]:
    """Fields of a securityContext that conflict with the pod's operating system, or its users."""
    context = container.get("securityContext") or {}
    system: str = (spec.get("os") or {}).get("name") or ""
    for field in _NOT_OF.get(system, ()):
        if context.get(field) is not None:
            at = spot._replace(path=("securityContext", field))
            yield Refusal(at, f"{field} cannot be set in a pod whose os.name is {system}")


def _host_processes(containers: Sequence[Placed], spec: Object) -> Iterator[Refusal]:
    """In a pod with a HostProcess container of Windows all of them have to be."""
    of_pod = _is_host_process(spec)
    has = {spot: _is_host_process(container) for spot, container in containers}
    for spot, own in has.items():
        if own is not None and of_pod is not None and own != of_pod:
            at = spot._replace(path=("securityContext", "windowsOptions", "hostProcess"))
            yield Refusal(at, f"hostProcess is {str(own).lower()}, and {str(of_pod).lower()} of the pod")
    others = [spot for spot, own in has.items() if not (of_pod if own is None else own)]
    if others and len(others) < len(has):
        yield Refusal(Spot("", -1), "some containers are HostProcess containers, and not all", others[0])


def _is_host_process(owner: Object) -> bool | None:
    options = (owner.get("securityContext") or {}).get("windowsOptions") or {}
    value: bool | None = options.get("hostProcess")
    return value


def caused_refusals(
    spec: Object,
    alone: Object,
    resources: Mapping[tuple[str, int], Object] | None = None,
    resources_alone: Mapping[tuple[str, int], Object] | None = None,
) -> Iterator[Refusal]:
    """What the API server refuses in a pod, and not in the app alone; both are specs in typed form."""
    known = {_key(item, alone) for item in refusals_of(alone, resources_alone)}
    yield from (item for item in refusals_of(spec, resources) if _key(item, spec) not in known)


def _key(refusal: Refusal, spec: Object) -> tuple[str, str, Path, str]:
    """The part of an error that stays the same if other containers come before it."""
    at = refusal.at
    name = "" if at.position < 0 else spec[at.field][at.position].get("name", "")
    return at.field, name, at.path, refusal.message


INVALID = Rule(
    "pod-invalid",
    "Injected pod that the API server rejects",
    "The API server accepts a pod with its sidecars.",
    why="Two containers with the same name, a hostPort or a mountPath used twice, a kept volume of another kind, a "
    "computed request above its limit, or fields that the pod's os does not have cannot be seen in the SidecarSet "
    "alone; the API server rejects the whole pod.",
    mend="give the sidecar another name, port or path, or fix the expressions of resourcesPolicy",
    source="https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/",
    within="stream",
    fails=SET_AND_POD.format(container="ports: [{containerPort: 80, hostPort: 80}]"),
    passes=SET_AND_POD.format(container="ports: [{containerPort: 80, hostPort: 81}]"),
    formerly="injected-pod-refused",
)


def invalid_findings(pair: Pair, beside: Beside) -> Iterator[Caused]:
    """What the API server rejects in the injected pod but not in the app alone."""
    yield from _refused(pair, beside.of("LimitRange", pair.namespace))


def refused_findings(
    pod: Object, injection: Injection, sets: Mapping[str, SidecarSet]
) -> Iterator[tuple[str, Finding]]:
    """The same for a pod on its own, with the name of the SidecarSet."""
    for item in _refused(pair_of(GivenPod(pod), injection.pod, injection, sets), ()):
        yield item.set_name, item.finding


def _refused(pair: Pair, ranges: Sequence[Object]) -> Iterator[Caused]:
    now, alone = ({} if not ranges else resources_in(spec, ranges) for spec in (pair.spec, pair.alone))
    told: set[tuple[object, ...]] = set()
    for refusal in caused_refusals(pair.spec, pair.alone, now, alone):
        caused = _caused(pair, refusal)
        key = (caused.set_name, caused.finding, caused.refused)
        if key not in told:
            told.add(key)
            yield caused


def _caused(pair: Pair, refusal: Refusal) -> Caused:
    by_spot = {(item.field, item.position): item for item in pair.all}
    found = INVALID.at((), refusal.message)
    for spot in (refusal.at, refusal.other):
        sidecar = by_spot.get((spot.field, spot.position)) if spot else None
        if spot and sidecar and sidecar.set_name:
            others = sorted(pair.bringing[sidecar.name] - {sidecar.set_name})
            if others and spot.path == ("name",):
                found = found._replace(message=f"{refusal.message}: SidecarSet {' and '.join(others)} injects it too")
            return pair.cause(sidecar, spot.path, found)._replace(refused=_named(refusal.at.in_pod))
    return pair.cause(pair.sidecars[0], (), found)._replace(refused=_named(refusal.at.in_pod))


def _named(path: Path) -> Path:
    """The field as the API server names it: the requests, rather than one of them."""
    return path[:-1] if path[-3:-1] == ("resources", "requests") else path
