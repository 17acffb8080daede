"""Injected pods: what the API server, or the Pod Security level of their namespace, would reject.

Source: docs/behaviour/injection.md and resources-policy.md.
"""

from collections.abc import Iterator, Mapping, Sequence

from sidecarctl.api.decoding import check
from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import reference_of
from sidecarctl.facts.values import Object
from sidecarctl.injection.injecting import Injection, inject
from sidecarctl.injection.options import InjectionOptions
from sidecarctl.injection.select.injection_context import InjectionContext
from sidecarctl.injection.select.selection import select
from sidecarctl.validation.given import Given
from sidecarctl.validation.practice.injected_pods import refusals_of
from sidecarctl.validation.practice.matched import namespace_of
from sidecarctl.validation.practice.pod_security import (
    Level,
    PodContext,
    container_violations,
    enforced_level,
    volume_violations,
)
from sidecarctl.validation.rules import warned

_STREAM = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  containers: [{{name: agent, image: 'agent:1.2', {container}}}]
---
apiVersion: v1
kind: Namespace
metadata: {{name: shop, labels: {{pod-security.kubernetes.io/enforce: baseline}}}}
---
apiVersion: v1
kind: Pod
metadata: {{name: one, namespace: shop, labels: {{app: web}}}}
spec: {{containers: [{{name: main, image: 'main:1', ports: [{{containerPort: 80, hostPort: 80}}]}}]}}
"""
_POLICY = "resourcesPolicy: {{targetContainersMode: sum, targetContainersNameRegex: '{}', resourcesExpr: {}}}"

SECURITY = warned(
    "pod-security",
    "A sidecar adds nothing to a pod that the Pod Security level of its namespace forbids.",
    why="The API server checks the pod as injected against the label pod-security.kubernetes.io/enforce of the "
    "namespace, and rejects the whole pod.",
    mend="give the sidecar the securityContext that the level requires, or exclude the namespace",
    within="stream",
    fails=_STREAM.format(container="securityContext: {privileged: true}"),
    passes=_STREAM.format(container="securityContext: {allowPrivilegeEscalation: false}"),
)
REFUSED = warned(
    "injected-pod-refused",
    "The API server accepts a pod with its sidecars.",
    why="Two containers with the same name, a hostPort used twice, or a computed request above its limit cannot be "
    "seen in the SidecarSet alone; the API server rejects the whole pod.",
    mend="give the sidecar another name or port, or fix the expressions of resourcesPolicy",
    within="stream",
    fails=_STREAM.format(container="ports: [{containerPort: 80, hostPort: 80}]"),
    passes=_STREAM.format(container="ports: [{containerPort: 80, hostPort: 81}]"),
)
POLICY = warned(
    "resources-policy-pod",
    "A resourcesPolicy can be evaluated for every pod that the SidecarSet selects.",
    why="Kruise rejects other pods, for example if no container name matches the regex.",
    mend="fix the expression or the regex, or narrow the selector",
    within="stream",
    fails=_STREAM.format(container=_POLICY.format("^app-", "{limits: {cpu: cpu*50%}}")),
    passes=_STREAM.format(container=_POLICY.format("^main", "{limits: {cpu: cpu*50%}}")),
)
TRANSFER = warned(
    "transfer-env-source",
    "Every pod has the container and the variable that a transferEnv names.",
    why="Kruise silently skips variables that it does not find.",
    mend="name a container and a variable that the pods have",
    within="stream",
    fails=_STREAM.format(container="transferEnv: [{sourceContainerName: main, envName: HOME}]"),
    passes=_STREAM.replace("main:1'", "main:1', env: [{{name: HOME, value: /}}]").format(
        container="transferEnv: [{sourceContainerName: main, envName: HOME}]"
    ),
)
_OF_POLICIES = {Reason.NO_TARGET_CONTAINER, Reason.BAD_EXPRESSION, Reason.BAD_REGEX, Reason.UNKNOWN_MODE}


class Found(NamedTuple):
    """A finding about a SidecarSet, and the pod that showed it."""

    set_name: str
    finding: Finding


def injected_findings(given: Given) -> Iterator[tuple[str, Finding]]:
    """Findings about injected pods, with the name of the SidecarSet: each once, with the first pod."""
    options = InjectionOptions(feature_gates=given.gates)
    context = InjectionContext(
        given.sidecarsets, namespaces=given.namespaces, revisions=given.revisions, options=options
    )
    specs = {sidecarset.name: sidecarset.spec for sidecarset in given.sidecarsets}
    seen: dict[tuple[str, str, Path, str], int] = {}
    first: dict[tuple[str, str, Path, str], Finding] = {}
    for pod in {id(pod): pod for pod in given.pods}.values():  # those of one template are one object
        for name, finding in dict.fromkeys(_of_pod(pod, context, specs)):  # a hot container is two in a pod
            key = (name, finding.rule, finding.path, finding.message)
            seen[key] = seen.get(key, 0) + 1
            first.setdefault(key, finding._replace(message=f"{finding.message} (in {reference_of(pod)}"))
    for key, finding in first.items():
        more = f" and {seen[key] - 1} more)" if seen[key] > 1 else ")"
        yield key[0], finding._replace(message=finding.message + more)


def _of_pod(pod: Object, context: InjectionContext, specs: Mapping[str, Object]) -> Iterator[tuple[str, Finding]]:
    if check(pod, "core.Pod"):
        return
    try:
        injection = inject(pod, select(pod, context), context)
    except ImpossibleError as problem:
        yield from _rejections(problem.findings)
        return
    for finding in injection.findings:
        if finding.reason is Reason.TRANSFER_ENV_NOT_FOUND and finding.subject:
            yield finding.subject.name, TRANSFER.at(finding.path, finding.message)
    level = enforced_level(context.namespaces.get(namespace_of(pod), {}))
    yield from _insecure(pod, injection, level, specs)
    yield from refused_findings(pod, injection, specs)


def _rejections(findings: Sequence[Finding]) -> Iterator[tuple[str, Finding]]:
    for finding in findings:
        if finding.reason in _OF_POLICIES and finding.subject:
            yield finding.subject.name, POLICY.at(finding.path, finding.message)


def _insecure(
    pod: Object, injection: Injection, level: Level, specs: Mapping[str, Object]
) -> Iterator[tuple[str, Finding]]:
    if level == "privileged":
        return
    pod_context = PodContext.of(injection.pod["spec"])
    for item in injection.containers:
        container = _named(injection.pod["spec"].get(item.field) or (), item.name)
        path = _path_in_set(specs[item.set_name], item.field, item.name)
        for violation in container_violations(container, level, pod_context):
            yield item.set_name, SECURITY.at((*path, *violation.path), f"{level}: {violation.message}")
    brought = _volume_names(injection.pod) - _volume_names(pod)
    for set_name in sorted({item.set_name for item in injection.containers}):
        for index, volume in enumerate(specs[set_name].get("volumes", ())):
            for violation in volume_violations(volume, level) if volume.get("name") in brought else ():
                path = ("spec", "volumes", index, *violation.path)
                yield set_name, SECURITY.at(path, f"{level}: {violation.message}")


def _volume_names(pod: Object) -> set[str]:
    return {(volume or {}).get("name", "") for volume in (pod.get("spec") or {}).get("volumes") or ()}


def refused_findings(pod: Object, injection: Injection, specs: Mapping[str, Object]) -> Iterator[tuple[str, Finding]]:
    """What the API server rejects in the injected pod but not in the original, with the name of the SidecarSet."""
    brought = {(container.field, container.name): container.set_name for container in injection.containers}
    for field, name, path, message in refusals_of(injection.pod, pod):
        if set_name := brought.get((field, name)):
            where = (*_path_in_set(specs[set_name], field, name), *path)
            yield set_name, REFUSED.at(where, message)


def _named(containers: Sequence[Object], name: str) -> Object:
    return next(container for container in containers if (container or {}).get("name") == name)


def _path_in_set(spec: Object, field: str, name: str) -> Path:
    """The container of a SidecarSet that a container of a pod comes from, by name or HotUpgrade pair."""
    for known in (name, name[:-2]):
        for index, container in enumerate(spec.get(field, ())):
            if container.get("name") == known:
                return ("spec", field, index)
    return ("spec", field)
