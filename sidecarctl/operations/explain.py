"""Explanations of pods, and of SidecarSets over pods."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.reasons import Reason
from sidecarctl.operations.explaining.explanations import Explainer, PodExplanation, SetExplanation
from sidecarctl.operations.explaining.subjects import Subject
from sidecarctl.operations.report import Report
from sidecarctl.operations.sidecarset_warnings import sidecarset_warnings


class PodFacts(NamedTuple):
    """The explanation of each pod, and the feature gates in force."""

    pods: Sequence[PodExplanation]
    gates: frozenset[str]


class Group(NamedTuple):
    """Pods at which a SidecarSet fares alike; `example` is the first of them."""

    outcome: str
    example: SetExplanation
    pods: Sequence[str]


class SetFacts(NamedTuple):
    """A SidecarSet over all pods, grouped: first those that it is injected into."""

    name: str
    groups: Sequence[Group]
    gates: frozenset[str]


def pods_explained(explainer: Explainer, subjects: Iterable[Subject]) -> Report[PodFacts]:
    """Why each pod has what it has."""
    pods = [explainer.explained(subject) for subject in subjects]
    return Report("explain", PodFacts(pods, explainer.context.options.feature_gates), _warnings(explainer))


def sidecarset_explained(explainer: Explainer, subjects: Iterable[Subject], name: str) -> Report[SetFacts]:
    """Which pods a SidecarSet has and which not, in groups of one reason and one state."""
    groups: dict[tuple[str, ...], list[PodExplanation]] = {}
    for subject in subjects:
        pod = explainer.explained(subject)
        groups.setdefault(_key(pod, _of(pod, name)), []).append(pod)
    found = [Group(key[0], _of(pods[0], name), [pod.subject.name for pod in pods]) for key, pods in groups.items()]
    found.sort(key=lambda group: group.outcome != Reason.INJECTED)
    return Report("explain-set", SetFacts(name, found, explainer.context.options.feature_gates), _warnings(explainer))


def _warnings(explainer: Explainer) -> Sequence[Finding]:
    return sidecarset_warnings(explainer.world)


def _of(pod: PodExplanation, name: str) -> SetExplanation:
    return next(one for one in pod.sets if one.name == name)


def _key(pod: PodExplanation, one: SetExplanation) -> tuple[str, ...]:
    """What pods of a group have in common: the reason, the field that decided, the revision, the state and why."""
    outcome = "Rejected" if pod.rejected and one.decision.is_injected else str(one.decision.reason)
    rollout = one.rollout
    state = (rollout.state, rollout.why, *(str(each) for each in rollout.blocked_by)) if rollout else ()
    return outcome, str(one.decision.path), one.revision, str(one.recorded), *state


def reasons_explained() -> Report[Mapping[str, str]]:
    """Every reason code with its sentence."""
    return Report("reasons", {str(reason): reason.sentence for reason in Reason})
