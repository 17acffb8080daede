"""The status of SidecarSets over the current pods: the counts that Kruise would write, and the state of each pod.

Source: docs/behavior/rollout.md, "One round", step 0.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, natural
from sidecarctl.engine.inputs.events import Event
from sidecarctl.engine.inputs.pods import PodInputs
from sidecarctl.engine.rollout.absent_sidecars import why_absent
from sidecarctl.engine.rollout.facts import SortKey, Window
from sidecarctl.engine.rollout.flipped_defaults import flipped_in_pods
from sidecarctl.engine.rollout.pod_budgets import Protection, protection_of
from sidecarctl.engine.rollout.predicates import (
    Eligibility,
    StatusCounts,
    half_done,
    idle_half,
    is_running_and_ready,
    is_updating,
    is_upgradable,
    number_holding_budget,
    working_half,
)
from sidecarctl.engine.rollout.recreation import Recreation
from sidecarctl.engine.rollout.round.set_rollout import SetRollout
from sidecarctl.engine.rollout.round.update_order import OrderedPod
from sidecarctl.engine.rollout.simulated_pods import PodName, SimulatedPod, upgradable_sets
from sidecarctl.engine.rollout.summary.pod_states import HELD_BACK, SAME_IMAGE, PodState, States
from sidecarctl.engine.rollout.summary.sidecar_comparison import FieldDifference, WholePods, blocking_fields
from sidecarctl.engine.rollout.targets import LeftOut, Target, membership_of, target_of
from sidecarctl.engine.sidecarset.conversion import CUSTOM_VERSION_LABEL
from sidecarctl.engine.sidecarset.held_back import new_pods_sentence
from sidecarctl.engine.sidecarset.pod_annotations import HashEntry
from sidecarctl.engine.sidecarset.revisions.controller_revisions import Revision, custom_version_of
from sidecarctl.engine.sidecarset.revisions.revision_history import History, recorded_revisions, register
from sidecarctl.engine.sidecarset.sets import Matcher, SidecarSet, canaries_of
from sidecarctl.engine.sidecarset.unknown_namespaces import namespace_warnings
from sidecarctl.engine.sidecarset.world import World, chosen_sidecarsets

if TYPE_CHECKING:  # few runs have budgets
    from sidecarctl.engine.rollout.budgets import Budgets


class PodStatus(NamedTuple):
    """A pod in the rollout of a SidecarSet.

    `revision`, `custom_version` and `hash` are those that it records, empty if unknown. `ready` is the readiness of
    the pod; `available`: it counts among readyPods. `working` names the working half of each HotUpgrade container.
    `blocked_by` are the fields that keep a pod from being `upgradable`, if known. `place` is its position among the
    pods that can be updated now, from 1, and their number; 0 for other pods. `placed_by`
    is what put it there (`States.placed_by`); `is_next`: the next round changes it; `also`: what else holds it back.
    `images` are those of its containers that were asked for (`_running_image`). `events`: of a pod that is not ready,
    what the cluster warned of, the last first. `condition`: what the pod's SidecarSetUpgradable says of the set.
    `recreation`: what recreating it brings, if it cannot be updated in place (`Target.recreation`). `waits_for`: the
    containers that must be ready before an idle half of it is emptied.
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
    also: tuple[PodState, ...] = ()
    images: Mapping[str, str] = {}
    events: Sequence[Event] = ()
    condition: bool | None = None
    recreation: str = ""
    waits_for: tuple[str, ...] = ()

    @property
    def is_mirror(self) -> bool:
        """Whether it mirrors a static pod, which never runs what is injected."""
        return self.state is PodState.STATIC_POD


class TouchingBudget(NamedTuple):
    """A budget that covers pods of a SidecarSet: how many, its limit as written, and what it means for updates.

    `asked`: Kruise asks it before an update.
    """

    kind: str
    namespace: str
    name: str
    limit: str
    asked: bool
    why: str
    pods: int = 0


class SetStatus(NamedTuple):
    """A SidecarSet, the status that Kruise would write, the one in the manifest, and its pods in pod order.

    `unavailable` is the number of updated pods that are not consistent or not ready, which maxUnavailable limits.
    `stalls`: the pods that will never be updated, if asked for (`rollout_states.with_stalls`). `events` are about it.
    `budgets`: those that cover its pods. `outdated`: the number of pods of the current hash that differ from a pod
    created now. `doubtful`: other pods that may be its pods (`RolloutOutcome`).
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
    stalls: frozenset[PodName] = frozenset()
    events: Sequence[Event] = ()
    budgets: Sequence[TouchingBudget] = ()
    outdated: int = 0
    doubtful: Sequence[PodName] = ()

    @property
    def sidecarset(self) -> SidecarSet:
        """The SidecarSet."""
        return self.target.sidecar_set

    @property
    def new_pods(self) -> str:
        """What new pods get while running ones are held back, as a sentence; empty if none is."""
        if not any(pod.state in HELD_BACK for pod in self.pods):
            return ""
        return new_pods_sentence(self.sidecarset.spec, self.status["latestRevision"])

    @property
    def blocked(self) -> frozenset[PodName]:
        """The pods that cannot be updated to the current version in place."""
        return frozenset(pod.pod for pod in self.pods if not (pod.updated or pod.upgradable))


def simulated_pods(pods: Iterable[Object]) -> list[SimulatedPod]:
    """The pods as a rollout sees them, with their positions; they have passed `decoding.check`."""
    return [SimulatedPod(index, manifest) for index, manifest in enumerate(pods)]


def chosen_statuses(
    inputs: PodInputs, pods: Sequence[SimulatedPod], only: Sequence[str], gates: frozenset[str]
) -> tuple[Sequence[SetStatus], list[Finding]]:
    """The status of the SidecarSets of these names, all for none; UsageError for an unknown name."""
    chosen = [sidecarset.name for sidecarset in chosen_sidecarsets(inputs.world, only)]
    return statuses_of(inputs.world, pods, chosen, protection_of(gates, inputs.world.release, inputs), gates)


def statuses_of(
    world: World,
    read: Sequence[SimulatedPod],
    only: Collection[str],
    protection: Protection | None = None,
    gates: frozenset[str] = frozenset(),
) -> tuple[list[SetStatus], list[Finding]]:
    """The status of some SidecarSets of a world over pods, and findings, also about those without a status."""
    budgets = protection(read) if protection else None
    if budgets:
        budgets.reconcile(0)
    recreation = Recreation(world, gates)
    sets: list[SetStatus] = []
    findings: list[Finding] = []
    for sidecarset in world.sidecarsets:
        if sidecarset.name not in only:
            continue
        try:
            history = _history(world, sidecarset, [pod.manifest for pod in read])
            item, remarks = _set_status(world, sidecarset, history, read, budgets, recreation)
        except SidecarctlError as fault:
            findings += world.sources[sidecarset.name].findings(fault.findings)
        else:
            sets.append(item)
            findings += remarks
    return sorted(sets, key=lambda status: natural(status.sidecarset.name)), findings


def with_blocking_fields(
    sets: Sequence[SetStatus],
    whole: WholePods,
    namespace: str,
    gates: frozenset[str],
    revisions: Collection[Revision],
) -> Sequence[SetStatus]:
    """The statuses with the fields that block pods."""
    fields = blocking_fields([(item.target, item.blocked) for item in sets], whole, namespace, gates, revisions)
    return [
        item._replace(pods=[pod._replace(blocked_by=own[pod.pod]) if pod.pod in own else pod for pod in item.pods])
        if (own := fields[item.sidecarset.name])
        else item
        for item in sets
    ]


def flipped_defaults(
    sets: Iterable[SetStatus], pods: Mapping[PodName, SimulatedPod], world: World
) -> Iterator[Finding]:
    """A warning for each pull policy whose default the pods do not have; the statuses have what blocks pods."""
    for item in sets:
        source = world.sources[item.sidecarset.name]
        blocked = [(pods[pod.pod].manifest, pod.blocked_by) for pod in item.pods if pod.blocked_by]
        yield from source.findings(flipped_in_pods(source.manifest, item.sidecarset.manifest, blocked))


def _history(world: World, sidecarset: SidecarSet, pods: Iterable[Object]) -> History:
    recorded = recorded_revisions(sidecarset, Matcher(sidecarset, world.namespaces), pods)
    return register(sidecarset, world.revisions, recorded)


def _versions(world: World, history: History) -> dict[str, str]:
    """The custom version of each known revision, whether or not Kruise will keep it."""
    revisions = [*world.revisions, *history.revisions]
    return {revision.name: revision.labels.get(CUSTOM_VERSION_LABEL, "") for revision in revisions}


def _set_status(
    world: World,
    sidecarset: SidecarSet,
    history: History,
    pods: Sequence[SimulatedPod],
    budgets: "Budgets | None",
    recreation: Recreation,
) -> tuple[SetStatus, list[Finding]]:
    source = world.sources[sidecarset.name]
    target = target_of(sidecarset, history.latest, canaries=canaries_of(sidecarset.name, world.sidecarsets))
    name = sidecarset.name
    target = target._replace(
        why_absent=why_absent(sidecarset, world, recreation.of(name)), recreation=recreation.of(name)
    )
    rollout = SetRollout(target, membership_of(target, pods, world.namespaces))
    versions = _versions(world, history)
    states = States(rollout, budgets)
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
        doubtful=rollout.doubtful,
    )
    found = [*rollout.remarks, *namespace_warnings(sidecarset, world, {pod.namespace for pod in rollout.doubtful})]
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


def _pod_status(target: Target, member: OrderedPod, states: States, versions: Mapping[str, str]) -> PodStatus:
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
        in_flight=is_updating(target, pod, consistent=progress.consistent) or bool(half_done(target, pod)),
        working={container.name: working_half(container, pod) for container in target.hot},
        place=states.place(member),
        placed_by=states.placed_by(member),
        is_next=states.is_next(member),
        also=states.also(member),
        condition=_condition(pod, target.name),
        recreation=target.recreation(pod) if _needs_another(state, why, states.also(member)) else "",
        waits_for=_unready_working(target, pod) if state is PodState.RESETTING else (),
    )


def _needs_another(state: PodState, why: str, also: Sequence[PodState]) -> bool:
    """Whether recreating a pod is advised, if it helps."""
    return why.startswith(SAME_IMAGE) or not _NEED_ANOTHER.isdisjoint((state, *also))


_NEED_ANOTHER = frozenset((PodState.NOT_UPDATE, PodState.NOT_UPGRADABLE, PodState.OTHER_IMAGES))


def _unready_working(target: Target, pod: SimulatedPod) -> tuple[str, ...]:
    """The containers that are not ready, but the idle halves."""
    idle = {idle_half(container, pod) for container in target.hot}
    return tuple(name for name, status in pod.statuses.items() if not status.ready and name not in idle)


def _condition(pod: SimulatedPod, name: str) -> bool | None:
    """What the condition SidecarSetUpgradable says about a SidecarSet; None if it says nothing."""
    if pod.condition is None:
        return None
    said = upgradable_sets(pod.condition.message)
    return said.get(name)


LACKING = frozenset((Reason.NEVER_INJECTED, Reason.SIDECAR_MISSING))
"""Pods that should have been created with sidecars, and were not."""
UNEXPECTED: tuple[PodState | Reason, ...] = (
    *(state for state in PodState if state not in (PodState.UPDATED, PodState.STATIC_POD)),
    *sorted(LACKING),
    Reason.INJECTION_PAUSED,
    Reason.ANNOTATION_UNREADABLE,
)
"""The states that --fail-on can name."""
