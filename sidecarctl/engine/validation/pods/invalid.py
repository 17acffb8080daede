"""What the API server rejects in an injected pod but not in the app alone, and which SidecarSet is to blame.

By the same rules as in a SidecarSet; the order is that of the API server, which names the later of two that clash.

Source: docs/behavior/validation.md, "Containers", and
https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path, value_at
from sidecarctl.engine.injection.injecting import PodInjection
from sidecarctl.engine.releases.release import MASTER, InitInjection
from sidecarctl.engine.sidecarset.defaults import with_container_defaults
from sidecarctl.engine.sidecarset.sets import SidecarSet, is_hot
from sidecarctl.engine.sidecarset.world import GivenPod
from sidecarctl.engine.validation.admission.containers import Placed
from sidecarctl.engine.validation.admission.mounts import mount_findings
from sidecarctl.engine.validation.admission.ports_and_probes import host_port_findings
from sidecarctl.engine.validation.admission.resources import resource_findings
from sidecarctl.engine.validation.pods.pairs import LISTS, Beside, Caused, Container, Pair, pair_of
from sidecarctl.engine.validation.pods.requests import resources_in
from sidecarctl.engine.validation.rules import SET_AND_POD, Rule

_LACKS = "the pod has no volume"
_NO_VOLUMES: InitInjection = "neither volumes nor envs"


class PodRefusal(NamedTuple):
    """An error: where the API server sees it, and the other place of two that clash; both are paths in the spec.

    `hint`: how to fix it.
    """

    at: Path
    message: str
    hint: str
    other: Path = ()


def refusals_of(spec: Object, ranges: Sequence[Object]) -> Iterator[PodRefusal]:
    """What the API server refuses in the spec of a pod in typed form, in a namespace with some LimitRanges."""
    containers = list(_placed(spec, ranges))
    yield from _names(containers)
    volumes = {volume.get("name", ""): volume for volume in spec.get("volumes") or ()}
    for container, path in containers:
        for found in mount_findings(container, volumes, path, MASTER, lacks=_LACKS):
            yield PodRefusal(found.path, found.message, found.hint)
        for found in resource_findings(container, path):
            yield PodRefusal(found.path, found.message, found.hint)
        yield from _of_system(container, path, spec)
    yield from _ports(containers, spec)
    yield from _host_processes(containers, spec)


def _placed(spec: Object, ranges: Sequence[Object]) -> Iterator[tuple[Object, Path]]:
    """The containers of a pod with the defaults of LimitRanges, if there are any, and of the API server."""
    resources = resources_in(spec, ranges) if ranges else {}
    for field in LISTS:
        for index, container in enumerate(spec.get(field) or ()):
            own = resources.get((field, index))
            filled = with_container_defaults(container if own is None else {**container, "resources": own})
            yield _with_host_ports(filled) if spec.get("hostNetwork") else filled, (field, index)


def _with_host_ports(container: Object) -> Object:
    """A container of a pod in the network of its node: each port is one of the node."""
    if not container.get("ports"):
        return container
    ports = [
        {**port, "hostPort": port.get("hostPort") or port.get("containerPort", 0)} for port in container["ports"]
    ]
    return {**container, "ports": ports}


def _names(containers: Placed) -> Iterator[PodRefusal]:
    first: dict[str, Path] = {}
    for container, path in containers:
        name = container.get("name", "")
        other = first.setdefault(name, path)
        if other != path:
            yield PodRefusal((*path, "name"), f'two containers are named "{name}"', "rename the sidecar", other)


def _ports(containers: Placed, spec: Object) -> Iterator[PodRefusal]:
    """HostPorts that clash: of all containers, and of each init container alone, since they run one by one."""
    together = [item for item in containers if item[1][0] == "containers"]
    for group in (together, *([item] for item in containers if item[1][0] == "initContainers")):
        for found in host_port_findings(group):
            yield PodRefusal(found.path, found.message, found.hint, _first_with_port(group, found.path))
    if spec.get("hostNetwork"):
        for container, path in together:
            for index, port in enumerate(container.get("ports") or ()):
                if port["hostPort"] != port.get("containerPort", 0):
                    message = f"with hostNetwork, the hostPort {port['hostPort']} must be the containerPort"
                    yield PodRefusal((*path, "ports", index, "hostPort"), message, "delete the hostPort")


def _first_with_port(containers: Placed, at: Path) -> Path:
    """The first place with the hostPort at another place."""
    found: dict[tuple[str, str, int], Path] = {}
    for container, path in containers:
        for index, port in enumerate(container.get("ports") or ()):
            wanted = (port.get("protocol", ""), port.get("hostIP", ""), port.get("hostPort", 0))
            here = (*path, "ports", index, "hostPort")
            first = found.setdefault(wanted, here)
            if here == at:
                return first
    return ()


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


def _of_system(container: Object, path: Path, spec: Object) -> Iterator[PodRefusal]:
    """Fields of a securityContext that conflict with the pod's operating system, or its users."""
    context = container.get("securityContext") or {}
    system: str = (spec.get("os") or {}).get("name") or ""
    for field in _NOT_OF.get(system, ()):
        if context.get(field) is not None:
            message = f"{field} cannot be set in a pod whose os.name is {system}"
            hint = f"delete it, or exclude pods of {system}"
            yield PodRefusal((*path, "securityContext", field), message, hint)


def _host_processes(containers: Placed, spec: Object) -> Iterator[PodRefusal]:
    """In a pod with a HostProcess container of Windows all of them have to be."""
    of_pod = _is_host_process(spec)
    has = {path: _is_host_process(container) for container, path in containers}
    for path, own in has.items():
        if own is not None and of_pod is not None and own != of_pod:
            at = (*path, "securityContext", "windowsOptions", "hostProcess")
            message = f"hostProcess is {str(own).lower()}, and {str(of_pod).lower()} of the pod"
            yield PodRefusal(at, message, "write the hostProcess of the pod")
    others = [path for path, own in has.items() if not (of_pod if own is None else own)]
    if others and len(others) < len(has):
        message = "some containers are HostProcess containers, and not all"
        yield PodRefusal((), message, "make the sidecar one of them, or exclude such pods", others[0])


def _is_host_process(owner: Object) -> bool | None:
    options = (owner.get("securityContext") or {}).get("windowsOptions") or {}
    value: bool | None = options.get("hostProcess")
    return value


def _key(refusal: PodRefusal, spec: Object) -> tuple[Path, str, str]:
    """The part of an error that stays the same if other containers come before it."""
    if not refusal.at:
        return (), "", refusal.message
    field, index, *rest = refusal.at
    return (field, *rest), value_at(spec, (field, index, "name")) or "", refusal.message


INVALID = Rule(
    "pod-invalid",
    "Injected pod that the API server rejects",
    "The API server accepts a pod with its sidecars.",
    why="Two containers with the same name, a hostPort or a mountPath used twice, a kept volume of another kind, a "
    "computed request above its limit, or fields that the pod's os does not have cannot be seen in the SidecarSet "
    "alone; the API server rejects the whole pod.",
    mend="change what the message names",
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
    pod: Object, injection: PodInjection, sets: Mapping[str, SidecarSet]
) -> Iterator[tuple[str, Finding]]:
    """What the API server rejects of a single pod, with the name of the SidecarSet."""
    for item in _refused(pair_of(GivenPod(pod), injection.pod, injection, sets), ()):
        yield item.set_name, item.finding


def _refused(pair: Pair, ranges: Sequence[Object]) -> Iterator[Caused]:
    known = {_key(item, pair.alone) for item in refusals_of(pair.alone, ranges)}
    told: set[tuple[object, ...]] = set()
    for refusal in refusals_of(pair.spec, ranges):
        if _key(refusal, pair.spec) in known or _is_of_hot_pair(refusal, pair):
            continue
        caused = _caused(pair, refusal)
        key = (caused.set_name, caused.finding, caused.refused)
        if key not in told:
            told.add(key)
            yield caused


def _caused(pair: Pair, refusal: PodRefusal) -> Caused:
    by_place: dict[Path, Container] = {(item.field, item.position): item for item in pair.all}
    found, named = INVALID.at((), refusal.message, refusal.hint), _named(("spec", *refusal.at))
    for place in (refusal.at, refusal.other):
        sidecar = by_place.get(place[:2])
        if sidecar and sidecar.set_name:
            others = sorted(pair.bringing[sidecar.name] - {sidecar.set_name})
            if others and place[2:] == ("name",):
                found = found._replace(message=f"{refusal.message}: SidecarSet {' and '.join(others)} injects it too")
            found = found._replace(hint=_hint(refusal, sidecar, pair))
            return pair.cause(sidecar, place[2:], found)._replace(refused=named)
    return pair.cause(pair.sidecars[0], (), found)._replace(refused=named)


def _hint(refusal: PodRefusal, sidecar: Container, pair: Pair) -> str:
    """How to fix it in the SidecarSet, whose Kruise may have computed the resources, or left out a volume."""
    sidecarset, written = pair.sets[sidecar.set_name], _written(sidecar, pair)
    if refusal.at[2:3] == ("resources",) and "resourcesPolicy" in written:
        return "fix the expressions of resourcesPolicy"
    if refusal.at[-1:] == ("hostPort",) and pair.spec.get("hostNetwork"):
        other = "write upgradeType: ColdUpgrade" if is_hot(written) else "let the sidecar listen on another port"
        return f"{other}, or exclude the pods with hostNetwork"
    lacks_volume = refusal.at[2:3] == ("volumeMounts",) and _LACKS in refusal.message
    if lacks_volume and sidecar.field == "initContainers" and sidecarset.release.init_injection == _NO_VOLUMES:
        return f"{sidecarset.release.behavior} adds no volumes for initContainers: upgrade, or mount one of the pod"
    return refusal.hint


def _written(sidecar: Container, pair: Pair) -> Object:
    """The container in the SidecarSet; empty if it is only in another revision."""
    found = value_at({"spec": pair.sets[sidecar.set_name].spec}, sidecar.path)
    return found if isinstance(found, dict) else {}


def _is_of_hot_pair(refusal: PodRefusal, pair: Pair) -> bool:
    """Whether both halves of a HotUpgrade container have its hostPort: that is reported for the SidecarSet."""
    if refusal.at[-1:] != ("hostPort",) or not refusal.other:
        return False
    places = {refusal.at[:2], refusal.other[:2]}
    halves = [item for item in pair.all if (item.field, item.position) in places and item.set_name]
    if len(halves) < 2 or len({(item.set_name, item.path) for item in halves}) > 1:
        return False
    written = _written(halves[0], pair)
    return is_hot(written) and any(port.get("hostPort") for port in written.get("ports") or ())


def _named(path: Path) -> Path:
    """The field as the API server names it: the requests, rather than one of them."""
    return path[:-1] if path[-3:-1] == ("resources", "requests") else path
