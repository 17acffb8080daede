"""Why a pod has what it has: every test of every SidecarSet, what is injected, why it is not updated."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import value_at
from sidecarctl.facts.placing import placed
from sidecarctl.facts.references import Place
from sidecarctl.facts.values import Value
from sidecarctl.injection.explaining import InjectedContainers, InjectedSidecar, injected_containers
from sidecarctl.injection.injecting import inject
from sidecarctl.injection.select.decisions import Decision, Selection
from sidecarctl.injection.select.failing_requirements import with_evidence
from sidecarctl.injection.select.injection_context import InjectionContext
from sidecarctl.injection.select.pod_identity import labels_of
from sidecarctl.injection.select.selection import select
from sidecarctl.injection.select.tests_in_order import Asked, Name, SelectionTest, tests_in_order
from sidecarctl.inputs.world import World
from sidecarctl.operations.explaining.remedies import remedy_of, remedy_of_left_out, remedy_of_state
from sidecarctl.operations.explaining.subjects import Subject
from sidecarctl.sidecarset.matching import DEFAULT_NAMESPACE, NAMESPACE_NAME_LABEL

if TYPE_CHECKING:  # only running pods are of a rollout
    from sidecarctl.operations.status import SetStatus
    from sidecarctl.rollout.summary.blocked_fields import FieldDifference

Statuses = Callable[[], "Sequence[SetStatus]"]
"""The status of every SidecarSet over all given pods; asked only where a pod runs."""


class Test(NamedTuple):
    """A test with where its evidence stands, and what stands there."""

    test: SelectionTest
    place: Place | None
    value: Value


class RolloutState(NamedTuple):
    """Where a running pod stands in the rollout of a SidecarSet that is in it, or why it takes no part in it.

    `place` is that in the order of the pods that could be updated now, 0 for none, and their number.
    """

    state: str
    why: str
    remedy: str
    place: tuple[int, int] = (0, 0)
    blocked_by: "Sequence[FieldDifference]" = ()


class SetExplanation(NamedTuple):
    """One SidecarSet at one pod. `recorded`: the pod's annotation says that it was injected."""

    decision: Decision
    tests: Sequence[Test]
    revision: str
    sidecars: Sequence[InjectedSidecar]
    remedy: str
    recorded: bool
    rollout: RolloutState | None

    @property
    def name(self) -> str:
        """The name of the SidecarSet."""
        return self.decision.set_name


class PodExplanation(NamedTuple):
    """A pod. `rejected` are the errors because of which Kruise does not let it be created."""

    subject: Subject
    sets: Sequence[SetExplanation]
    containers: InjectedContainers
    rejected: Sequence[Finding]
    findings: Sequence[Finding]

    @property
    def outcome(self) -> str:
        """`Rejected`, `Injected` or `NotInjected`."""
        if self.rejected:
            return "Rejected"
        return "Injected" if any(one.decision.is_injected for one in self.sets) else "NotInjected"


class Explainer:
    """Explains pods of one world."""

    def __init__(self, world: World, context: InjectionContext, statuses: Statuses) -> None:
        self.world = world
        self.context = context
        self._statuses = statuses

    def explained(self, subject: Subject) -> PodExplanation:
        """The explanation of a pod; InputError where it cannot be decoded."""
        selection, rejected = self._selected(subject, self.context)
        containers, findings = InjectedContainers(), list(selection.findings)
        if not rejected:
            try:
                containers = injected_containers(subject.pod, selection, self.context)
                findings = list(inject(subject.pod, selection, self.context).findings)
            except ImpossibleError as fault:
                rejected = list(fault.findings)
        chosen = {choice.sidecarset.name: choice for choice in selection.applied}
        sets = []
        for given in selection.decisions:
            decision = self._with_evidence(given, subject)
            choice = chosen.get(decision.set_name)
            asked = self._asked(decision, subject)._replace(choice=choice)
            sets.append(
                SetExplanation(
                    decision,
                    [self._located(test, decision, subject) for test in tests_in_order(decision, asked)],
                    choice.sidecarset.latest_revision if choice else "",
                    [one for one in containers.sidecars if one.set_name == decision.set_name],
                    remedy_of(decision, runs=subject.is_running),
                    decision.set_name in subject.recorded,
                    self._rollout(decision, subject),
                )
            )
        return PodExplanation(
            subject, sets, containers, self._placed(rejected, subject), self._placed(findings, subject)
        )

    def _selected(self, subject: Subject, context: InjectionContext) -> tuple[Selection, list[Finding]]:
        """The decisions for all SidecarSets, and the errors of those at which Kruise rejects the pod.

        Kruise stops at the first error; the other SidecarSets are asked as if it had not.
        """
        try:
            return select(subject.pod, context, subject.identity), []
        except ImpossibleError as fault:
            failed = {one.subject.name for one in fault.findings if one.subject}
            others = [rule.sidecarset for name, rule in context.rules.items() if name not in failed]
            if not failed:
                raise
            without = InjectionContext(
                others, namespaces=context.namespaces, revisions=context.revisions, options=context.options
            )
            selection, more = self._selected(subject, without)
            decisions = [Decision(_name_of(one), one.reason, one.message, one.path) for one in fault.findings]
            return selection._replace(decisions=(*decisions, *selection.decisions)), [*fault.findings, *more]

    def _with_evidence(self, decision: Decision, subject: Subject) -> Decision:
        return with_evidence(decision, subject.pod, self.context, subject.identity)

    def _asked(self, decision: Decision, subject: Subject) -> Asked:
        namespace = subject.identity.namespace or DEFAULT_NAMESPACE
        labels = {**self.context.namespaces.get(namespace, {}), NAMESPACE_NAME_LABEL: namespace}
        spec = self.context.rules[decision.set_name].sidecarset.spec
        return Asked(spec, namespace, labels, labels_of(subject.pod), None)

    def _located(self, test: SelectionTest, decision: Decision, subject: Subject) -> Test:
        """A test with its evidence; a field that is absent and no reason to fail is none."""
        in_pod = test.name is Name.POD
        source = None if in_pod else self.world.sources.get(decision.set_name)
        manifest = subject.pod if in_pod else source.manifest if source else {}
        value = value_at(manifest, test.path)
        if not test.path or (value is None and test.passed):
            return Test(test._replace(path=()), None, None)
        place = subject.place(test.path) if in_pod else source.place(test.path) if source else None
        return Test(test, place, value)

    def _placed(self, findings: Iterable[Finding], subject: Subject) -> list[Finding]:
        found = []
        for one in findings:
            source = self.world.sources.get(one.subject.name) if one.subject else None
            place = source.place if source else lambda path: subject.place(path) or Place("")
            found += placed([one], subject.reference, place)
        return [one._replace(place=one.place if one.place and one.place.file else None) for one in found]

    def _rollout(self, decision: Decision, subject: Subject) -> RolloutState | None:
        if not subject.is_running:
            return None
        for one in self._statuses():
            if one.sidecarset.name == decision.set_name:
                return rollout_state(one, subject)
        return None


def rollout_state(status: "SetStatus", subject: Subject) -> RolloutState | None:
    """Where a running pod stands in the rollout of a SidecarSet; None where it is none of its pods."""
    name = (subject.identity.namespace or DEFAULT_NAMESPACE, subject.identity.name)
    for pod in status.pods:
        if tuple(pod.pod) == name:
            return RolloutState(str(pod.state), pod.why, remedy_of_state(str(pod.state)), pod.place, pod.blocked_by)
    for left_out in status.left_out:
        if tuple(left_out.pod) == name:
            return RolloutState(str(left_out.reason), left_out.message, remedy_of_left_out(left_out.reason))
    return None


def _name_of(finding: Finding) -> str:
    return finding.subject.name if finding.subject else ""
