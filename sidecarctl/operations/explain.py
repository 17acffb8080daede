"""Explanations of pods, and of SidecarSets over pods."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.operations.checking.release_findings import gate_findings
from sidecarctl.operations.checking.sidecarset_warnings import sidecarset_warnings
from sidecarctl.operations.explaining.explained import Outcome, PodExplanation, SetExplanation
from sidecarctl.operations.explaining.explanations import Explainer
from sidecarctl.operations.explaining.rollout_states import RolloutSummary
from sidecarctl.operations.explaining.subjects import Subject
from sidecarctl.operations.report import Report


class Explanations(Protocol):
    """The explanations of pods; of very many they are in a file, and each pass reads them again."""

    def __iter__(self) -> Iterator[PodExplanation]: ...

    def __len__(self) -> int: ...


Keep: TypeAlias = Callable[[Iterable[PodExplanation]], Explanations]
"""Takes explanations as they are made, and keeps them."""


class PodFacts(NamedTuple):
    """The explanation of each pod, and the feature gates in force."""

    pods: Explanations
    gates: frozenset[str]


class Group(NamedTuple):
    """Pods for which a SidecarSet has the same outcome, by name; `example` is the first of them."""

    outcome: str
    example: SetExplanation
    pods: list[str]


class SetFacts(NamedTuple):
    """A SidecarSet over all pods, grouped, first the pods that it is injected into; its rollout if any pod runs."""

    name: str
    groups: Sequence[Group]
    rollout: RolloutSummary | None
    gates: frozenset[str]


def pods_explained(
    explainer: Explainer, subjects: Iterable[Subject], sidecarset: str = "", keep: Keep = list
) -> Report[PodFacts]:
    """The explanations of the pods, at all SidecarSets or only at one."""
    every = map(explainer.explained, subjects)
    pods = keep(pod._replace(sets=[_of(pod, sidecarset)]) for pod in every) if sidecarset else keep(every)
    facts = PodFacts(pods, explainer.context.options.feature_gates)
    return Report("explain", facts, _warnings(explainer), release=explainer.world.release)


def sidecarset_explained(explainer: Explainer, subjects: Iterable[Subject], name: str) -> Report[SetFacts]:
    """Which pods a SidecarSet applies to and which not, grouped by reason and state."""
    groups: dict[Outcome, Group] = {}
    runs = False
    for subject in subjects:  # one pod after another: a dump may hold more of them than memory
        outcome, runs = explainer.outcome(subject, name), runs or subject.is_running
        if outcome not in groups:
            groups[outcome] = Group(outcome.name, _of(explainer.explained(subject), name), [])
        groups[outcome].pods.append(subject.name)
    found = list(groups.values())
    found.sort(key=lambda group: group.outcome != Reason.INJECTED)
    rollout = explainer.rollout_summary(name) if runs else None
    facts = SetFacts(name, found, rollout, explainer.context.options.feature_gates)
    return Report("explain-set", facts, _warnings(explainer), release=explainer.world.release)


def _warnings(explainer: Explainer) -> Sequence[Finding]:
    gates = explainer.context.options.feature_gates
    return [*sidecarset_warnings(explainer.world), *gate_findings(explainer.world, gates)]


def _of(pod: PodExplanation, name: str) -> SetExplanation:
    return next(item for item in pod.sets if item.name == name)


def reasons_explained() -> Report[Mapping[str, str]]:
    """Every reason code with its sentence."""
    return Report("reasons", {str(reason): reason.sentence for reason in Reason})
