"""Explanations of pods, and of SidecarSets over pods: the request, its inputs, and the answer."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from sidecarctl.engine.facts.errors import UsageError
from sidecarctl.engine.facts.findings import Finding, ObjectReference
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.files.memory import Spool, spooled
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.injection_context import injection_context
from sidecarctl.engine.inputs.manifests import objects_with_pods
from sidecarctl.engine.inputs.opening import Sources
from sidecarctl.engine.inputs.reading import Reading, read_world, refuse_no_sidecarset
from sidecarctl.engine.inputs.unknown_templates import UnknownTemplates
from sidecarctl.engine.report import Report, of_cluster
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.warnings import warnings_of
from sidecarctl.features.explain.explained import GroupOutcome, PodExplanation, SetExplanation
from sidecarctl.features.explain.explanations import Explainer
from sidecarctl.features.explain.rollout_states import RolloutSummary, with_stalls
from sidecarctl.features.explain.subjects import Subject, asked_about, invented, labeled, subjects_of

if TYPE_CHECKING:  # only running pods take part in a rollout, most questions are about pods
    from sidecarctl.engine.inputs.pods import PodInputs
    from sidecarctl.engine.rollout.statuses import SetStatus
    from sidecarctl.features.explain.native_sidecars import NativeAnswer
    from sidecarctl.features.explain.pod_history import Tallies, UpdateTally

_LARGE = 1024 * 1024
"""From this many bytes on, a file is a dump, not the manifest of a few workloads."""
_PODS_IN_MEMORY = 500


class PodFacts(NamedTuple):
    """The explanations of pods, maybe very many, and the gates in force; `unfolded`: show every SidecarSet."""

    pods: Spool[PodExplanation]
    gates: frozenset[str]
    unfolded: bool = False


class Group(NamedTuple):
    """Pods for which a SidecarSet has the same outcome; `example` is the first of them, `whys` count the pods."""

    outcome: str
    example: SetExplanation
    pods: list[ObjectReference]
    whys: Counter[str]


class SetFacts(NamedTuple):
    """A SidecarSet over all pods, grouped, first the pods that it is injected into; its rollout if any pod runs.

    `updates`: which pods it updated in place, and what restarted. `native`: which sidecars are or could be native.
    """

    name: str
    groups: Sequence[Group]
    rollout: RolloutSummary | None
    gates: frozenset[str]
    updates: "Sequence[UpdateTally]" = ()
    native: "Sequence[NativeAnswer]" = ()


class Question(NamedTuple):
    """The question; `options` hold the SidecarSets that may answer.

    - `names`: of what may be pods or SidecarSets; `pods` and `sidecarsets` are known to be that.
    - `labels`: of a pod that does not exist, or added to those of a workload that is named; None for the inputs'.
    - `unfolded`: show every SidecarSet, also the many that do not apply for one reason.
    - `field`: only whose this field of a pod is.
    - `kubernetes`: the release of Kubernetes, empty if it is not known.
    """

    options: InjectionOptions
    names: Sequence[str] = ()
    pods: Sequence[str] = ()
    sidecarsets: Sequence[str] = ()
    labels: Mapping[str, str] | None = None
    unfolded: bool = False
    field: str = ""
    kubernetes: str = ""


def explain(sources: Sources[Input], how: Reading, question: Question) -> Report[Any]:
    """The answer, of kind `explain` or `explain-set`.

    InputError if something cannot be read, or there is no SidecarSet; UsageError for a name that nothing has.
    """
    read = _Inputs(sources, how.of_cluster(sources.live.release))
    world = read.world()
    refuse_no_sidecarset(world.sidecarsets, sources, how)
    context = injection_context(world, question.options)
    about = asked_about(question.names, question.pods, question.sidecarsets, context.rules)
    only = [about.sidecarset] if about.sidecarset else question.options.only
    explainer = Explainer(world, context, read.statuses(only, question.options.feature_gates))
    passed: dict[str, ObjectReference] = {}
    unknown = UnknownTemplates()
    remarks: list[Finding] = []
    again = partial(objects_with_pods, sources, how, UnknownTemplates())
    if question.labels is None or about.pods:
        found = about.named(objects_with_pods(sources, how, unknown), passed)
        subjects = subjects_of(found, how.namespace, how.workloads, again, remarks)
    else:
        subjects = iter([invented(how.namespace, question.labels)])
    chosen = about.chosen(subjects, passed)
    report: Report[Any]
    if question.labels and about.pods:
        chosen = map(partial(labeled, labels=question.labels), chosen)
    try:
        if question.field:
            templates = subjects_of(again(), how.namespace, how.workloads)
            report = _origins_explained(explainer, chosen, question.field, templates)
        elif about.sidecarset and not about.pods and question.labels is None:
            report = _sidecarset_explained(explainer, chosen, about.sidecarset, question.kubernetes)
        else:
            unfolded = question.unfolded or bool(question.options.only)
            report = _pods_explained(explainer, chosen, about.sidecarset, unfolded=unfolded)
    except UsageError as fault:  # the named object may be of a kind whose pods are not known
        raise UsageError(*fault.findings, *remarks, *unknown.notes()) from None
    return of_cluster(report._replace(findings=[*report.findings, *remarks, *unknown.notes()]), sources.live)


class _Inputs:
    """The inputs of an explanation: a large dump is read item by item, and only as often as it must be."""

    def __init__(self, sources: Sources[Input], how: Reading) -> None:
        self._sources = sources
        self._how = how
        self._read: PodInputs | None = None

    def world(self) -> World:
        """What decides, without the pods of small files."""
        if self._sources.live.inputs or any(source.path.stat().st_size >= _LARGE for source in self._sources.paths):
            self._read = self._inputs()
            return self._read.world
        return read_world(self._sources, self._how)

    def statuses(self, only: Sequence[str], gates: frozenset[str]) -> "Callable[[], Sequence[SetStatus]]":
        """The status of the requested SidecarSets, computed for the first running pod.

        Of a dump at once: then nothing of it is held yet, and it has to be read again.
        """
        known: list[Sequence[SetStatus]] = []
        if self._read and any("status" in pod for pod in self._read.pods):
            known.append(self._status(only, gates))

        def statuses() -> "Sequence[SetStatus]":
            if not known:
                known.append(self._status(only, gates))
            return known[0]

        return statuses

    def _inputs(self) -> "PodInputs":
        """Everything in the inputs, pods trimmed; what was read is given away once, to be forgotten then."""
        if self._read is None:
            from sidecarctl.engine.inputs.pods import read_inputs

            return read_inputs(self._sources, self._how, keeps_templates=False).whole()
        read, self._read = self._read, None
        return read

    def _status(self, only: Sequence[str], gates: frozenset[str]) -> "Sequence[SetStatus]":
        from sidecarctl.engine.rollout.pod_budgets import protection_of
        from sidecarctl.features.status.status import status_with_blocking_fields

        read = self._inputs()
        sets = status_with_blocking_fields(read, self._sources, self._how, only, gates).facts.sets
        protection = protection_of(gates, read.world.release, read)
        return with_stalls(sets, read.world, read.pods, protection)


def _pods_explained(
    explainer: Explainer,
    subjects: Iterable[Subject],
    sidecarset: str = "",
    *,
    unfolded: bool = False,
) -> Report[PodFacts]:
    """The explanations of the pods, at all SidecarSets or only at one."""
    every = map(explainer.explained, subjects)
    pods = (pod._replace(sets=[_of(pod, sidecarset)]) for pod in every) if sidecarset else every
    facts = PodFacts(spooled(pods, _PODS_IN_MEMORY), explainer.context.options.feature_gates, unfolded)
    return Report("explain", facts, _warnings(explainer), release=explainer.world.release)


def _origins_explained(
    explainer: Explainer, subjects: Iterable[Subject], field: str, templates: Iterable[Subject]
) -> Report[PodFacts]:
    """The origin of a field of the pods; UsageError if it is not a path to a field."""
    from sidecarctl.features.explain.field_origins import FieldOrigins  # few runs ask

    asked = FieldOrigins(field, explainer.context, explainer.world, templates)
    pods = (explainer.explained(subject)._replace(origin=asked.of(subject)) for subject in subjects)
    facts = PodFacts(spooled(pods, _PODS_IN_MEMORY), explainer.context.options.feature_gates)
    return Report("explain", facts, _warnings(explainer), release=explainer.world.release)


def _sidecarset_explained(
    explainer: Explainer, subjects: Iterable[Subject], name: str, kubernetes: str
) -> Report[SetFacts]:
    """Which pods a SidecarSet applies to and which not, grouped by reason and state."""
    from sidecarctl.features.explain.native_sidecars import native_answers  # most runs ask about pods

    groups: dict[GroupOutcome, Group] = {}
    runs, tallies = False, None
    for subject in subjects:  # one pod after another: a dump may hold more of them than memory
        (outcome, why), runs = explainer.outcome(subject, name), runs or subject.is_running
        if outcome not in groups:
            groups[outcome] = Group(outcome.name, _of(explainer.explained(subject), name), [], Counter())
        groups[outcome].pods.append(subject.reference)
        groups[outcome].whys[why] += 1
        if name in subject.recorded:
            tallies = _tallied(tallies, subject, name)
    found = list(groups.values())
    found.sort(key=lambda group: group.outcome != Reason.INJECTED)
    rollout = explainer.rollout_summary(name) if runs else None
    world, gates = explainer.world, explainer.context.options.feature_gates
    native = list(native_answers(world.by_name[name], world._replace(gates=gates), kubernetes))
    facts = SetFacts(name, found, rollout, gates, tallies.found if tallies else (), native)
    return Report("explain-set", facts, _warnings(explainer), release=explainer.world.release)


def _tallied(tallies: "Tallies | None", subject: Subject, name: str) -> "Tallies":
    from sidecarctl.features.explain.pod_history import Tallies, history_of  # only running pods have a history

    tallies = tallies or Tallies(name)
    tallies.add(history_of(subject.pod))
    return tallies


def _warnings(explainer: Explainer) -> Sequence[Finding]:
    return warnings_of(explainer.world, explainer.context.options.feature_gates)


def _of(pod: PodExplanation, name: str) -> SetExplanation:
    return next(item for item in pod.sets if item.name == name)


def reasons_explained() -> Report[Mapping[str, str]]:
    """Every reason code with its sentence."""
    return Report("reasons", {str(reason): reason.sentence for reason in Reason})
