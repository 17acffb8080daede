"""The given pods as they will run: each after Kruise's whole webhook, or why Kruise rejects it.

Source: docs/behavior/pod-webhook.md, injection.md, resources-policy.md and validation.md, "Containers".
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Generic, NamedTuple, TypeVar

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.injecting import PodInjection
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.pod_webhook import Admitted, admitted, may_act
from sidecarctl.engine.injection.selection import Identity, select
from sidecarctl.engine.sidecarset.world import GivenPod, World
from sidecarctl.engine.validation.rules import SET_AND_POD, Rule, warned

_NO_INJECTION = PodInjection({}, changed=False)


class Run(NamedTuple):
    """A given pod as it will run; `admitted` is None, and `refusals` say why, if Kruise rejects it."""

    given: GivenPod
    admitted: Admitted | None
    refusals: tuple[Finding, ...] = ()

    @property
    def injection(self) -> PodInjection:
        """What was injected; nothing for a refused pod."""
        return self.admitted.injection if self.admitted else _NO_INJECTION

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Why it is rejected, or else the findings of the webhook's other steps."""
        return self.admitted.findings if self.admitted else self.refusals


def runs_of(world: World, context: InjectionContext) -> Iterator[Run]:
    """The pods that the webhook may change, in the order given."""
    for pod in world.pods:
        try:
            selection = select(pod.manifest, context, _identity(pod))
            if selection.matched or may_act(pod.manifest, selection, context, pod.template):
                yield Run(pod, admitted(pod.manifest, selection, context, pod.template))
        except ImpossibleError as refused:
            yield Run(pod, None, tuple(refused.findings))


def context_of(world: World) -> InjectionContext:
    """The SidecarSets and everything else that decides."""
    options = InjectionOptions(feature_gates=world.gates)
    return InjectionContext(
        world.sidecarsets,
        namespaces=world.namespaces,
        revisions=world.revisions,
        options=options,
        webhook=world.webhook,
    )


def _identity(pod: GivenPod) -> Identity:
    metadata: Object = pod.manifest.get("metadata") or {}
    name = metadata.get("name") or metadata.get("generateName") or ""
    return Identity(metadata.get("namespace") or "", f"{name}-0" if pod.path else name)


Shared = TypeVar("Shared")


class Collapsed(Generic[Shared]):
    """Findings that pods share, once each, with the first pod and the number of others.

    What is found in a pod comes with a key, which is the same for what is the same; a pod counts once.
    """

    def __init__(self) -> None:
        self._first: dict[Hashable, tuple[Shared, GivenPod]] = {}
        self._last: dict[Hashable, GivenPod] = {}
        self._pods: Counter[Hashable] = Counter()

    def add(self, pod: GivenPod, found: Iterable[tuple[Hashable, Shared]]) -> None:
        """Add what was found in the next pod."""
        for key, value in found:
            self._first.setdefault(key, (value, pod))
            if self._last.get(key) is not pod:
                self._last[key] = pod
                self._pods[key] += 1

    def __iter__(self) -> Iterator[tuple[Shared, GivenPod, int]]:
        for key, (value, pod) in self._first.items():
            yield value, pod, self._pods[key] - 1


def in_pods(pod: GivenPod, more: int) -> str:
    """`(in Deployment shop/web and 2 more)`."""
    return f"(in {pod.reference} and {more:,} more)" if more else f"(in {pod.reference})"


_COPIED = SET_AND_POD.replace(
    "main:1'", "main:1', env: [{{name: BASE, value: /var}}, {{name: LOGS, value: $(BASE)/logs}}]"
)
_POLICY = "resourcesPolicy: {{targetContainersMode: sum, targetContainersNameRegex: '{}', resourcesExpr: {}}}"

POLICY = Rule(
    "resources-policy-pod",
    "resourcesPolicy that fails for a pod",
    "A resourcesPolicy can be evaluated for every pod that the SidecarSet selects.",
    why="Kruise rejects other pods, for example if no container name matches the regex.",
    mend="fix the expression or the regex, or narrow the selector",
    within="stream",
    fails=SET_AND_POD.format(container=_POLICY.format("^app-", "{limits: {cpu: cpu*50%}}")),
    passes=SET_AND_POD.format(container=_POLICY.format("^main", "{limits: {cpu: cpu*50%}}")),
)
TRANSFER = warned(
    "transfer-env-source",
    "No source of a transferEnv",
    "Every pod has the container and the variable that a transferEnv names.",
    why="Kruise silently skips variables that it does not find.",
    mend="name a container and a variable that the pods have",
    within="stream",
    fails=SET_AND_POD.format(container="transferEnv: [{sourceContainerName: main, envName: HOME}]"),
    passes=SET_AND_POD.replace("main:1'", "main:1', env: [{{name: HOME, value: /}}]").format(
        container="transferEnv: [{sourceContainerName: main, envName: HOME}]"
    ),
)
COPIED = warned(
    "copied-reference",
    "Copied value whose references mean something else",
    "What a copied variable or a shared subPathExpr refers to is the same in the sidecar as in its source.",
    why="Kubernetes expands $(VAR) in the container that has it. If the sidecar has no VAR before it, the text stays "
    "as it is; with a VAR of its own it gets another value, or mounts another directory. Kruise sorts the envNames "
    "of an item. A resourceFieldRef without containerName is about the container that has it.",
    mend="let the sidecar have what the value refers to, as the app's container has it",
    source="https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/",
    within="stream",
    fails=_COPIED.format(container="transferEnv: [{sourceContainerName: main, envName: LOGS}]"),
    passes=_COPIED.format(
        container="transferEnv: [{sourceContainerName: main, envName: BASE}, "
        "{sourceContainerName: main, envName: LOGS}]"
    ),
)
_OF_POLICIES = (Reason.NO_TARGET_CONTAINER, Reason.BAD_EXPRESSION, Reason.BAD_REGEX, Reason.UNKNOWN_MODE)
_RULES: Mapping[str, Rule] = {
    **dict.fromkeys(_OF_POLICIES, POLICY),
    Reason.TRANSFER_ENV_NOT_FOUND: TRANSFER,
    Reason.COPIED_REFERENCE: COPIED,
}


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
    for finding in (*run.refusals, *run.injection.findings):
        rule = _RULES.get(finding.reason)
        if rule and finding.subject:
            found = rule.at(finding.path, finding.message, finding.hint)
            is_note = finding.severity is Severity.NOTE
            yield finding.subject.name, found._replace(severity=Severity.NOTE) if is_note else found
