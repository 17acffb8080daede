"""Why a pod has its sidecars: every test of every SidecarSet, what is injected, why it is not updated."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from sidecarctl.engine.api.workloads import labels_beside, pod_templates, restriction_on
from sidecarctl.engine.facts.errors import ImpossibleError, placed
from sidecarctl.engine.facts.findings import Finding, Place, error, note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, natural, path_text, value_at
from sidecarctl.engine.injection.decisions import Selection, SetDecision, other_labels, other_namespace, paused
from sidecarctl.engine.injection.explaining import InjectedContainers, injected_containers, without_former
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.pod.pod_plan import name_of
from sidecarctl.engine.injection.pod_webhook import admitted, template_of
from sidecarctl.engine.injection.selection import labels_of, may_match, select
from sidecarctl.engine.injection.tests_in_order import (
    Asked,
    Evidence,
    Holder,
    SelectionTest,
    tests_in_order,
    with_evidence,
)
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.sidecarset.revisions.revision_choice import RevisionChoice
from sidecarctl.engine.sidecarset.sets import DEFAULT_NAMESPACE, NAMESPACE_NAME_LABEL, is_injection_paused
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.features.explain.explained import (
    ExplainedField,
    ExplainedPod,
    GroupOutcome,
    PodExplanation,
    SetExplanation,
    Test,
)
from sidecarctl.features.explain.remedies import label_hints, remedy_of, replacement
from sidecarctl.features.explain.rollout_states import RolloutOfSet, RolloutState, RolloutSummary, whitelist_answer
from sidecarctl.features.explain.subjects import Fate, Subject, as_created_again, fate_of

if TYPE_CHECKING:  # only running pods take part in a rollout
    from sidecarctl.engine.rollout.recreation import Recreation
    from sidecarctl.engine.rollout.statuses import SetStatus
    from sidecarctl.features.explain.pod_history import PodHistory
    from sidecarctl.features.explain.rollout_states import WhitelistAnswer

_NAMESPACE = ("metadata", "namespace")

Statuses = Callable[[], "Sequence[SetStatus]"]
"""The status of every SidecarSet over all given pods; computed only for a running pod."""


class Explainer:
    """Explains pods of one world."""

    def __init__(self, world: World, context: InjectionContext, statuses: Statuses) -> None:
        self.world = world
        self.context = context
        self._statuses = statuses
        self._whitelist: dict[str, WhitelistAnswer | None] = {}

    @cached_property
    def _rollouts(self) -> dict[str, RolloutOfSet]:
        """The rollout of each SidecarSet, computed for the first running pod."""
        return {status.sidecarset.name: RolloutOfSet(status, self.world) for status in self._statuses()}

    def rollout_summary(self, name: str) -> RolloutSummary | None:
        """The rollout of a SidecarSet as a whole; None if it has no running pods."""
        return self._rollouts[name].summary() if name in self._rollouts else None

    def explained(self, subject: Subject) -> PodExplanation:
        """The explanation of a pod; InputError if it cannot be decoded."""
        fate, subject = fate_of(subject), as_created_again(subject)
        selection, rejected = self._selected(subject, self.context)
        containers, findings = InjectedContainers(), list(selection.findings)
        if not rejected:
            try:
                containers = injected_containers(subject.pod, selection, self.context)
                if subject.is_running and fate is not Fate.GONE:
                    containers = without_former(containers, subject.pod)
                findings = self._after_webhook(subject, selection)
            except ImpossibleError as fault:
                rejected = list(fault.findings)
        chosen = {choice.sidecarset.name: choice for choice in selection.applied}
        decided = [self._decided(given, subject) for given in selection.decisions]
        decisions = sorted(decided, key=lambda decision: natural(decision.set_name))
        return PodExplanation(
            _explained_pod(subject, containers)._replace(fate=fate),
            [self._of_set(given, subject, chosen.get(given.set_name), containers) for given in decisions],
            containers,
            self._placed(rejected, subject),
            self._placed(findings, subject),
            any(decision.is_injected for decision in selection.decisions),
            _history(subject),
        )

    def outcome(self, subject: Subject, name: str) -> tuple[GroupOutcome, str]:
        """What one SidecarSet does with a pod, and why it is in its state; no details that only a single pod gets."""
        subject = as_created_again(subject)
        selection, rejected = self._selected(subject, self.context)
        given = next(item for item in selection.decisions if item.set_name == name)
        decision = self._decided(given, subject)
        choice = next((item for item in selection.applied if item.sidecarset.name == name), None)
        if decision.is_injected and not rejected:
            try:
                self._after_webhook(subject, selection)
            except ImpossibleError as fault:
                rejected = list(fault.findings)
        rollout = self._rollout(decision, subject)
        outcome = GroupOutcome(
            "Rejected" if rejected and decision.is_injected else str(decision.reason),
            decision.path,
            choice.sidecarset.latest_revision if choice else "",
            name in subject.recorded,
            rollout.state if rollout else "",
            bool(rollout and rollout.is_next),
            rollout.remedy if rollout else "",
            tuple(map(str, rollout.blocked_by)) if rollout else (),
            tuple(each.path for each in self._further(decision, subject)),
        )
        return outcome, rollout.why if rollout else ""

    def _after_webhook(self, subject: Subject, selection: Selection) -> list[Finding]:
        """The findings about the pod after the whole webhook; ImpossibleError if Kruise rejects it."""
        template = template_of(subject.reference, subject.path) if subject.source else None
        result = admitted(subject.pod, selection, self.context, template)
        if twins := _twins(result.pod, selection):
            names = ", ".join(twins)
            message = f"two containers are named {names}: the API server rejects such a pod"
            raise ImpossibleError(error(Reason.REFUSED, message, ("spec", "containers"), hint="rename one of them"))
        findings = [*result.injection.findings, *result.findings]
        if result.order is not None and template is None:
            findings.append(note(Reason.LAUNCH_ORDER, result.order.message))
        if (
            template
            and selection.applied
            and (restriction := restriction_on(template.workload.api_version, template.workload.kind))
        ):
            findings.append(note(Reason.CONTROLLER_MAY_REFUSE, restriction))
        return [*findings, *self._of_subsets(subject)]

    def _of_subsets(self, subject: Subject) -> Iterator[Finding]:
        """The subsets of a UnitedDeployment whose pods get other SidecarSets than its template."""
        source = subject.source
        if source is None or source.reference.kind != "UnitedDeployment":
            return
        from sidecarctl.engine.injection.pod_sorts import subset_differences  # for few kinds

        for template in pod_templates(source.manifest):
            if template.path == subject.path:
                yield from source.findings(subset_differences(source, template, self.context, subject.identity))

    def _of_set(
        self, decision: SetDecision, subject: Subject, choice: RevisionChoice | None, containers: InjectedContainers
    ) -> SetExplanation:
        name, asked = decision.set_name, self._asked(decision, subject, choice)
        tests = tests_in_order(decision, asked)
        further = self._further(decision, subject)
        return SetExplanation(
            decision,
            [self._located(test, decision, subject) for test in tests],
            choice.sidecarset.latest_revision if choice else "",
            [sidecar for sidecar in containers.sidecars if sidecar.set_name == name],
            remedy_of(
                decision,
                further,
                asked,
                knows_namespace=asked.namespace in self.context.namespaces,
                runs=subject.is_running and subject.fate is None,
            ),
            name in subject.recorded,
            self._rollout(decision, subject),
            self._whitelist_answer(name),
            [
                *label_hints(asked.spec.get("selector") or {}, asked.labels, runs=subject.is_running),
                *self._misplaced_labels(decision, subject),
                *self._ignored(name, choice),
            ],
            self._outdated(name, subject),
            further,
        )

    def _decided(self, given: SetDecision, subject: Subject) -> SetDecision:
        """The decision with its evidence; it is not a "no" if the labels of a namespace decide and are not known."""
        decision, namespace = with_evidence(given, subject.pod, self.context, subject.identity), _namespace(subject)
        matcher = self.context.rules[given.set_name].matcher
        if given.reason is not Reason.NAMESPACE_NOT_SELECTED or not matcher.may_match(
            namespace, labels_of(subject.pod)
        ):
            return decision
        message = f"namespaceSelector asks for labels of namespace {namespace}, which are not known"
        return decision._replace(reason=Reason.NAMESPACE_UNKNOWN, message=message)

    def _outdated(self, name: str, subject: Subject) -> Sequence[tuple[str, str]]:
        """The fields of a running pod that a new one gets otherwise."""
        if not subject.is_running or subject.fate or name not in subject.recorded:
            return ()
        from sidecarctl.features.explain.field_origins import other_fields  # only running pods have other versions

        gates = frozenset(self.context.options.feature_gates)
        return tuple(other_fields(self.context.rules[name].sidecarset, subject.pod, self.world, gates))

    def _ignored(self, name: str, choice: RevisionChoice | None) -> Iterator[str]:
        """The fields of initContainers that Kruise ignores there, with the reason."""
        source = self.world.sources.get(name)
        if choice and source and choice.sidecarset.spec.get("initContainers"):
            from sidecarctl.engine.validation.practice.ignored import ignored_findings  # few sets have initContainers

            for finding in ignored_findings(source.manifest, self.world.release):
                yield f"{path_text(finding.path)}: {finding.message}"

    def _misplaced_labels(self, decision: SetDecision, subject: Subject) -> Iterator[str]:
        """A note on labels that would be selected, in a place where they do not count."""
        if decision.reason is not Reason.POD_NOT_SELECTED:
            return
        namespace, own = _namespace(subject), labels_of(subject.pod)
        holder = subject.source.manifest if subject.source and subject.path else {}
        for where, labels in labels_beside(subject.pod, holder):
            if self.context.rules[decision.set_name].matcher.mismatch(namespace, {**own, **labels}) is None:
                yield f"the labels that it asks for are {where}, where they do not count"
                return

    def _further(self, decision: SetDecision, subject: Subject) -> list[SetDecision]:
        """The reasons for which the SidecarSet would still not apply if that of the decision were gone."""
        if decision.reason not in _EARLY:
            return []
        rule, namespace = self.context.rules[decision.set_name], _namespace(subject)
        found = []
        after_namespace = decision.reason is Reason.NAMESPACE_NOT_SELECTED
        is_paused = is_injection_paused(rule.sidecarset.spec)
        if is_paused and not (after_namespace or decision.reason is Reason.INJECTION_PAUSED):
            found.append(paused(rule.sidecarset))
        if not (after_namespace or rule.matcher.selects_namespace(namespace)):
            is_known = not rule.matcher.lacks_labels_of(namespace)
            found.append(other_namespace(rule.sidecarset, namespace, is_known=is_known))
        if not may_match(rule, labels_of(subject.pod)):
            found.append(other_labels(rule.sidecarset))
        return [with_evidence(each, subject.pod, self.context, subject.identity) for each in found]

    def _selected(self, subject: Subject, context: InjectionContext) -> tuple[Selection, list[Finding]]:
        """The decisions for all SidecarSets, and the errors for which Kruise rejects the pod.

        Kruise stops at the first error; the other SidecarSets are still evaluated.
        """
        try:
            return select(subject.pod, context, subject.identity), []
        except ImpossibleError as fault:
            failed = {finding.subject.name for finding in fault.findings if finding.subject}
            others = [rule.sidecarset for name, rule in context.rules.items() if name not in failed]
            if not failed:
                raise
            without = InjectionContext(
                others,
                namespaces=context.namespaces,
                revisions=context.revisions,
                options=context.options,
                release=context.release,
                webhook=context.webhook,
            )
            selection, more = self._selected(subject, without)
            decisions = [
                SetDecision(finding.subject.name, finding.reason, finding.message, finding.path)
                for finding in fault.findings
                if finding.subject
            ]
            return selection._replace(decisions=(*decisions, *selection.decisions)), [*fault.findings, *more]

    def _asked(self, decision: SetDecision, subject: Subject, choice: RevisionChoice | None) -> Asked:
        namespace = _namespace(subject)
        labels = {**self.context.namespaces.get(namespace, {}), NAMESPACE_NAME_LABEL: namespace}
        spec = self.context.rules[decision.set_name].sidecarset.spec
        unseen = self.context.rules_in(namespace).unseen
        skips = unseen.label if unseen and unseen.reason is decision.reason else ""
        return Asked(spec, namespace, labels, labels_of(subject.pod), choice, skips, self.context.webhook.failures)

    def _located(self, test: SelectionTest, decision: SetDecision, subject: Subject) -> Test:
        """A test with the fields that decide; an absent field decides only a failed test."""
        found = [self._field(item, decision, subject) for item in test.evidence]
        return Test(test, [item for item in found if item and (item.value is not None or not test.passed)])

    def _field(self, evidence: Evidence, decision: SetDecision, subject: Subject) -> ExplainedField | None:
        match evidence.holder:
            case Holder.POD if evidence.path == _NAMESPACE and subject.source:  # templates have none
                value = value_at(subject.source.manifest, evidence.path)
                place = subject.source.place(evidence.path)
                return (
                    ExplainedField(evidence.holder, subject.reference, evidence.path, place, value) if value else None
                )
            case Holder.POD:
                value = value_at(subject.pod, evidence.path)
                return ExplainedField(
                    evidence.holder,
                    subject.reference,
                    (*subject.path, *evidence.path),
                    subject.place(evidence.path),
                    value,
                )
            case Holder.NAMESPACE:
                source = self.world.namespace_source(_namespace(subject))
            case _:
                source = self.world.sources.get(evidence.sidecarset or decision.set_name)
        if source is None or not evidence.path:
            return None
        value = value_at(source.manifest, evidence.path)
        return ExplainedField(evidence.holder, source.reference, evidence.path, source.place(evidence.path), value)

    def _whitelist_answer(self, name: str) -> "WhitelistAnswer | None":
        sidecarset = self.context.rules[name].sidecarset
        if not sidecarset.spec.get("patchPodMetadata"):
            return None
        if name not in self._whitelist:
            self._whitelist[name] = whitelist_answer(sidecarset, self.world, self.context.options.feature_gates)
        return self._whitelist[name]

    def _placed(self, findings: Iterable[Finding], subject: Subject) -> list[Finding]:
        found = []
        for finding in findings:
            source = self.world.sources.get(finding.subject.name) if finding.subject else None
            place = source.place if source else lambda path: subject.place(path) or Place("")
            found += placed([finding], subject.reference, place)
        return [item._replace(place=item.place if item.place and item.place.file else None) for item in found]

    def _rollout(self, decision: SetDecision, subject: Subject) -> RolloutState | None:
        if not (subject.is_running and decision.set_name in self._rollouts):
            return None
        pod = _namespace(subject), subject.identity.name
        recreation = self._recreated(decision.set_name, subject.pod)
        state = self._rollouts[decision.set_name].state_of(pod, labels_of(subject.pod), recreation)
        if state and state.is_left_out and not decision.is_injected and state.state != Reason.STATIC_POD:
            return state._replace(remedy="")  # the remedy for the decision is sufficient
        if state and subject.fate:
            return state._replace(remedy=replacement(recreation))
        return state

    def _recreated(self, set_name: str, pod: Object) -> str:
        """The advice on recreating a running pod."""
        return self._recreation.of(set_name)(SimulatedPod(0, pod))

    @cached_property
    def _recreation(self) -> "Recreation":
        from sidecarctl.engine.rollout.recreation import Recreation  # only running pods are recreated

        return Recreation(self.world, self.context.options.feature_gates)


_EARLY = (
    Reason.SYSTEM_NAMESPACE,
    Reason.NAMESPACE_CONTROL_PLANE_LABEL,
    Reason.NOT_SEEN_BY_WEBHOOK,
    Reason.INJECTION_PAUSED,
    Reason.NAMESPACE_NOT_SELECTED,
)
"""Reasons after which there are other tests."""


def _namespace(subject: Subject) -> str:
    return subject.identity.namespace or DEFAULT_NAMESPACE


def _twins(pod: Object, selection: Selection) -> list[str]:
    """The names that more than one container of an injected pod has."""
    if not selection.applied:
        return []
    spec = pod.get("spec") or {}
    names = Counter(name_of(item) for field in ("containers", "initContainers") for item in spec.get(field) or ())
    return [name for name, number in names.items() if number > 1 and name]


def _explained_pod(subject: Subject, containers: InjectedContainers) -> ExplainedPod:
    replaced = [(sidecar.field, sidecar.place) for sidecar in containers.sidecars if sidecar.replaces_app]
    return ExplainedPod(
        subject.reference,
        subject.identity,
        subject.is_running,
        subject.names_no_namespace,
        subject.place_of_object,
        {} if subject.is_running else {path: subject.place(path) for path in replaced},
        part=subject.part,
    )


def _history(subject: Subject) -> "PodHistory | None":
    if not subject.is_running or subject.fate:
        return None
    from sidecarctl.features.explain.pod_history import history_of  # only running pods have one

    return history_of(subject.pod)
