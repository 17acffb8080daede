"""The plan of a recreation: which workloads to restart in which order, so that their pods get the current version.

A pod is recreated only if the new one gets the current version, and loses nothing; the way replaces its pods
for certain, or it is not taken. Waves stay within maxUnavailable of the SidecarSets, and within the
PodDisruptionBudgets and PodUnavailableBudgets of the pods. What a workload's controller takes down at a time, its own
strategy decides: where that is more than a budget allows, its pods are evicted.

Source: docs/behavior/rollout.md, "The pods of a set".
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from sidecarctl.engine.api.quantities import scaled
from sidecarctl.engine.facts.findings import ObjectReference, reference_of
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value, natural
from sidecarctl.engine.injection.new_pods import RECREATE, UNSEEN
from sidecarctl.engine.injection.webhook_steps import controller_in, top_workload
from sidecarctl.engine.rollout.disruption_budgets import DISRUPTION, EvictionBudget
from sidecarctl.engine.rollout.facts import Ending
from sidecarctl.engine.rollout.recorded_sets import recorded_elsewhere
from sidecarctl.engine.rollout.recreation import Recreation
from sidecarctl.engine.rollout.simulated_pods import PodName, SimulatedPod
from sidecarctl.engine.rollout.summary.rollout_plan import Plan, SetRolloutPlan
from sidecarctl.engine.sidecarset.sets import DEFAULT_NAMESPACE, Matcher
from sidecarctl.engine.sidecarset.world import World


class Replacement(StrEnum):
    """How a workload replaces pods."""

    RESTART = "restart"
    ANNOTATE = "annotate"
    EVICT = "evict"


class RecreationStep(NamedTuple):
    """Pods of one workload that are replaced together.

    `causes`: `SET: REASON` of its pods. `why`: why they are evicted. `down`: how many of them are down at once.
    `number`: all pods of the workload.
    """

    workload: ObjectReference
    way: Replacement
    pods: tuple[PodName, ...]
    causes: tuple[str, ...]
    why: str
    down: int
    number: int


class Kept(NamedTuple):
    """Pods that are not recreated, and why."""

    why: str
    pods: tuple[PodName, ...]


class Recreations(NamedTuple):
    """The waves, in order, and what is left. `knows_budgets`: False if files hold no budget of evictions."""

    waves: tuple[tuple[RecreationStep, ...], ...]
    kept: tuple[Kept, ...]
    knows_budgets: bool = True


class Recreated(NamedTuple):
    """What a recreation is planned over.

    `workloads` are trimmed manifests. `is_complete`: a SidecarSet that is not in the world does not exist.
    `outdated`: the pods of the current hash that differ from a new one, by SidecarSet.
    """

    world: World
    gates: frozenset[str]
    workloads: Sequence[Object] = ()
    budgets: Sequence[EvictionBudget] = ()
    is_complete: bool = False
    outdated: Mapping[str, Collection[PodName]] = {}


def recreations(made: Plan, given: Recreated) -> Recreations:
    """The waves for the pods that a plan does not change, because only new pods get the current version."""
    kept: dict[str, list[PodName]] = defaultdict(list)
    wanted: dict[int, list[str]] = defaultdict(list)
    limits: dict[int, int] = {}
    for index, cause, advice, limit in _asked(made, given):
        if advice != RECREATE:
            kept[advice].append(made.pods[index].name)
        wanted[index].append(cause if advice == RECREATE else "")
        limits[index] = min(limit, limits.get(index, limit))
    refused = {index for index, causes in wanted.items() if "" in causes}
    steps: list[_Pending] = []
    for workload, pods in _by_workload(made.pods).items():
        own = [pod for pod in pods if pod.index in wanted.keys() - refused]
        if not own:
            continue
        manifest = _manifest_of(workload, given.workloads)
        names = tuple(pod.name for pod in own)
        causes = tuple(dict.fromkeys(cause for pod in own for cause in wanted[pod.index]))
        step = RecreationStep(
            workload, Replacement.EVICT, names, causes, "", _down(workload, len(pods), manifest), len(pods)
        )
        way, why = _way(step, manifest, given.budgets)
        if way is None:
            kept[why] += names
        else:
            steps.append(_Pending(step._replace(way=way, why=why), min(limits[pod.index] for pod in own)))
    waves, stuck = _waves(steps, given.budgets)
    for name in (name for step in stuck for name in step.pods):
        kept[_why_stuck(name, given.budgets)].append(name)
    return Recreations(tuple(waves), tuple(Kept(why, tuple(dict.fromkeys(names))) for why, names in kept.items()))


_ONLY_NEW = frozenset((Reason.NEVER_INJECTED, Reason.SIDECAR_MISSING, Reason.INJECTION_PAUSED, *UNSEEN))
"""Reasons why pods take no part in a rollout, which a new pod would not have."""


def _asked(made: Plan, given: Recreated) -> Iterator[tuple[int, str, str, int]]:
    """Each pod to recreate: its index, the cause, the advice about it, and how many may be down."""
    recreation = Recreation(given.world, given.gates)
    for item in made.sets:
        limit, name = max(1, item.window.max_unavailable_pods), item.target.name
        outdated = given.outdated.get(name, ())
        is_outdated = ((pod.index, "Outdated") for pod in made.pods if pod.name in outdated)
        for index, reason in (*_of_set(item), *is_outdated):
            yield index, f"{name}: {reason}", item.target.recreation(made.pods[index]), limit
    for pod, name in _orphans(made, given):
        yield pod.index, f"{name}: Orphan", recreation.of_orphan(pod, name), 1


def _of_set(rollout: SetRolloutPlan) -> Iterator[tuple[int, str]]:
    outcome = rollout.outcome
    yield from ((index, "NotUpgradable") for index in outcome.not_upgradable)
    if outcome.ending is Ending.NOT_UPDATE:
        yield from ((index, "NotUpdate") for index in (*outcome.waiting, *outcome.held_by_partition))
    yield from ((left.pod_index, str(left.reason)) for left in rollout.left_out if left.reason in _ONLY_NEW)


def _orphans(made: Plan, given: Recreated) -> Iterator[tuple[SimulatedPod, str]]:
    """The pods that record a SidecarSet of the plan which does not select them, or that does not exist."""
    planned = [item.target.sidecar_set for item in made.sets]
    matchers = {item.name: Matcher(item, given.world.namespaces) for item in planned}
    is_complete = given.is_complete and len(planned) == len(given.world.sidecarsets)
    for pod, name, matcher in recorded_elsewhere(made.pods, matchers):
        if not matcher.lacks_labels_of(pod.name.namespace) if matcher else is_complete:
            yield pod, name


def _by_workload(pods: Iterable[SimulatedPod]) -> dict[ObjectReference, list[SimulatedPod]]:
    """The active pods of each workload, in natural order; those without a controller have one of an empty kind."""
    found: dict[ObjectReference, list[SimulatedPod]] = defaultdict(list)
    for pod in pods:
        if pod.active:
            workload = top_workload(pod.manifest, pod.labels)
            found[workload._replace(namespace=pod.name.namespace)].append(pod)
    return {key: found[key] for key in sorted(found, key=lambda key: natural(str(key)))}


def _manifest_of(workload: ObjectReference, manifests: Iterable[Object]) -> Object | None:
    def is_it(other: ObjectReference) -> bool:
        same = (*_kind(other), other.name) == (*_kind(workload), workload.name)
        return same and (other.namespace or DEFAULT_NAMESPACE) == workload.namespace

    return next((each for each in manifests if is_it(reference_of(each))), None)


def _kind(workload: ObjectReference) -> tuple[str, str]:
    """The API group, empty for core, and the kind."""
    return workload.api_version.rpartition("/")[0], workload.kind


_APPS, _KRUISE = "apps", "apps.kruise.io"
_RESTARTS = {
    **dict.fromkeys(((_APPS, kind) for kind in ("Deployment", "StatefulSet", "DaemonSet")), Replacement.RESTART),
    **dict.fromkeys(((_KRUISE, kind) for kind in ("CloneSet", "StatefulSet", "DaemonSet")), Replacement.ANNOTATE),
}
"""How the controllers are asked for new pods that replace all pods after a change of an annotation."""
_CREATE_AGAIN = {*_RESTARTS, (_APPS, "ReplicaSet"), ("", "ReplicationController")}
"""The controllers that create a pod again when it is evicted."""
_END = {("batch", "Job"), (_KRUISE, "BroadcastJob")}


def _way(
    step: RecreationStep, manifest: Object | None, budgets: Sequence[EvictionBudget]
) -> tuple[Replacement | None, str]:
    """How the pods are replaced, and why not by a restart; None, and the reason, if that is not possible."""
    kind, said = _kind(step.workload), step.workload.kind
    if not said:
        return None, "cannot be recreated from here: no controller creates it again"
    if kind in _END:
        return None, f"a {said} creates its pods once; the next one creates new pods"
    if kind not in _CREATE_AGAIN:
        return None, f"it is not known whether the controller of a {said} creates its pods again"
    if len(step.pods) < step.number:
        return Replacement.EVICT, f"{len(step.pods):,} of its {step.number:,} pods need it"
    if kind not in _RESTARTS:
        return Replacement.EVICT, f"a change of the template of a {said} replaces no pod"
    if manifest is None:
        return Replacement.EVICT, "its manifest is not among the inputs, and may hold pods back"
    held = _holds_back(manifest) or _exceeded(step, budgets)
    return (Replacement.EVICT, held) if held else (_RESTARTS[kind], "")


def _exceeded(step: RecreationStep, budgets: Sequence[EvictionBudget]) -> str:
    """Why a restart takes more pods down at once than a budget allows; empty if none forbids it."""
    for budget in budgets:
        if _taken(step, budget) > (room := _room_of(budget)):
            return f"a restart takes {step.down:,} down at once, {budget.kind} {budget.name} allows {room:,}"
    return ""


def _room_of(budget: EvictionBudget) -> int:
    """How many more pods may be down; a budget that is violated already allows none."""
    return max(0, budget.room)


def _taken(step: RecreationStep, budget: EvictionBudget) -> int:
    """How many of the pods that a budget covers a restart takes down at once."""
    return min(step.down, len(budget.covers.intersection(step.pods)))


def _holds_back(manifest: Object) -> str:
    """Why a change of the template does not replace all pods; empty if it does."""
    spec = manifest.get("spec") or {}
    strategy = _strategy(manifest)
    rolling = _object(strategy.get("rollingUpdate"))
    if controller_in(manifest):
        return "its owner reverts a change of its template"
    if spec.get("paused") or strategy.get("paused") or rolling.get("paused"):
        return "it is paused"
    if strategy.get("type") == "OnDelete":
        return "type OnDelete holds its pods back"
    if any(each.get("partition") not in (None, 0, "0", "0%") for each in (strategy, rolling)):
        return "its partition holds pods back"
    if rolling.get("selector") is not None:
        return "the selector of its rollingUpdate holds pods back"
    types = {strategy.get("type"), *(rolling.get(key) for key in ("podUpdatePolicy", "rollingUpdateType"))}
    if types & {"InPlaceIfPossible", "InPlaceOnly"}:
        return "it changes annotations in place"
    return ""


def _strategy(manifest: Object) -> Object:
    spec = manifest.get("spec") or {}
    return _object(spec.get("updateStrategy")) or _object(spec.get("strategy"))


def _object(value: Value) -> Object:
    return value if isinstance(value, dict) else {}


_AT_ONCE: Mapping[str, int | str] = {"Deployment": "25%", "CloneSet": "20%"}
"""The default of maxUnavailable, where it is not 1."""


def _down(workload: ObjectReference, pods: int, manifest: Object | None) -> int:
    """How many pods a restart takes down at once."""
    strategy = _strategy(manifest or {})
    if strategy.get("type") == "Recreate":
        return pods
    rolling = _object(strategy.get("rollingUpdate")) or strategy
    most, surge = rolling.get("maxUnavailable"), rolling.get("maxSurge")
    most = _AT_ONCE.get(workload.kind, 1) if most is None else most
    number = scaled(most, pods, up=workload.kind != "Deployment")
    is_surging = surge not in (None, 0, "0", "0%") or (surge is None and workload.kind == "Deployment")
    return min(max(number, 0 if is_surging and manifest else 1), pods)


class _Pending(NamedTuple):
    """A step that waits for a wave, and how many pods may be down in one."""

    step: RecreationStep
    limit: int


def _waves(
    pending: Sequence[_Pending], budgets: Sequence[EvictionBudget]
) -> tuple[list[tuple[RecreationStep, ...]], Sequence[RecreationStep]]:
    """The waves, and the steps for which no budget ever has room."""
    waves: list[tuple[RecreationStep, ...]] = []
    while pending:
        wave, pending = _wave(pending, budgets)
        if not wave:
            return waves, [each.step for each in pending]
        waves.append(tuple(wave))
    return waves, ()


def _wave(
    pending: Iterable[_Pending], budgets: Sequence[EvictionBudget]
) -> tuple[list[RecreationStep], list[_Pending]]:
    """The next wave, in which each workload has one step at most, and what is left after it."""
    room = {budget: _room_of(budget) for budget in budgets}
    wave: list[RecreationStep] = []
    left: list[_Pending] = []
    limits: list[int] = []
    for each in pending:
        step = each.step
        free = min([each.limit, *limits]) - sum(part.down for part in wave)
        if step.way is Replacement.EVICT:
            taken = _evicted(step, min(free, max(1, step.number // 2)), room)
        else:
            taken = _restarted(step, room) if step.down <= free or not wave else ()
        if taken:
            wave.append(step._replace(pods=taken, down=len(taken)) if step.way is Replacement.EVICT else step)
            limits.append(each.limit)
        if rest := tuple(name for name in step.pods if name not in taken):
            left.append(each._replace(step=step._replace(pods=rest)))
    return wave, left


_Room: TypeAlias = dict[EvictionBudget, int]
"""How many pods of each budget may still be evicted in a wave."""


def _restarted(step: RecreationStep, room: _Room) -> tuple[PodName, ...]:
    """The pods of a step, or none if a budget has no room for it now; the budgets lose that room."""
    taken = {budget: _taken(step, budget) for budget in room}
    if any(number > room[budget] for budget, number in taken.items()):
        return ()
    for budget, number in taken.items():
        room[budget] -= number
    return step.pods


def _evicted(step: RecreationStep, most: int, room: _Room) -> tuple[PodName, ...]:
    """The first pods that may be evicted together; the budgets lose that room."""
    taken: list[PodName] = []
    for name in step.pods:
        covering = [budget for budget in room if name in budget.covers]
        if len(taken) < most and not _is_doubly_covered(covering) and all(room[each] > 0 for each in covering):
            taken.append(name)
            for each in covering:
                room[each] -= 1
    return tuple(taken)


def _is_doubly_covered(covering: Iterable[EvictionBudget]) -> bool:
    return sum(budget.kind == DISRUPTION for budget in covering) > 1


def _why_stuck(name: PodName, budgets: Iterable[EvictionBudget]) -> str:
    covering = [budget for budget in budgets if name in budget.covers]
    if _is_doubly_covered(covering):
        return "the API server evicts no pod that two PodDisruptionBudgets cover"
    return f"a {next(budget.kind for budget in covering if budget.room <= 0)} allows no eviction"
