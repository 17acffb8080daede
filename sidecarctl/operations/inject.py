"""Injection, applied to every object of the inputs."""

from collections.abc import Iterable, Iterator

from sidecarctl.api.workloads import pod_count, workload_of
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.paths import Path, value_at
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.injection.build.pod_plan import SORTS_CONTAINERS
from sidecarctl.injection.injecting import InjectedContainer, Injection, inject
from sidecarctl.injection.options import InjectionOptions
from sidecarctl.injection.select.decisions import Selection
from sidecarctl.injection.select.injection_context import InjectionContext
from sidecarctl.injection.select.pod_identity import Identity
from sidecarctl.injection.select.selection import select
from sidecarctl.inputs.manifest_objects import ManifestObject
from sidecarctl.inputs.world import World, chosen_sidecarsets
from sidecarctl.operations.checking.injected_pod_checks import injected_pod_warnings
from sidecarctl.operations.transforming.object_changes import Change, Outcome
from sidecarctl.operations.transforming.pod_templates import Templates, decoded

_MOST_DRAWS = 100_000
_SHOWN = 3  # reasons of sets that did not apply; whoever asks for decisions gets all of them


def injection_context(world: World, options: InjectionOptions, option: str = "--only") -> InjectionContext:
    """The world with these options; UsageError for a SidecarSet that does not exist.

    `option` is the option that named the SidecarSets.
    """
    chosen = chosen_sidecarsets(world, options.only, option)
    return InjectionContext(
        chosen,
        namespaces=world.namespaces,
        revisions=world.revisions,
        options=options,
        release=world.release,
        names_release=world.names_release,
    )


class Inject:
    """The transformation: each pod as Kruise would create it.

    - `explains`: describe every decision, for a verbose report.
    - `strict`: a pod that the API server would reject is an error.
    """

    def __init__(
        self, templates: Templates, context: InjectionContext, *, explains: bool = False, strict: bool = False
    ) -> None:
        self.templates = templates
        self.context = context
        self.explains = explains
        self.severity = Severity.ERROR if strict else Severity.WARNING

    def __call__(self, found: ManifestObject) -> Change:
        """The result of injecting an object; SidecarctlError if Kruise would reject a pod of it."""
        return self.templates.transformed(found, self._pod)

    def _pod(self, pod: Object, found: ManifestObject, path: Path) -> Change:
        identity = self.templates.identity(found, path)
        selection = select(pod, self.context, identity)
        decisions = tuple(self._explained(selection, pod, identity)) if self.explains else ()
        if not selection.matched:
            return _skipped(selection)._replace(findings=selection.findings, decisions=decisions)
        decoded(pod)
        injection = inject(pod, selection, self.context)
        changed = injection.pod is not pod
        return Change(
            Outcome.CHANGED if changed else Outcome.UNCHANGED,
            injection.pod if changed else None,
            _summary(selection, injection.containers),
            findings=(
                *injection.findings,
                *self._refusals(pod, injection, selection, found),
                *self._draws(found, path, selection),
            ),
            decisions=(*decisions, *(self._order(injection.containers) if self.explains else ())),
        )

    def _order(self, containers: Iterable[InjectedContainer]) -> Iterator[str]:
        """A note that Kruise may order the containers of several SidecarSets differently."""
        placed = (
            container.set_name
            for container in containers
            if container.field == "containers" and not container.replaces
        )
        names = list(dict.fromkeys(placed))
        if len(names) > 1 and SORTS_CONTAINERS not in self.context.options.feature_gates:
            yield (
                f"{', '.join(names)}: Kruise may order the containers of these SidecarSets differently: between "
                f"SidecarSets the order is not defined without the feature gate {SORTS_CONTAINERS}"
            )

    def _explained(self, selection: Selection, pod: Object, identity: Identity) -> Iterator[str]:
        """Each decision, with its evidence and the field of the SidecarSet; none if the pod is skipped anyway."""
        from sidecarctl.injection.select.failing_requirements import with_evidence

        sources = {} if selection.skipped else self.templates.world.sources
        for given in selection.decisions:
            source = sources.get(given.set_name)
            decision = with_evidence(given, pod, self.context, identity) if source else given
            place = f" ({source.place(decision.path)})" if source else ""
            yield f"{decision.set_name}: {decision.reason}: {decision.message}{place}"

    def _refusals(
        self, pod: Object, injection: Injection, selection: Selection, found: ManifestObject
    ) -> Iterator[Finding]:
        """Why the API server would reject the injected pod."""
        for finding in injected_pod_warnings(pod, injection, selection):
            yield finding._replace(message=f"{finding.message} (in {found.reference})", severity=self.severity)

    def _draws(self, found: ManifestObject, path: Path, selection: Selection) -> Iterator[Finding]:
        """How many replicas of a workload get the older revision by the random draw of policy Partial."""
        drawn = [choice.sidecarset.name for choice in selection.applied if choice.probability is not None]
        workload = workload_of(found.inherited | found.manifest, self.templates.workloads)
        if not path or not drawn or workload is None:
            return
        replicas = pod_count(found.manifest, workload).number
        labels = value_at(found.manifest, (*path, "metadata", "labels")) or {}
        namespace = self.templates.identity(found, path).namespace
        for name in drawn:
            chooser = self.context.rules[name].chooser
            pods = (f"{found.reference.name}-{ordinal}" for ordinal in range(min(replicas, _MOST_DRAWS)))
            older = sum(not chooser.choose(namespace, pod, labels).is_latest for pod in pods)
            of = f"the first {_MOST_DRAWS:,} of {replicas:,}" if replicas > _MOST_DRAWS else replicas
            message = f"{older} of {of} replicas get the older revision of {name}"
            yield Finding(Severity.NOTE, Reason.PARTIAL_DRAW, message)


def _skipped(selection: Selection) -> Change:
    """Why no SidecarSet applies: the reason of the pod, the common reason of all SidecarSets, or the first few."""
    if selection.skipped:
        return Change(Outcome.SKIPPED, None, selection.skipped.message, selection.skipped.reason)
    reasons = {decision.reason for decision in selection.decisions}
    reason = reasons.pop() if len(reasons) == 1 else Reason.NO_SET_APPLIES
    given = [f"{decision.set_name}: {decision.message}" for decision in selection.decisions[:_SHOWN]]
    more = len(selection.decisions) - _SHOWN
    return Change(Outcome.SKIPPED, None, "; ".join([*given, f"{more} more"] if more > 0 else given), reason)


def _summary(selection: Selection, containers: Iterable[InjectedContainer]) -> str:
    """`logs (log-agent), mesh (proxy-1, proxy-2)`."""
    names: dict[str, list[str]] = {choice.sidecarset.name: [] for choice in selection.applied}
    for container in containers:
        names[container.set_name].append(container.name)
    return ", ".join(f"{name} ({', '.join(own)})" if own else name for name, own in names.items())
