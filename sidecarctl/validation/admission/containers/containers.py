"""Containers and initContainers, as Kubernetes checks them in a pod that has only this SidecarSet.

Source: docs/behaviour/validation.md, "Containers".
"""

from collections.abc import Iterator, Sequence

from sidecarctl.api.names import DNS_LABEL_FORM, is_dns_label
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object
from sidecarctl.releases.release import Release
from sidecarctl.validation.admission.containers.mounts import Volumes, mount_findings
from sidecarctl.validation.admission.containers.ports import host_port_findings, port_findings
from sidecarctl.validation.admission.containers.probes import PROBES, probe_findings
from sidecarctl.validation.admission.containers.resources import resize_findings, resource_findings
from sidecarctl.validation.rules import kruise, kubernetes

_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")
_STAND_IN = "test"
"""The name of the container that Kruise puts into the pod of a SidecarSet without containers."""

NAME = kubernetes(
    "container-name",
    "The name of a container is a-z, 0-9 and -, at most 63 characters, and unique.",
    why="Everything about a container is stored under its name.",
    mend=f"a name is {DNS_LABEL_FORM}",
    fails="name: Log_Agent",
    passes="name: log-agent",
)
STAND_IN = kruise(
    "init-container-named-test",
    "In a SidecarSet without containers, no initContainer is named test.",
    why="Kruise checks initContainers in a pod with a stand-in container of that name.",
    mend="give the initContainer another name",
    within="spec",
    fails="{containers: [], initContainers: [{name: test, image: 'setup:1'}]}",
    passes="{containers: [], initContainers: [{name: setup, image: 'setup:1'}]}",
)
IMAGE = kubernetes(
    "container-image",
    "A container has an image, without leading or trailing white space.",
    why="Nothing could be started without it.",
    mend="write image: registry.example.com/log-agent:1.2",
    fails="image: ''",
    passes="image: log-agent:1.2",
)
PULL_POLICY = kubernetes(
    "image-pull-policy",
    "imagePullPolicy is Always, IfNotPresent or Never.",
    why="There are no other values, and case matters.",
    mend="write Always, IfNotPresent or Never, or omit it",
    fails="imagePullPolicy: always",
    passes="imagePullPolicy: Always",
)
MESSAGE_POLICY = kubernetes(
    "termination-message-policy",
    "terminationMessagePolicy is File or FallbackToLogsOnError.",
    why="There are no other values.",
    mend="write File or FallbackToLogsOnError, or omit it",
    fails="terminationMessagePolicy: Logs",
    passes="terminationMessagePolicy: FallbackToLogsOnError",
)
RESTART_POLICY = kubernetes(
    "container-restart-policy",
    "Only initContainers have a restartPolicy, and it is Always: it makes them native sidecars.",
    why="Other containers follow the restartPolicy of their pod.",
    mend="delete it, or move the container to initContainers",
    fails="restartPolicy: Always",
    passes="name: log-agent",
)
INIT_PROBE = kubernetes(
    "init-container-probe",
    "An initContainer without restartPolicy: Always has no probes and no lifecycle.",
    why="It runs once and ends.",
    mend="delete them, or make it a native sidecar with restartPolicy: Always",
    within="init",
    fails="readinessProbe: {tcpSocket: {port: 80}}",
    passes="{restartPolicy: Always, readinessProbe: {tcpSocket: {port: 80}}}",
)

Placed = Sequence[tuple[Object, Path]]
"""Containers with their paths."""


def container_findings(containers: Placed, volumes: Volumes, release: Release) -> Iterator[Finding]:
    """Errors in the containers of a SidecarSet, defaults applied."""
    seen: set[str] = set()
    for container, path in containers:
        yield from _common(container, volumes, path, release, is_init=False)
        yield from _repeated(container, seen, path)
        yield from probe_findings(container, path, release)
        if "restartPolicy" in container:
            yield RESTART_POLICY.at((*path, "restartPolicy"), "a container has no restartPolicy of its own")
    yield from host_port_findings(containers)


def init_container_findings(
    init_containers: Placed, containers: Placed, volumes: Volumes, release: Release
) -> Iterator[Finding]:
    """Errors in the initContainers of a SidecarSet, defaults applied."""
    seen = {container.get("name", "") for container, _ in containers}
    for container, path in init_containers:
        yield from _common(container, volumes, path, release, is_init=True)
        yield from _restart(container, path, release)
        yield from _repeated(container, seen, path)
        yield from host_port_findings([(container, path)])
        if not containers and container.get("name") == _STAND_IN:
            yield STAND_IN.at((*path, "name"), "without containers, no initContainer may be named test")


def _common(container: Object, volumes: Volumes, path: Path, release: Release, *, is_init: bool) -> Iterator[Finding]:
    name = container.get("name", "")
    if not is_dns_label(name):
        yield NAME.at(
            (*path, "name"), f'"{name}" is not a valid container name' if name else "the container has no name"
        )
    yield from _image(container.get("image", ""), (*path, "image"))
    policy = container.get("terminationMessagePolicy", "")
    if policy not in _MESSAGE_POLICIES:
        yield MESSAGE_POLICY.at((*path, "terminationMessagePolicy"), f'unknown terminationMessagePolicy "{policy}"')
    yield from port_findings(container, path)
    if "env" in container or "envFrom" in container:
        from sidecarctl.validation.admission.containers.environment import env_findings

        yield from env_findings(container, path, release)
    yield from mount_findings(container, volumes, path, release)
    policy = container.get("imagePullPolicy", "")
    if policy not in _PULL_POLICIES:
        yield PULL_POLICY.at((*path, "imagePullPolicy"), f'unknown imagePullPolicy "{policy}"')
    yield from resource_findings(container, path)
    yield from resize_findings(container, path, is_init=is_init)
    if "securityContext" in container:
        from sidecarctl.validation.admission.containers.security import security_findings

        yield from security_findings(container, path, release)


def _image(image: str, path: Path) -> Iterator[Finding]:
    if not image:
        yield IMAGE.at(path, "the container has no image")
    elif image != image.strip():
        yield IMAGE.at(path, f'the image "{image}" has leading or trailing white space')


def _repeated(container: Object, seen: set[str], path: Path) -> Iterator[Finding]:
    name = container.get("name", "")
    if name and name in seen:
        yield NAME.at((*path, "name"), f'two containers are named "{name}"', "give one of them another name")
    seen.add(name)


def _restart(container: Object, path: Path, release: Release) -> Iterator[Finding]:
    policy = container.get("restartPolicy")
    if policy == "Always":
        yield from probe_findings(container, path, release)
        return
    if policy is not None:
        hint = "write Always for a native sidecar, or omit it"
        yield RESTART_POLICY.at(
            (*path, "restartPolicy"), f'an initContainer cannot have restartPolicy "{policy}"', hint
        )
    if release.init_probe_paths:
        yield from probe_findings(container, path, release)
    for field in ("lifecycle", *PROBES):
        if field in container:
            yield INIT_PROBE.at((*path, field), f"an initContainer that runs to completion has no {field}")
