"""Why a pod has its sidecars: every test of every SidecarSet, what is injected, why it is not updated."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from sidecarctl.api.late_labels import appears_after_scheduling
from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import value_at
from sidecarctl.facts.placing import placed
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place
from sidecarctl.injection.explaining import InjectedContainers, injected_containers
from sidecarctl.injection.injecting import inject
from sidecarctl.injection.select.decisions import Decision, Selection
from sidecarctl.injection.select.failing_requirements import with_evidence
from sidecarctl.injection.select.injection_context import InjectionContext
from sidecarctl.injection.select.namespace_rules import CONTROL_PLANE_LABEL
from sidecarctl.injection.select.pod_identity import labels_of
from sidecarctl.injection.select.selection import select
from sidecarctl.injection.select.tests_in_order import Asked, Evidence, Holder, SelectionTest, tests_in_order
from sidecarctl.inputs.world import World
from sidecarctl.operations.explaining.explained import (
    ExplainedPod,
    Field,
    Outcome,
    PodExplanation,
    SetExplanation,
    Test,
)
from sidecarctl.operations.explaining.late_labels import label_hints
from sidecarctl.operations.explaining.remedies import remedy_of
from sidecarctl.operations.explaining.rollout_states import RolloutOfSet, RolloutState, RolloutSummary
from sidecarctl.operations.explaining.subjects import Subject
from sidecarctl.sidecarset.matching import DEFAULT_NAMESPACE, NAMESPACE_NAME_LABEL
from sidecarctl.sidecarset.revisions.revision_choice import RevisionChoice

if TYPE_CHECKING:  # only running pods are of a rollout
    from sidecarctl.operations.explaining.whitelist import WhitelistAnswer
    from sidecarctl.operations.status import SetStatus

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
        return {status.sidecarset.name: RolloutOfSet(status) for status in self._statuses()}

    def rollout_summary(self, name: str) -> RolloutSummary | None:
        """The rollout of a SidecarSet as a whole; None if it has no running pods."""
        return self._rollouts[name].summary() if name in self._rollouts else None

    def explained(self, subject: Subject) -> PodExplanation:
        """The explanation of a pod; InputError if it cannot be decoded."""
        selection, rejected = self._selected(subject, self.context)
        containers, findings = InjectedContainers(), list(selection.findings)
        if not rejected:
            try:
                containers = injected_containers(subject.pod, selection, self.context)
                findings = list(inject(subject.pod, selection, self.context).findings)
            except ImpossibleError as fault:
                rejected = list(fault.findings)
        chosen = {choice.sidecarset.name: choice for choice in selection.applied}
        return PodExplanation(
            _explained_pod(subject, containers),
            [self._of_set(given, subject, chosen.get(given.set_name), containers) for given in selection.decisions],
            containers,
            self._placed(rejected, subject),
            self._placed(findings, subject),
            any(decision.is_injected for decision in selection.decisions),
        )

    def outcome(self, subject: Subject, name: str) -> Outcome:
        """What one SidecarSet does with a pod, in short: without the details that only a single pod gets."""
        selection, rejected = self._selected(subject, self.context)
        given = next(item for item in selection.decisions if item.set_name == name)
        decision = with_evidence(given, subject.pod, self.context, subject.identity)
        choice = next((item for item in selection.applied if item.sidecarset.name == name), None)
        if decision.is_injected and not rejected:
            try:
                inject(subject.pod, selection, self.context)
            except ImpossibleError as fault:
                rejected = list(fault.findings)
        rollout = self._rollout(decision, subject)
        return Outcome(
            "Rejected" if rejected and decision.is_injected else str(decision.reason),
            decision.path,
            choice.sidecarset.latest_revision if choice else "",
            name in subject.recorded,
            rollout.state if rollout else "",
            rollout.why if rollout else "",
            tuple(map(str, rollout.blocked_by)) if rollout else (),
        )

    def _of_set(
        self, given: Decision, subject: Subject, choice: RevisionChoice | None, containers: InjectedContainers
    ) -> SetExplanation:
        decision = with_evidence(given, subject.pod, self.context, subject.identity)
        name, asked = decision.set_name, self._asked(decision, subject, choice)
        tests = tests_in_order(decision, asked)
        return SetExplanation(
            decision,
            [self._located(test, decision, subject) for test in tests],
            choice.sidecarset.latest_revision if choice else "",
            [sidecar for sidecar in containers.sidecars if sidecar.set_name == name],
            remedy_of(decision, runs=subject.is_running, late_label=_late_label(tests)),
            name in subject.recorded,
            self._rollout(decision, subject),
            self._whitelist_answer(name),
            list(label_hints(asked.spec.get("selector") or {}, asked.labels, runs=subject.is_running)),
        )

    def _selected(self, subject: Subject, context: InjectionContext) -> tuple[Selection, list[Finding]]:
        """The decisions for all SidecarSets, and the errors for which Kruise rejects the pod.

        Kruise stops at the first error; the other SidecarSets are evaluated all the same.
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
                names_release=context.names_release,
            )
            selection, more = self._selected(subject, without)
            decisions = [
                Decision(_name_of(finding), finding.reason, finding.message, finding.path)
                for finding in fault.findings
            ]
            return selection._replace(decisions=(*decisions, *selection.decisions)), [*fault.findings, *more]

    def _asked(self, decision: Decision, subject: Subject, choice: RevisionChoice | None) -> Asked:
        namespace = subject.identity.namespace or DEFAULT_NAMESPACE
        labels = {**self.context.namespaces.get(namespace, {}), NAMESPACE_NAME_LABEL: namespace}
        spec = self.context.rules[decision.set_name].sidecarset.spec
        skips = CONTROL_PLANE_LABEL if decision.reason is Reason.NAMESPACE_CONTROL_PLANE_LABEL else ""
        return Asked(spec, namespace, labels, labels_of(subject.pod), choice, skips)

    def _located(self, test: SelectionTest, decision: Decision, subject: Subject) -> Test:
        """A test with the fields that decide; an absent field decides only a failed test."""
        found = [self._field(item, decision, subject) for item in test.evidence]
        return Test(test, [item for item in found if item and (item.value is not None or not test.passed)])

    def _field(self, evidence: Evidence, decision: Decision, subject: Subject) -> Field | None:
        match evidence.holder:
            case Holder.POD if evidence.path == _NAMESPACE and subject.source:  # a template has none of its own
                value = value_at(subject.source.manifest, evidence.path)
                place = subject.source.place(evidence.path)
                return Field(evidence.holder, subject.name, evidence.path, place, value) if value else None
            case Holder.POD:
                value = value_at(subject.pod, evidence.path)
                return Field(
                    evidence.holder,
                    subject.name,
                    (*subject.path, *evidence.path),
                    subject.place(evidence.path),
                    value,
                )
            case Holder.NAMESPACE:
                source = self.world.namespace_sources.get(subject.identity.namespace or DEFAULT_NAMESPACE)
            case _:
                source = self.world.sources.get(evidence.sidecarset or decision.set_name)
        if source is None or not evidence.path:
            return None
        value = value_at(source.manifest, evidence.path)
        return Field(evidence.holder, str(source.reference), evidence.path, source.place(evidence.path), value)

    def _whitelist_answer(self, name: str) -> "WhitelistAnswer | None":
        sidecarset = self.context.rules[name].sidecarset
        if not sidecarset.spec.get("patchPodMetadata"):
            return None
        if name not in self._whitelist:
            from sidecarctl.operations.explaining.whitelist import whitelist_answer  # few SidecarSets patch metadata

            self._whitelist[name] = whitelist_answer(sidecarset, self.world, self.context.options.feature_gates)
        return self._whitelist[name]

    def _placed(self, findings: Iterable[Finding], subject: Subject) -> list[Finding]:
        found = []
        for finding in findings:
            source = self.world.sources.get(finding.subject.name) if finding.subject else None
            place = source.place if source else lambda path: subject.place(path) or Place("")
            found += placed([finding], subject.reference, place)
        return [item._replace(place=item.place if item.place and item.place.file else None) for item in found]

    def _rollout(self, decision: Decision, subject: Subject) -> RolloutState | None:
        if not (subject.is_running and decision.set_name in self._rollouts):
            return None
        pod = subject.identity.namespace or DEFAULT_NAMESPACE, subject.identity.name
        return self._rollouts[decision.set_name].state_of(pod, labels_of(subject.pod))


def _explained_pod(subject: Subject, containers: InjectedContainers) -> ExplainedPod:
    replaced = [(sidecar.field, sidecar.place) for sidecar in containers.sidecars if sidecar.replaces_app]
    return ExplainedPod(
        subject.reference,
        subject.identity,
        subject.is_running,
        subject.names_no_namespace,
        subject.place_of_object,
        {} if subject.is_running else {path: subject.place(path) for path in replaced},
    )


def _late_label(tests: Iterable[SelectionTest]) -> str:
    """The label that did not match, if a pod gets it only when it is scheduled; else empty."""
    failed = (item for test in tests if test.passed is False for item in test.evidence if item.holder is Holder.POD)
    keys = (str(item.path[-1]) for item in failed)
    return next((key for key in keys if appears_after_scheduling(key)), "")


def _name_of(finding: Finding) -> str:
    return finding.subject.name if finding.subject else ""
