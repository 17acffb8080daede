"""What a pod would get if it were created now: of each SidecarSet which version, or why none.

Whoever advises to recreate a pod asks here first.

Source: docs/behavior/injection.md, "Which sets apply"; hash-and-revisions.md, "Choosing a revision at pod creation".
"""

from typing import NamedTuple

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.decisions import Selection
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.selection import Identity, select
from sidecarctl.engine.sidecarset.revisions.revision_choice import Chooser, RevisionChoice
from sidecarctl.engine.sidecarset.sets import SidecarSet

RECREATE = "recreate it"
"""The advice about a pod whose replacement gets the current version."""
UNSEEN = frozenset((Reason.NOT_SEEN_BY_WEBHOOK, Reason.NAMESPACE_CONTROL_PLANE_LABEL, Reason.SYSTEM_NAMESPACE))
"""Reasons for which Kruise leaves a pod alone, whatever the SidecarSets say."""


def of_the_pod(advice: str) -> str:
    """The advice with `the pod` instead of `it`, for sentences that do not name the pod before."""
    return advice.replace(RECREATE, "recreate the pod", 1)


class NewPod(NamedTuple):
    """What a pod created now gets of one SidecarSet.

    - `reason`: Injected, or why it gets nothing of it; `message` says so in words. `canary` applies instead.
    - `odds`: the probability that it gets the current version; policy Partial draws, else it is 0 or 1.
    - `older`: the name of the revision that it gets otherwise.
    - `is_rejected`: Kruise does not let it be created at all.
    """

    reason: Reason
    message: str = ""
    odds: float = 0
    older: str = ""
    canary: str = ""
    is_rejected: bool = False

    @property
    def is_current(self) -> bool:
        """Whether it certainly gets the current version."""
        return self.odds == 1

    @property
    def recreation(self) -> str:
        """`recreate it`, or, where that does not bring the current version, what a new pod gets instead."""
        if self.odds:
            return RECREATE if self.is_current else f"{RECREATE}: {self.odds:.0%} of new pods get the current version"
        if self.is_rejected:
            return f"Kruise rejects a new pod: {self.message}"
        if self.canary:
            return f"a new pod gets the sidecars of its canary {self.canary} instead"
        if self.older:
            return f"a new pod gets {self.older}, which spec.injectionStrategy.revision asks for"
        return f"a new pod would have no sidecar of it: {self.message}"


class NewPods:
    """The answers for the pods of a context; all that counts of a pod is its namespace, name and labels."""

    def __init__(self, context: InjectionContext) -> None:
        self._context = context

    def of(self, set_name: str, identity: Identity, labels: Labels) -> NewPod:
        """What such a pod gets of a SidecarSet of the context."""
        selection = self._selection(identity, labels)
        if isinstance(selection, NewPod):
            return selection
        decision = next(item for item in selection.decisions if item.set_name == set_name)
        choice = next((item for item in selection.applied if item.sidecarset.name == set_name), None)
        if choice is None:
            return NewPod(decision.reason, decision.message, canary=decision.canary)
        return _of_choice(choice, self._context.rules[set_name].sidecarset)

    def rejected(self, identity: Identity, labels: Labels) -> NewPod | None:
        """Why Kruise does not let such a pod be created; None if it does."""
        found = self._selection(identity, labels)
        return found if isinstance(found, NewPod) else None

    def _selection(self, identity: Identity, labels: Labels) -> Selection | NewPod:
        namespace, name = identity
        bare: Object = {"metadata": {"namespace": namespace, "name": name, "labels": dict(labels)}}
        try:
            return select(bare, self._context, identity)
        except ImpossibleError as fault:
            return NewPod(fault.findings[0].reason, fault.findings[0].message, is_rejected=True)

    def with_change(self, changed: SidecarSet, identity: Identity, labels: Labels) -> NewPod:
        """The answer with another injection strategy of a SidecarSet that applies to the pod."""
        try:
            chooser = Chooser(changed, self._context.revisions, self._context.options.seed)
            return _of_choice(chooser.choose(*identity, labels), changed)
        except ImpossibleError as fault:
            return NewPod(fault.findings[0].reason, fault.findings[0].message, is_rejected=True)


def _of_choice(choice: RevisionChoice, current: SidecarSet) -> NewPod:
    older = choice.probability if choice.probability is not None else float(not choice.is_latest)
    if choice.sidecarset.hash == current.hash and older == 1:
        older = 0  # the revision that is asked for is the current one
    return NewPod(Reason.INJECTED, odds=1 - older, older="" if older == 0 else choice.sidecarset.latest_revision)
