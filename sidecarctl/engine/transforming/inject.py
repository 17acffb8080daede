"""Injection, applied to every object of the inputs."""

from collections.abc import Iterable, Iterator

from sidecarctl.engine.api.made_pods import as_created, as_template, pod_count
from sidecarctl.engine.api.workloads import pod_templates, restriction_on
from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.findings import Finding, Severity, note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, value_at
from sidecarctl.engine.injection.decisions import Selection
from sidecarctl.engine.injection.injecting import InjectedContainer, PodInjection
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.pod_templates import Templates, decoded
from sidecarctl.engine.injection.pod_webhook import Admitted, WebhookStep, admitted, may_act, template_of
from sidecarctl.engine.injection.selection import Identity, select
from sidecarctl.engine.injection.webhook_steps import POD_READY
from sidecarctl.engine.inputs.objects import ManifestObject
from sidecarctl.engine.inputs.unknown_templates import unknown_templates
from sidecarctl.engine.releases.feature_gates import SORTS_CONTAINERS, is_on
from sidecarctl.engine.report import InjectedSet, ObjectChange, Outcome, PodDecision
from sidecarctl.engine.validation.warnings import injected_pod_warnings

_ALONE = ((), (WebhookStep.SIDECARSET,))
_MOST_DRAWS = 100_000
_SHOWN = 3  # reasons of sets that did not apply; whoever asks for decisions gets all of them


class Inject:
    """The transformation: each pod as Kruise would create it.

    - `explains`: describe every decision, for a verbose report.
    - `strict`: a pod that the API server would reject is an error.
    - `notices`: tell of pods of unknown kinds, and of controllers that may refuse what is written.
    - `refuses_twins`: two containers of one name are an ImpossibleError. Kruise itself lets them pass.
    """

    def __init__(
        self,
        templates: Templates,
        context: InjectionContext,
        *,
        explains: bool = False,
        strict: bool = False,
        refuses_twins: bool = False,
        notices: bool = False,
    ) -> None:
        self.templates = templates
        self.context = context
        self.explains = explains
        self.refuses_twins = refuses_twins
        self.notices = notices
        self.severity = Severity.ERROR if strict else Severity.WARNING
        self._skips: dict[int, tuple[Selection, ObjectChange]] = {}

    def __call__(self, found: ManifestObject) -> ObjectChange:
        """The result of injecting an object; SidecarctlError if Kruise would reject a pod of it."""
        change = self.templates.transformed(found, self._of_template)
        further = tuple(self._about_kind(found, change.outcome)) if self.notices else ()
        return change._replace(findings=(*change.findings, *further)) if further else change

    def _about_kind(self, found: ManifestObject, outcome: Outcome) -> Iterable[Finding]:
        """Pods of the object that are not injected, and what its controller may refuse."""
        reference = found.reference
        if reference.kind == "Pod":
            return ()
        said = restriction_on(reference.api_version, reference.kind) if outcome is Outcome.CHANGED else ""
        about = [note(Reason.CONTROLLER_MAY_REFUSE, said)] if said else []
        about += [*self.subsets(found), *self._elsewhere(found)]
        return [*about, *unknown_templates(found.inherited | found.manifest, reference, self.templates.workloads)]

    def subsets(self, found: ManifestObject) -> Iterator[Finding]:
        """The subsets whose pods get other SidecarSets in the cluster than the template that they have in common."""
        if found.reference.kind != "UnitedDeployment":
            return
        from sidecarctl.engine.injection.pod_sorts import subset_differences  # for few kinds

        for template in pod_templates(found.inherited | found.manifest, self.templates.workloads):
            identity = self.templates.identity(found, template.path)
            yield from subset_differences(found, template, self.context, identity)

    def _elsewhere(self, found: ManifestObject) -> Iterator[Finding]:
        """A note on the object with the template of a Rollout, which is injected instead."""
        if found.reference.kind != "Rollout":
            return
        from sidecarctl.engine.inputs.references import elsewhere  # for few kinds

        if at := elsewhere(found.inherited | found.manifest, found.reference, self.templates.namespace):
            yield note(Reason.TEMPLATE_ELSEWHERE, at.named)

    def _of_template(self, pod: Object, found: ManifestObject, path: Path) -> ObjectChange:
        """The change of a template: that of the pod that is created of it, without what its controller adds."""
        change, created = self.of_created(pod, found, path)
        if created is pod:
            return change
        findings = tuple(item for given in change.findings if (item := _in_template(given, created, pod)))
        after = None if change.after is None else as_template(change.after, created, pod)
        return change._replace(after=after, findings=findings)

    def of_created(self, pod: Object, found: ManifestObject, path: Path) -> tuple[ObjectChange, Object]:
        """The change of the pod that is created of a template, and that pod before it."""
        name = self.templates.identity(found, path).name
        created = as_created(found.inherited | found.manifest, path, pod, name)
        return self.of_pod(created, found, path), created

    def of_pod(self, pod: Object, found: ManifestObject, path: Path) -> ObjectChange:
        """The change of one pod or pod template of an object; SidecarctlError if Kruise would reject it."""
        identity = self.templates.identity(found, path)
        selection = select(pod, self.context, identity)
        decisions = tuple(self._explained(selection, pod, identity, path)) if self.explains else ()
        template = template_of(found.reference, path)
        if not selection.matched and not may_act(pod, selection, self.context, template):
            return self._skip(selection, decisions)
        decoded(pod)
        result = admitted(pod, selection, self.context, template)
        injection = result.injection
        refusals = list(self._refusals(pod, injection, selection, found))
        twins = [item for item in refusals if item.path[-1:] == ("name",)] if self.refuses_twins else []
        if twins:
            raise ImpossibleError(*(item._replace(severity=Severity.ERROR) for item in twins))
        changed = result.pod is not pod
        injected = _injected(selection, result)
        if not (changed or selection.matched):
            return _skipped(selection, (*selection.findings, *result.findings), decisions)
        return ObjectChange(
            Outcome.CHANGED if changed else Outcome.UNCHANGED,
            result.pod if changed else None,
            _summary(injected, result),
            injected=injected,
            findings=(
                *injection.findings,
                *result.findings,
                *refusals,
                *self._draws(found, path, selection),
                *(_only_sidecars(pod) if changed else ()),
                *(self._order(injection.containers) if self.explains else ()),
            ),
            decisions=decisions,
        )

    def _skip(self, selection: Selection, decisions: tuple[PodDecision, ...]) -> ObjectChange:
        """Why no SidecarSet applies, and no other step of the webhook acts; most pods share a few selections."""
        known, change = self._skips.get(id(selection), (None, None))
        if change is None or known is not selection or decisions:
            change = _skipped(selection, selection.findings, decisions)
            if not selection.skipped:  # what skips a pod is made for that pod
                self._skips[id(selection)] = selection, change
        return change

    def _order(self, containers: Iterable[InjectedContainer]) -> Iterator[Finding]:
        """A note that Kruise may order the containers of several SidecarSets differently."""
        placed = (
            container.set_name
            for container in containers
            if container.field == "containers" and not container.replaces
        )
        names = list(dict.fromkeys(placed))
        if len(names) > 1 and not is_on(SORTS_CONTAINERS, self.context.options.feature_gates):
            message = (
                f"{', '.join(names)}: Kruise may order the containers of these SidecarSets differently: between "
                f"SidecarSets the order is not defined without the feature gate {SORTS_CONTAINERS}"
            )
            yield note(Reason.DOUBTFUL, message)

    def _explained(self, selection: Selection, pod: Object, identity: Identity, path: Path) -> Iterator[PodDecision]:
        """Each decision, with its evidence and the field of the SidecarSet; none if the pod is skipped anyway."""
        from sidecarctl.engine.injection.tests_in_order import with_evidence

        sources = {} if selection.skipped else self.templates.world.sources
        for given in selection.decisions:
            source = sources.get(given.set_name)
            decision = with_evidence(given, pod, self.context, identity) if source else given
            place = source.place(decision.path) if source else None
            yield PodDecision(decision.set_name, decision.reason, decision.message, place, path)

    def _refusals(
        self, pod: Object, injection: PodInjection, selection: Selection, found: ManifestObject
    ) -> Iterator[Finding]:
        """Why the API server would reject the injected pod."""
        for finding in injected_pod_warnings(pod, injection, selection):
            yield finding._replace(message=f"{finding.message} (in {found.reference})", severity=self.severity)

    def _draws(self, found: ManifestObject, path: Path, selection: Selection) -> Iterator[Finding]:
        """How many replicas of a workload get the older revision by the random draw of policy Partial."""
        drawn = [choice.sidecarset.name for choice in selection.applied if choice.probability is not None]
        if not path or not drawn:
            return
        templates = pod_templates(found.inherited | found.manifest, self.templates.workloads)
        replicas = pod_count([template for template in templates if template.path == path]).number
        labels = value_at(found.manifest, (*path, "metadata", "labels")) or {}
        namespace = self.templates.identity(found, path).namespace
        for name in drawn:
            chooser = self.context.rules[name].chooser
            pods = (f"{found.reference.name}-{ordinal}" for ordinal in range(min(replicas, _MOST_DRAWS)))
            older = sum(not chooser.choose(namespace, pod, labels).is_latest for pod in pods)
            of = f"the first {_MOST_DRAWS:,} of {replicas:,}" if replicas > _MOST_DRAWS else replicas
            message = f"{older} of {of} replicas get the older revision of {name}"
            yield Finding(Severity.NOTE, Reason.PARTIAL_DRAW, message)


def _in_template(finding: Finding, created: Object, template: Object) -> Finding | None:
    """A finding about a volume of the created pod, at that of the template; None if only a claim adds the volume."""
    if finding.path[:2] != ("spec", "volumes") or len(finding.path) == 2:
        return finding
    name = value_at(created, (*finding.path[:3], "name"))
    for index, volume in enumerate(value_at(template, ("spec", "volumes")) or ()):
        if value_at(volume, ("name",)) == name:
            return finding._replace(path=("spec", "volumes", index, *finding.path[3:]))
    return None


def _only_sidecars(pod: Object) -> Iterator[Finding]:
    """A note on a pod without app containers, such as a patch for kustomize."""
    if not value_at(pod, ("spec", "containers")):
        yield note(Reason.MISSING_FIELD, "the pod has no other container", ("spec", "containers"))


def _skipped(selection: Selection, findings: tuple[Finding, ...], decisions: tuple[PodDecision, ...]) -> ObjectChange:
    """Why no SidecarSet applies: the reason of the pod, the common reason of all SidecarSets, or the first few."""
    if selection.skipped:
        said, why = selection.skipped.message, selection.skipped.reason
        return ObjectChange(Outcome.SKIPPED, None, said, why, findings, decisions)
    reasons = {decision.reason for decision in selection.decisions}
    reason = reasons.pop() if len(reasons) == 1 else Reason.NO_SET_APPLIES
    given = [f"{decision.set_name}: {decision.message}" for decision in selection.decisions[:_SHOWN]]
    more = len(selection.decisions) - _SHOWN
    said = "; ".join([*given, f"{more} more"] if more > 0 else given)
    return ObjectChange(Outcome.SKIPPED, None, said, reason, findings, decisions)


def _of_steps(result: Admitted) -> Iterator[str]:
    """What the other steps of the webhook did to a pod."""
    if WebhookStep.READINESS_GATE in result.steps:
        yield f"readiness gate {POD_READY}"
    if WebhookStep.LAUNCH_PRIORITY in result.steps:
        yield f"barriers: {result.order}"
    if WebhookStep.LIVENESS_PROBE in result.steps:
        yield "liveness probes moved to an annotation"


def _injected(selection: Selection, result: Admitted) -> tuple[InjectedSet, ...]:
    names: dict[str, list[str]] = {choice.sidecarset.name: [] for choice in selection.applied}
    for container in result.injection.containers:
        names[container.set_name].append(container.name)
    return tuple(InjectedSet(name, tuple(own)) for name, own in names.items())


def _summary(injected: Iterable[InjectedSet], result: Admitted) -> str:
    """`logs (log-agent), mesh (proxy-1, proxy-2); readiness gate KruisePodReady`."""
    said = ", ".join([f"{name} ({', '.join(own)})" if own else name for name, own in injected])
    if result.steps in _ALONE:
        return said
    return "; ".join(filter(None, [said, *_of_steps(result)]))
