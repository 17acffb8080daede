"""The status of sets over pods as they are: the counts that Kruise would write, and where each pod stands.

Source: docs/behaviour/rollout.md, "One round", step 0.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object
from sidecarctl.inputs.world import World
from sidecarctl.operations.sidecarset_warnings import namespace_remarks
from sidecarctl.rollout.blocked import FieldDifference
from sidecarctl.rollout.membership import LeftOut, membership_of
from sidecarctl.rollout.pods import PodName, SimulatedPod
from sidecarctl.rollout.predicates import half_done, is_running_and_ready, is_upgradable, working_half
from sidecarctl.rollout.set_rollout import SetRollout
from sidecarctl.rollout.standing import Place, StatusCounts, number_holding_budget
from sidecarctl.rollout.targets import Target, target_of
from sidecarctl.rollout.waiting import Member
from sidecarctl.rollout.window import Window
from sidecarctl.sidecarset.conversion import CUSTOM_VERSION_LABEL
from sidecarctl.sidecarset.pod_annotations import HashEntry
from sidecarctl.sidecarset.revision_history import History, register
from sidecarctl.sidecarset.revisions import custom_version_of
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.tasks.pod_states import PodState, States


class PodStatus(NamedTuple):
    """A pod of a set's rollout.

    `revision`, `custom_version` and `hash` are those that it records, empty for what it does not or is not known.
    `ready` is the pod's own readiness; `available` that it counts among readyPods. `working` names the working half
    of each hot container. `blocked_by` are the fields that keep a pod from being `upgradable`, where they are known.
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


class SetStatus(NamedTuple):
    """A set, the status that Kruise would write, the one that the manifest holds, and its pods in pod order.

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
        """The set itself."""
        return self.target.sidecar_set

    @property
    def blocked(self) -> frozenset[PodName]:
        """The pods that cannot be brought to the present version in place."""
        return frozenset(pod.pod for pod in self.pods if not (pod.updated or pod.upgradable))


class StatusReport(NamedTuple):
    """The sets whose status can be told, and what there is to say; errors are of sets that have none."""

    sets: Sequence[SetStatus]
    findings: Sequence[Finding]


def status_of(world: World, pods: Iterable[Object], only: Sequence[str] = ()) -> StatusReport:
    """The status of the sets of a world (all, or only some), over pods that have passed `decoding.check`."""
    read = [SimulatedPod(index, manifest) for index, manifest in enumerate(pods)]
    sets: list[SetStatus] = []
    findings: list[Finding] = []
    for sidecarset in world.sidecarsets:
        if only and sidecarset.name not in only:
            continue
        try:
            one, remarks = _set_status(world, sidecarset, read)
        except SidecarctlError as fault:
            findings += world.sources[sidecarset.name].findings(fault.findings)
        else:
            sets.append(one)
            findings += remarks
    return StatusReport(sets, findings)


def with_blocking_fields(
    report: StatusReport, fields: Mapping[str, Mapping[PodName, Sequence[FieldDifference]]]
) -> StatusReport:
    """The report with the fields that block pods, for each set by name (`blocked_pods.blocking_fields`)."""
    sets = [
        one._replace(pods=[_blocked_by(pod, fields.get(one.sidecarset.name, {})) for pod in one.pods])
        for one in report.sets
    ]
    return report._replace(sets=sets)


def _blocked_by(pod: PodStatus, fields: Mapping[PodName, Sequence[FieldDifference]]) -> PodStatus:
    return pod._replace(blocked_by=fields[pod.pod]) if pod.pod in fields else pod


def _set_status(
    world: World, sidecarset: SidecarSet, pods: Sequence[SimulatedPod]
) -> tuple[SetStatus, list[Finding]]:
    source = world.sources[sidecarset.name]
    history = register(sidecarset, world.revisions)
    target = target_of(sidecarset, history.latest)
    rollout = SetRollout(target, membership_of(target, pods, world.namespaces))
    versions = {one.name: one.labels.get(CUSTOM_VERSION_LABEL, "") for one in history.revisions}
    states = States(rollout)
    counts = rollout.status()
    status = SetStatus(
        target=target,
        custom_version=custom_version_of(sidecarset),
        counts=counts,
        status=_written(sidecarset, counts, history),
        recorded=source.manifest.get("status") or {},
        window=rollout.window,
        unavailable=number_holding_budget(rollout.roster.tally),
        pods=[_pod_status(target, member, states, versions) for member in rollout.roster.members],
        left_out=rollout.left_out,
    )
    found = [*rollout.remarks, *namespace_remarks(sidecarset, world, (pod.name.namespace for pod in pods))]
    remarks = [one if one.subject else source.findings([one])[0] for one in found]
    return status, remarks


def _written(sidecarset: SidecarSet, counts: StatusCounts, history: History) -> Object:
    """The status object that Kruise would write; what is 0 or empty is left out as the API does."""
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
    pod, standing = member.pod, member.standing
    recorded = pod.hashes.entries.get(target.name) or HashEntry()
    state, why = states.of(member)
    updated = standing.place is Place.UPDATED
    return PodStatus(
        pod=pod.name,
        state=state,
        why=why,
        revision=recorded.controller_revision,
        custom_version=versions.get(recorded.controller_revision, ""),
        hash=pod.hashes.recorded(target.name),
        updated=updated,
        ready=is_running_and_ready(pod),
        available=standing.available,
        upgradable=is_upgradable(target, pod),
        in_flight=not standing.consistent or bool(half_done(target, pod)),
        working={container.name: working_half(container, pod) for container in target.hot},
    )
