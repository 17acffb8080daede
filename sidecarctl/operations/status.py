"""The status of SidecarSets over the current pods: the counts that Kruise would write, and the state of each pod.

Source: docs/behaviour/rollout.md, "One round", step 0.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object
from sidecarctl.inputs.reading_pods import Inputs
from sidecarctl.inputs.world import World, chosen_sidecarsets
from sidecarctl.operations.checking.release_findings import gate_findings
from sidecarctl.operations.checking.sidecarset_warnings import (
    namespace_warnings,
    sidecarset_warnings,
    world_canary_notes,
)
from sidecarctl.operations.report import Report
from sidecarctl.rollout.order.waiting_pods import Member
from sidecarctl.rollout.pods.membership import LeftOut, membership_of
from sidecarctl.rollout.pods.pod_progress import Eligibility, StatusCounts, number_holding_budget
from sidecarctl.rollout.pods.predicates import half_done, is_running_and_ready, is_upgradable, working_half
from sidecarctl.rollout.pods.simulated_pods import PodName, SimulatedPod
from sidecarctl.rollout.pods.targets import Target, target_of
from sidecarctl.rollout.round.partition_and_max_unavailable import Window
from sidecarctl.rollout.round.rollout_facts import SortKey
from sidecarctl.rollout.round.set_rollout import SetRollout
from sidecarctl.rollout.summary.blocked_fields import FieldDifference
from sidecarctl.rollout.summary.blocked_pods import blocking_fields
from sidecarctl.rollout.summary.pod_states import PodState, States
from sidecarctl.sidecarset.annotations.pod_annotations import HashEntry
from sidecarctl.sidecarset.canaries import canaries_of
from sidecarctl.sidecarset.conversion import CUSTOM_VERSION_LABEL
from sidecarctl.sidecarset.matching import Matcher
from sidecarctl.sidecarset.revisions.controller_revisions import custom_version_of
from sidecarctl.sidecarset.revisions.revision_history import History, register
from sidecarctl.sidecarset.revisions.revision_use import recorded_revisions
from sidecarctl.sidecarset.sets import SidecarSet


class PodStatus(NamedTuple):
    """A pod in the rollout of a SidecarSet.

    `revision`, `custom_version` and `hash` are those that it records, empty if unknown. `ready` is the readiness of
    the pod; `available`: it counts among readyPods. `working` names the working half of each HotUpgrade container.
    `blocked_by` are the fields that keep a pod from being `upgradable`, if known. `place` is its position among the
    pods that can be updated now, from 1, and their number; 0 for other pods. `placed_by`
    is what put it there (`States.placed_by`); `is_next`: the next round changes it.
    """

    pod: PodName
    state: PodState
    why: str
    revision: str
    custom_version: str
    hash: str
    updated: bool
    ready: bool
    available: bool
    upgradable: bool
    in_flight: bool
    working: Mapping[str, str]
    blocked_by: Sequence[FieldDifference] = ()
    place: tuple[int, int] = (0, 0)
    placed_by: tuple[SortKey, SortKey | None] | None = None
    is_next: bool = False


class SetStatus(NamedTuple):
    """A SidecarSet, the status that Kruise would write, the one in the manifest, and its pods in pod order.

    `unavailable` is the number of updated pods that are not consistent or not ready, which maxUnavailable limits.
    """

    target: Target
    custom_version: str
    counts: StatusCounts
    status: Object
    recorded: Object
    window: Window
    unavailable: int
    pods: Sequence[PodStatus]
    left_out: Sequence[LeftOut]

    @property
    def sidecarset(self) -> SidecarSet:
        """The SidecarSet."""
        return self.target.sidecar_set

    @property
    def blocked(self) -> frozenset[PodName]:
        """The pods that cannot be updated to the current version in place."""
        return frozenset(pod.pod for pod in self.pods if not (pod.updated or pod.upgradable))


class Statuses(NamedTuple):
    """The SidecarSets whose status can be computed, and findings about the others."""

    sets: Sequence[SetStatus]
    findings: Sequence[Finding]


class StatusFacts(NamedTuple):
    """The status of each SidecarSet, and the feature gates in force."""

    sets: Sequence[SetStatus]
    gates: frozenset[str]


def status_report(
    inputs: Inputs,
    whole_pods: Callable[[], Iterable[Object]],
    only: Sequence[str],
    namespace: str,
    gates: frozenset[str],
) -> Report[StatusFacts]:
    """The status of the SidecarSets over the pods of the inputs; UsageError for an unknown name.

    `whole_pods` reads the untrimmed manifests of all pods again, for the few that are blocked.
    """
    chosen = [sidecarset.name for sidecarset in chosen_sidecarsets(inputs.world, only)]
    statuses = statuses_of(inputs.world, inputs.pods, chosen)
    sets = with_blocking_fields(statuses.sets, whole_pods, namespace, gates)
    findings = [*sidecarset_warnings(inputs.world), *gate_findings(inputs.world, gates)]
    findings += [*world_canary_notes(inputs.world), *statuses.findings]
    return Report("status", StatusFacts(sets, gates), findings, release=inputs.world.release)


def statuses_of(world: World, pods: Iterable[Object], only: Collection[str]) -> Statuses:
    """The status of some SidecarSets of a world over pods; the pods have passed `decoding.check`."""
    manifests = list(pods)
    read = [SimulatedPod(index, manifest) for index, manifest in enumerate(manifests)]
    sets: list[SetStatus] = []
    findings: list[Finding] = []
    for sidecarset in world.sidecarsets:
        if sidecarset.name not in only:
            continue
        try:
            history = _history(world, sidecarset, manifests)
            item, remarks = _set_status(world, sidecarset, history, read)
        except SidecarctlError as fault:
            findings += world.sources[sidecarset.name].findings(fault.findings)
        else:
            sets.append(item)
            findings += remarks
    return Statuses(sets, findings)


def with_blocking_fields(
    sets: Sequence[SetStatus], whole_pods: Callable[[], Iterable[Object]], namespace: str, gates: frozenset[str]
) -> Sequence[SetStatus]:
    """The same with the fields that block pods; only these pods are read again from `whole_pods`."""
    wanted = [(item.target, item.blocked) for item in sets if item.blocked]
    if not wanted:
        return sets
    fields = blocking_fields(wanted, whole_pods(), namespace, gates)
    return [
        item._replace(pods=[_blocked_by(pod, fields.get(item.sidecarset.name, {})) for pod in item.pods])
        for item in sets
    ]


def _blocked_by(pod: PodStatus, fields: Mapping[PodName, Sequence[FieldDifference]]) -> PodStatus:
    return pod._replace(blocked_by=fields[pod.pod]) if pod.pod in fields else pod


def _history(world: World, sidecarset: SidecarSet, pods: Iterable[Object]) -> History:
    recorded = recorded_revisions(sidecarset, Matcher(sidecarset, world.namespaces), pods)
    return register(sidecarset, world.revisions, recorded)


def _versions(world: World, history: History) -> dict[str, str]:
    """The custom version of each known revision, whether or not Kruise will keep it."""
    revisions = [*world.revisions, *history.revisions]
    return {revision.name: revision.labels.get(CUSTOM_VERSION_LABEL, "") for revision in revisions}


def _set_status(
    world: World, sidecarset: SidecarSet, history: History, pods: Sequence[SimulatedPod]
) -> tuple[SetStatus, list[Finding]]:
    source = world.sources[sidecarset.name]
    target = target_of(sidecarset, history.latest, canaries=canaries_of(sidecarset.name, world.sidecarsets))
    rollout = SetRollout(target, membership_of(target, pods, world.namespaces))
    versions = _versions(world, history)
    states = States(rollout)
    counts = rollout.status()
    status = SetStatus(
        target=target,
        custom_version=custom_version_of(sidecarset),
        counts=counts,
        status=_written(sidecarset, counts, history),
        recorded=source.manifest.get("status") or {},
        window=rollout.window,
        unavailable=number_holding_budget(rollout.pods.tally),
        pods=[_pod_status(target, member, states, versions) for member in rollout.pods.members],
        left_out=rollout.left_out,
    )
    found = [*rollout.remarks, *namespace_warnings(sidecarset, world, (pod.name.namespace for pod in pods))]
    remarks = [item if item.subject else source.findings([item])[0] for item in found]
    return status, remarks


def _written(sidecarset: SidecarSet, counts: StatusCounts, history: History) -> Object:
    """The status object that Kruise would write; like the API, it omits what is 0 or empty."""
    status: Object = {
        "observedGeneration": sidecarset.metadata.get("generation"),
        "matchedPods": counts.matched,
        "updatedPods": counts.updated,
        "readyPods": counts.ready,
        "updatedReadyPods": counts.updated_ready or None,
        "latestRevision": history.latest,
        "collisionCount": history.collision_count or None,
    }
    return {key: value for key, value in status.items() if value is not None}


def _pod_status(target: Target, member: Member, states: States, versions: Mapping[str, str]) -> PodStatus:
    pod, progress = member.pod, member.progress
    recorded = pod.hashes.entries.get(target.name) or HashEntry()
    state, why = states.of(member)
    updated = progress.eligibility is Eligibility.UPDATED
    return PodStatus(
        pod=pod.name,
        state=state,
        why=why,
        revision=recorded.controller_revision,
        custom_version=versions.get(recorded.controller_revision, ""),
        hash=pod.hashes.recorded(target.name),
        updated=updated,
        ready=is_running_and_ready(pod),
        available=progress.available,
        upgradable=is_upgradable(target, pod),
        in_flight=not progress.consistent or bool(half_done(target, pod)),
        working={container.name: working_half(container, pod) for container in target.hot},
        place=states.place(member),
        placed_by=states.placed_by(member),
        is_next=states.is_next(member),
    )
