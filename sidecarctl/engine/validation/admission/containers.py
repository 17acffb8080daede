"""Containers and initContainers: what Kubernetes checks in any, and the fields that only sidecars have.

Source: docs/behavior/validation.md, "Containers" (in a pod that has only this SidecarSet) and "Sidecar fields"
(Kruise checks none of those on initContainers).
"""

from collections.abc import Iterator, Sequence

from sidecarctl.engine.api.text_forms import DNS_LABEL_FORM, is_dns_label
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.validation.admission.mounts import Volumes, mount_findings
from sidecarctl.engine.validation.admission.ports_and_probes import (
    PROBES,
    host_port_findings,
    port_findings,
    probe_findings,
)
from sidecarctl.engine.validation.admission.resources import resize_findings, resource_findings
from sidecarctl.engine.validation.rules import kruise, kubernetes

INJECT_POLICY = kruise(
    "pod-inject-policy",
    "Unknown podInjectPolicy",
    "podInjectPolicy is BeforeAppContainer or AfterAppContainer.",
    why="It decides whether the sidecar is injected before or after the app containers of the pod.",
    mend="write BeforeAppContainer or AfterAppContainer, or omit it",
    fails="podInjectPolicy: BeforeApp",
    passes="podInjectPolicy: BeforeAppContainer",
)
SHARE_POLICY = kruise(
    "share-volume-policy",
    "Unknown shareVolumePolicy",
    "shareVolumePolicy.type is enabled or disabled.",
    why="It decides whether the sidecar mounts the volumes of the app containers. Manuals show both words as "
    "a choice.",
    mend="write shareVolumePolicy: {type: enabled}",
    fails="shareVolumePolicy: {type: enabled | disabled}",
    passes="shareVolumePolicy: {type: enabled}",
)
TRANSFER_FIELD = kruise(
    "transfer-env-field-ref",
    "Invalid fieldRef of transferEnv",
    "A fieldRef of transferEnv names a label or an annotation of the pod.",
    why="The value of that label or annotation is the name of the container to copy from.",
    mend="write fieldPath: metadata.labels['main-container'], or sourceContainerName instead",
    fails="transferEnv: [{sourceContainerNameFrom: {fieldRef: {fieldPath: metadata.name}}, envName: HOME}]",
    passes="transferEnv: [{envName: HOME, sourceContainerNameFrom: "
    "{fieldRef: {fieldPath: \"metadata.labels['main']\"}}}]",
)


def sidecar_findings(container: Object, path: Path) -> Iterator[Finding]:
    """Errors in the sidecar fields of a container (not of an initContainer)."""
    policy = container.get("podInjectPolicy", "")
    if policy not in {"BeforeAppContainer", "AfterAppContainer"}:
        yield INJECT_POLICY.at((*path, "podInjectPolicy"), f'unknown podInjectPolicy "{policy}"')
    kind = container.get("shareVolumePolicy", {}).get("type", "")
    if kind not in {"enabled", "disabled"}:
        yield SHARE_POLICY.at((*path, "shareVolumePolicy", "type"), f'unknown type "{kind}"')
    for index, transfer in enumerate(container.get("transferEnv", ())):
        source = transfer.get("sourceContainerNameFrom", {})
        if "fieldRef" in source:
            from sidecarctl.engine.validation.admission.environment import reference_findings

            where = (*path, "transferEnv", index, "sourceContainerNameFrom", "fieldRef")
            yield from reference_findings(
                source["fieldRef"], where, TRANSFER_FIELD, "is neither a label nor an annotation"
            )


_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")
_STAND_IN = "test"
"""The name of the container that Kruise puts into the pod of a SidecarSet without containers."""

NAME = kubernetes(
    "container-name",
    "Invalid or repeated container name",
    "The name of a container is a-z, 0-9 and -, at most 63 characters, and unique.",
    why="Everything about a container is stored under its name.",
    mend=f"a name is {DNS_LABEL_FORM}",
    fails="name: Log_Agent",
    passes="name: log-agent",
)
STAND_IN = kruise(
    "init-container-named-test",
    "InitContainer named test, and no containers",
    "In a SidecarSet without containers, no initContainer is named test.",
    why="Kruise checks initContainers in a pod with a stand-in container of that name.",
    mend="give the initContainer another name",
    within="spec",
    fails="{containers: [], initContainers: [{name: test, image: 'setup:1'}]}",
    passes="{containers: [], initContainers: [{name: setup, image: 'setup:1'}]}",
)
IMAGE = kubernetes(
    "container-image",
    "No image, or white space around it",
    "A container has an image, without leading or trailing white space.",
    why="Nothing could be started without it.",
    mend="write image: registry.example.com/log-agent:1.2",
    fails="image: ''",
    passes="image: log-agent:1.2",
)
PULL_POLICY = kubernetes(
    "image-pull-policy",
    "Unknown imagePullPolicy",
    "imagePullPolicy is Always, IfNotPresent or Never.",
    why="There are no other values, and case matters.",
    mend="write Always, IfNotPresent or Never, or omit it",
    fails="imagePullPolicy: always",
    passes="imagePullPolicy: Always",
)
MESSAGE_POLICY = kubernetes(
    "termination-message-policy",
    "Unknown terminationMessagePolicy",
    "terminationMessagePolicy is File or FallbackToLogsOnError.",
    why="There are no other values.",
    mend="write File or FallbackToLogsOnError, or omit it",
    fails="terminationMessagePolicy: Logs",
    passes="terminationMessagePolicy: FallbackToLogsOnError",
)
RESTART_POLICY = kubernetes(
    "container-restart-policy",
    "Invalid restartPolicy of a container",
    "Only initContainers have a restartPolicy, and it is Always: it makes them native sidecars.",
    why="Other containers follow the restartPolicy of their pod.",
    mend="delete it, or move the container to initContainers",
    fails="restartPolicy: Always",
    passes="name: log-agent",
)
INIT_PROBE = kubernetes(
    "init-container-probe",
    "Probe or lifecycle of a plain initContainer",
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
        from sidecarctl.engine.validation.admission.environment import env_findings

        yield from env_findings(container, path, release)
    yield from mount_findings(container, volumes, path, release)
    policy = container.get("imagePullPolicy", "")
    if policy not in _PULL_POLICIES:
        yield PULL_POLICY.at((*path, "imagePullPolicy"), f'unknown imagePullPolicy "{policy}"')
    yield from resource_findings(container, path)
    yield from resize_findings(container, path, is_init=is_init)
    if "securityContext" in container:
        from sidecarctl.engine.validation.admission.security import security_findings

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
