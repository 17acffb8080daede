"""The status of SidecarSets over the pods of files or of a cluster, as a report."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from sys import intern
from typing import NamedTuple

from sidecarctl.engine.comparing.outdated import new_pod_version, outdated_pods
from sidecarctl.engine.comparing.tolerance import Tolerance
from sidecarctl.engine.facts.findings import Finding, ObjectReference, Severity, error, named
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.injection.webhook_steps import top_workload
from sidecarctl.engine.inputs.events import About, Event, by_object
from sidecarctl.engine.inputs.opening import Sources
from sidecarctl.engine.inputs.pods import PodInputs, read_inputs, whole_pods
from sidecarctl.engine.inputs.reading import Reading, refuse_no_sidecarset
from sidecarctl.engine.report import Report, of_cluster
from sidecarctl.engine.rollout.pod_budgets import budget_notes
from sidecarctl.engine.rollout.simulated_pods import PodName, SimulatedPod
from sidecarctl.engine.rollout.statuses import (
    PodStatus,
    SetStatus,
    chosen_statuses,
    simulated_pods,
    with_blocking_fields,
)
from sidecarctl.engine.rollout.summary.pod_states import MOVING, PodState
from sidecarctl.engine.rollout.summary.sentences import doubt
from sidecarctl.engine.rollout.summary.together import shared_pods
from sidecarctl.engine.validation.warnings import warnings_of


class StatusFacts(NamedTuple):
    """The status of each SidecarSet, the feature gates in force, and the workload of each pod that has one."""

    sets: Sequence[SetStatus]
    gates: frozenset[str]
    workloads: Mapping[PodName, str] = {}

    @property
    def shared(self) -> dict[tuple[str, ...], list[PodName]]:
        """The pods that several SidecarSets are updating, by these."""
        moving = [item for item in self.sets if any(pod.state in MOVING for pod in item.pods)]
        return shared_pods({item.sidecarset.name: [pod.pod for pod in item.pods] for item in moving})

    @property
    def unavailable(self) -> frozenset[PodName]:
        """The pods that are unavailable to any SidecarSet."""
        return frozenset(pod.pod for item in self.sets for pod in item.pods if not pod.available)


class StatusRequest(NamedTuple):
    """The request: the report objects to pods in one of the states `fails`.

    With `image`, a pattern with wildcards, only of pods that run such an image. `ignore`: fields that may differ.
    """

    fails: Collection[PodState | Reason] = ()
    image: str = ""
    ignore: Sequence[str] = ()


_ALL = StatusRequest()


def status(
    sources: Sources[Input],
    how: Reading,
    only: Sequence[str],
    gates: frozenset[str],
    request: StatusRequest = _ALL,
) -> Report[StatusFacts]:
    """The status of the SidecarSets in files and a cluster.

    InputError if something cannot be read, or there is no SidecarSet; UsageError for an unknown name.
    """
    how = how.of_cluster(sources.live.release)
    read = read_inputs(sources, how, keeps_templates=False, keeps_containers=True).whole()
    refuse_no_sidecarset(read.world.sidecarsets, sources, how)
    report = _with_outdated(status_with_blocking_fields(read, sources, how, only, gates), read, request.ignore)
    report = _running_image(report, read.pods, request.image) if request.image else report
    return _objecting(of_cluster(report, sources.live), request.fails)


def _with_outdated(report: Report[StatusFacts], read: PodInputs, ignore: Sequence[str]) -> Report[StatusFacts]:
    """The report with the number of pods that differ from a pod created now; the pods have whole containers."""
    pods = {pod.name: pod for pod in simulated_pods(read.pods)}
    gates, tolerance = report.facts.gates, Tolerance(ignore)
    sets = []
    for item in report.facts.sets:
        latest, live = item.status["latestRevision"], read.live.sidecarsets
        version = new_pod_version(item.sidecarset, latest, read.world, live, gates)
        unrecorded = (each.pod for each in item.left_out if each.reason is Reason.NOTHING_RECORDED)
        compared = (pods[name] for name in (*(each.pod for each in item.pods), *unrecorded))
        found = outdated_pods(item.sidecarset, compared, version, tolerance)
        sets.append(item._replace(outdated=sum(1 for _ in found)))
    return report._replace(facts=report.facts._replace(sets=sets))


def _running_image(report: Report[StatusFacts], pods: Iterable[Object], pattern: str) -> Report[StatusFacts]:
    """The report about pods with an image that matches a pattern; a note about others that run one."""
    found = {pod.name: images for pod in simulated_pods(pods) if (images := _images_like(pod, pattern))}
    sets = [
        item._replace(
            pods=[pod._replace(images=found[pod.pod]) for pod in item.pods if pod.pod in found],
            left_out=[pod for pod in item.left_out if pod.pod in found],
        )
        for item in report.facts.sets
    ]
    shown = {pod.pod for item in sets for pod in item.pods} | {pod.pod for item in sets for pod in item.left_out}
    others = [str(name) for name in found if name not in shown]
    said = f"an image like {pattern} runs in {len(found):,} pod{'s' * (len(found) != 1)}"
    said += f", also of no SidecarSet here: {named(others, _NAMED)}" if others else ""
    findings = [*report.findings, Finding(Severity.NOTE, Reason.IMAGE_RUNS, said)]
    return report._replace(facts=report.facts._replace(sets=sets), findings=findings)


def _images_like(pod: SimulatedPod, pattern: str) -> Mapping[str, str]:
    every = {**pod.init_images, **pod.images}
    return {name: image for name, image in every.items() if fnmatchcase(image, pattern)}


def status_with_blocking_fields(
    read: PodInputs, sources: Sources[Input], how: Reading, only: Sequence[str], gates: frozenset[str]
) -> Report[StatusFacts]:
    """The status over what was read; if pods are blocked, whole pods are read again to see their fields."""
    report, revisions = _status_report(read, only, gates), read.world.revisions
    sets = with_blocking_fields(report.facts.sets, partial(whole_pods, sources, how), how.namespace, gates, revisions)
    return report._replace(facts=report.facts._replace(sets=sets))


def _status_report(inputs: PodInputs, only: Sequence[str], gates: frozenset[str]) -> Report[StatusFacts]:
    """The status of the SidecarSets over the pods of the inputs; UsageError for an unknown name.

    Only whole pods show which fields block them: use `with_blocking_fields`.
    """
    sets, found = chosen_statuses(inputs, simulated_pods(inputs.pods), only, gates)
    findings = [*warnings_of(inputs.world, gates), *found, *budget_notes(gates, inputs)]
    sets = _with_events(sets, inputs.events) if inputs.events else sets
    facts = StatusFacts(sets, gates, dict(_workloads(inputs.pods)))
    if inputs.world.budgets or inputs.disruption_budgets:
        from sidecarctl.features.status.touching_budgets import with_budgets  # few runs have budgets

        facts = with_budgets(facts, inputs)
    return Report("status", facts, findings, release=inputs.world.release)


def _workloads(pods: Iterable[Object]) -> Iterator[tuple[PodName, str]]:
    """The workload of each pod that has one, such as `Deployment shop/web`."""
    for pod in pods:
        metadata = pod["metadata"]
        workload = top_workload(pod, metadata["labels"])
        if workload.kind:
            name = PodName(metadata["namespace"], metadata["name"])
            yield name, intern(f"{workload.kind} {name.namespace}/{workload.name}")


def _with_events(sets: Iterable[SetStatus], events: Iterable[Event]) -> list[SetStatus]:
    found = by_object(events)

    def of_pod(pod: PodStatus) -> PodStatus:
        return pod if pod.ready else pod._replace(events=found.get(About("Pod", *pod.pod), ()))

    return [
        item._replace(
            pods=[*map(of_pod, item.pods)], events=found.get(About("SidecarSet", "", item.sidecarset.name), ())
        )
        for item in sets
    ]


def _objecting(report: Report[StatusFacts], fails: Collection[PodState | Reason]) -> Report[StatusFacts]:
    """The report, which objects to pods in one of these states."""
    found = [item for status in report.facts.sets for item in _in_states(status, fails)]
    found += [error(Reason.NAMESPACE_UNKNOWN, doubt(item.doubtful)) for item in report.facts.sets if item.doubtful]
    return report._replace(is_objection=bool(found), objections=found)


def _in_states(status: SetStatus, fails: Collection[PodState | Reason]) -> Iterator[Finding]:
    """An error for each such pod."""
    for pod in status.pods:
        if pod.state in fails:
            why = f"{pod.state}: {pod.why}" if pod.why else str(pod.state)
            yield _about(pod.pod, status, error(Reason.POD_NOT_UPDATED, why))
    for left_out in status.left_out:
        if left_out.reason in fails:
            yield _about(left_out.pod, status, error(left_out.reason, left_out.message))


def _about(pod: PodName, status: SetStatus, finding: Finding) -> Finding:
    subject = ObjectReference("v1", "Pod", pod.namespace, pod.name)
    return finding._replace(message=f"SidecarSet {status.sidecarset.name}: {finding.message}", subject=subject)


_NAMED = 5
