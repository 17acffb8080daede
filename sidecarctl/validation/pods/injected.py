"""Injected pods: what Kruise cannot compute for them, or skips.

Source: docs/behaviour/injection.md, resources-policy.md and validation.md, "Containers".
"""

from collections.abc import Iterator, Sequence

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.reasons import Reason
from sidecarctl.validation.pods.running import Collapsed, Run, in_pods
from sidecarctl.validation.rules import Rule, warned

_STREAM = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  containers: [{{name: agent, image: 'agent:1.2', {container}}}]
---
apiVersion: v1
kind: Pod
metadata: {{name: one, namespace: shop, labels: {{app: web}}}}
spec: {{containers: [{{name: main, image: 'main:1', ports: [{{containerPort: 80, hostPort: 80}}]}}]}}
"""
_POLICY = "resourcesPolicy: {{targetContainersMode: sum, targetContainersNameRegex: '{}', resourcesExpr: {}}}"

POLICY = Rule(
    "resources-policy-pod",
    "resourcesPolicy that fails for a pod",
    "A resourcesPolicy can be evaluated for every pod that the SidecarSet selects.",
    why="Kruise rejects other pods, for example if no container name matches the regex.",
    mend="fix the expression or the regex, or narrow the selector",
    within="stream",
    fails=_STREAM.format(container=_POLICY.format("^app-", "{limits: {cpu: cpu*50%}}")),
    passes=_STREAM.format(container=_POLICY.format("^main", "{limits: {cpu: cpu*50%}}")),
)
TRANSFER = warned(
    "transfer-env-source",
    "No source of a transferEnv",
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


class InjectedPods:
    """Findings about injected pods, which come one after the other: an injected pod is not kept."""

    def __init__(self) -> None:
        self._found: Collapsed[tuple[str, Finding]] = Collapsed()

    def add(self, run: Run) -> None:
        """Look at the next pod."""
        found = _of_run(run)
        keyed = (((name, item.rule, item.path, item.message), (name, item)) for name, item in found)
        self._found.add(run.given, keyed)

    def findings(self) -> Iterator[tuple[str, Finding]]:
        """The findings, with the name of the SidecarSet: each once, with the first pod."""
        for (name, finding), pod, more in self._found:
            yield name, finding._replace(message=f"{finding.message} {in_pods(pod, more)}")


def _of_run(run: Run) -> Iterator[tuple[str, Finding]]:
    yield from _rejections(run.refusals)
    for finding in run.injection.findings:
        if finding.reason is Reason.TRANSFER_ENV_NOT_FOUND and finding.subject:
            yield finding.subject.name, TRANSFER.at(finding.path, finding.message)


def _rejections(findings: Sequence[Finding]) -> Iterator[tuple[str, Finding]]:
    for finding in findings:
        if finding.reason in _OF_POLICIES and finding.subject:
            yield finding.subject.name, POLICY.at(finding.path, finding.message)
