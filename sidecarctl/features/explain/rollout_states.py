"""The state of running pods in a rollout, what blocks the rollout, and what the whitelist allows a SidecarSet."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.findings import ObjectReference, Place, named
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.injection.new_pods import of_the_pod
from sidecarctl.engine.releases.feature_gates import METADATA_DEFAULTS
from sidecarctl.engine.sidecarset.conversion import checked_labels, spec_in_v1beta1
from sidecarctl.engine.sidecarset.revisions.controller_revisions import own_revisions
from sidecarctl.engine.sidecarset.sets import WHITELIST, SidecarSet
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.admission.metadata_patches import metadata_patch_findings
from sidecarctl.features.explain.remedies import (
    CHANGES,
    NOTHING_BLOCKS,
    TRY_FIRST,
    held_up_by,
    remedy_of_left_out,
    remedy_of_reset,
    remedy_of_states,
)

if TYPE_CHECKING:  # only running pods take part in a rollout
    from sidecarctl.engine.inputs.events import Event
    from sidecarctl.engine.rollout.pod_budgets import Protection
    from sidecarctl.engine.rollout.simulated_pods import PodName
    from sidecarctl.engine.rollout.statuses import PodStatus, SetStatus
    from sidecarctl.engine.rollout.summary.sidecar_comparison import FieldDifference
    from sidecarctl.engine.rollout.targets import LeftOut

PodKey = tuple[str, str]
"""Namespace and name."""


class RolloutState(NamedTuple):
    """The state of a running pod in the rollout of one of its SidecarSets, or why it takes no part in it.

    - `place`: that in the order of the pods that could be updated now, 0 for none, and their number; `why_there` is
      what put it there.
    - `is_next`: the next round changes the pod, so nothing blocks it. `is_left_out`: it takes no part in the rollout.
    - `events`: what the cluster warned of, if the pod is not ready.
    """

    state: str
    why: str
    remedy: str
    place: tuple[int, int] = (0, 0)
    why_there: str = ""
    is_next: bool = False
    blocked_by: "Sequence[FieldDifference]" = ()
    is_left_out: bool = False
    events: "Sequence[Event]" = ()


class RolloutSummary(NamedTuple):
    """A rollout over all its pods: how many are updated, how many the next round changes; states of the others.

    `is_held_up`: some of the others wait for a PodUnavailableBudget, or for more than their turn.
    """

    matched: int
    updated: int
    next: int
    states: Mapping[str, int]
    events: "Sequence[Event]" = ()
    is_held_up: bool = False

    @property
    def sentence(self) -> str:
        """What blocks the pods that are not updated."""
        said = f"{self.updated:,} of {self.matched:,} updated"
        if self.updated == self.matched and not self.next:
            return said
        others = ", ".join(f"{count:,} {state}" for state, count in self.states.items())
        if not self.next:
            return f"{said}, the next round changes none: {others}"
        blocks = "" if self.is_held_up else f"; {NOTHING_BLOCKS}"
        return f"{said}, the next round changes {self.next:,}{blocks}" + (f". Others: {others}" if others else "")


class RolloutOfSet:
    """The rollout of one SidecarSet, asked about pod after pod."""

    def __init__(self, status: "SetStatus", world: World) -> None:
        self._status = status
        self._world = world
        self._pods: dict[PodKey, PodStatus] = {pod.pod: pod for pod in status.pods}
        self._left_out: dict[PodKey, LeftOut] = {pod.pod: pod for pod in status.left_out}

    def state_of(self, pod: PodKey, labels: Mapping[str, str], recreation: str) -> RolloutState | None:
        """The state of a pod; None if it is none of the SidecarSet's pods. `recreation` is the advice on that."""
        if found := self._pods.get(pod):
            remedy = NOTHING_BLOCKS if found.is_next and not found.is_mirror else self._remedy(found, recreation)
            return RolloutState(
                str(found.state),
                f"{found.why}; {_STALLS}" if found.pod in self._status.stalls else found.why,
                remedy,
                found.place,
                self._why_there(found, labels),
                found.is_next,
                found.blocked_by,
                events=found.events,
            )
        if left_out := self._left_out.get(pod):
            remedy = remedy_of_left_out(left_out.reason, recreation)
            return RolloutState(str(left_out.reason), left_out.message, remedy, is_left_out=True)
        return None

    def _remedy(self, pod: "PodStatus", recreation: str) -> str:
        """What must change for a pod that the next round does not update; if the rollout stalls, what blocks it."""
        from sidecarctl.engine.rollout.summary.pod_states import (
            SAME_IMAGE,
        )  # only running pods take part in a rollout
        from sidecarctl.engine.rollout.summary.sentences import NEVER_HAS_ROOM
        from sidecarctl.engine.rollout.summary.sidecar_comparison import kept_in_place

        stalls, has_room = pod.pod in self._status.stalls, NEVER_HAS_ROOM not in pod.why
        if pod.why.startswith(SAME_IMAGE):
            return of_the_pod(recreation)
        is_reset = str(pod.state) == "Resetting"
        if is_reset and pod.waits_for and not self._held:
            return remedy_of_reset(pod.waits_for)
        waits = _FOR_BUDGET in pod.why and (stalls or is_reset or not has_room)
        state = "WaitingForBudget" if waits else str(pod.state)
        if stalls and state == "Waiting":
            broken = [each for each in self._status.pods if not each.ready]
            most = self._status.window.max_unavailable_pods
            if broken or most <= 0:
                return held_up_by(
                    [str(each.pod) for each in broken], most, updated=all(each.updated for each in broken)
                )
            if mirrors := [str(each.pod) for each in self._status.pods if each.is_mirror]:
                return f"make the selector of the SidecarSet exclude the mirrors of static pods: {named(mirrors)}"
        may_revert = _REVERTIBLE in pod.why or state != "NotUpgradable"
        states = [*self._held, *map(str, pod.also)] if state == "Resetting" else [state, *map(str, pod.also)]
        refusal = self._refusal(states)
        remedy = remedy_of_states(states, recreation, refusal, may_revert=may_revert, may_get_room=has_room)
        if state == "NotUpgradable" and (kept := kept_in_place(pod.blocked_by)):
            remedy = f"{kept}; or {remedy}"
        if state == "NotUpgradable" and remedy.startswith(_RECREATE) and self._may_try():
            remedy += f"; {TRY_FIRST}"
        return remedy + (self._way_back() if state == "NotReady" else "")

    def _may_try(self) -> bool:
        """Whether new pods of a canary can get the current version while others get the older one."""
        from sidecarctl.engine.rollout.recreation import refused  # only running pods take part in a rollout

        sidecarset = self._status.sidecarset
        injection, strategy = (sidecarset.spec.get(name) or {} for name in ("injectionStrategy", "updateStrategy"))
        if not sidecarset.release.partial_policy or injection.get("revision"):
            return False
        spec = {**sidecarset.spec, "updateStrategy": {**strategy, "selector": sidecarset.spec["selector"]}}
        is_sure = not strategy.get("paused") and not strategy.get("partition")
        return is_sure and refused(sidecarset, spec, self._world) is None

    @property
    def _held(self) -> Sequence[str]:
        """The states of an update strategy that updates no pod."""
        strategy = self._status.target.strategy
        found = {"NotUpdate": strategy.get("type") == "NotUpdate", "Paused": bool(strategy.get("paused"))}
        return [state for state, holds in found.items() if holds]

    def _refusal(self, states: Sequence[str]) -> str:
        """Why Kruise rejects the change that these states need; empty if it accepts it, or none is needed."""
        changes = [CHANGES[state] for state in states if state in CHANGES]
        is_reverted = list(states) == ["NotUpgradable"]
        if not (changes or is_reverted):
            return ""
        from sidecarctl.engine.rollout.recreation import (  # only running pods take part in a rollout
            refused,
            with_strategy,
        )

        sidecarset = self._status.sidecarset
        spec = with_strategy(sidecarset.spec, {key: value for each in changes for key, value in each.items()})
        found = refused(sidecarset, spec, self._world)
        return found.message if found else ""

    def _way_back(self) -> str:
        """How to get the revision before the current one, if one is stored and Kruise accepts it as an update."""
        latest, sidecarset = self._status.status["latestRevision"], self._status.sidecarset
        own = own_revisions(sidecarset, self._world.revisions)
        names = [item.name for item in own]
        before = own[: names.index(latest)] if latest in names else own
        if not before:
            return ""
        from sidecarctl.engine.sidecarset.revisions.revision_restoring import restored
        from sidecarctl.engine.validation.updates import update_refusals

        older = restored(sidecarset, before[-1])
        if older and (refusal := next(update_refusals(sidecarset, older), None)):
            return f"; Kruise rejects the way back to {before[-1].name}: {refusal.message}"
        command = f"sidecarctl revisions restore --revision {before[-1].name}"
        return f"; with the same inputs, `{command}` gives the revision before it"

    def summary(self) -> RolloutSummary | None:
        """The rollout as a whole; None if it has no pods."""
        status = self._status
        if not status.pods:
            return None
        states = Counter(str(pod.state) for pod in status.pods if not pod.is_next and str(pod.state) != "Updated")
        changed = sum(pod.is_next for pod in status.pods)
        held_up = bool(status.stalls) or not _BLOCK.isdisjoint(states)
        return RolloutSummary(status.counts.matched, status.counts.updated, changed, states, status.events, held_up)

    def _why_there(self, pod: "PodStatus", labels: Mapping[str, str]) -> str:
        if pod.placed_by is None:
            return ""
        from sidecarctl.engine.rollout.summary.sentences import why_here

        return why_here(*pod.placed_by, self._status.sidecarset.spec.get("updateStrategy") or {}, labels)


_RECREATE = "recreate the pod"
_BLOCK = frozenset(("WaitingForBudget", "Busy", "NotReady", "Resetting", "Updating", "NotUpgradable"))
"""The states of pods that hold up a rollout, or are held up, for a cause that the files show."""
_FOR_BUDGET = "waits for PUB"
_REVERTIBLE = "a field other than image changed"
_STALLS = "the rollout stalls before its turn"


def with_stalls(
    sets: "Sequence[SetStatus]", world: World, pods: Sequence[Object], protection: "Protection | None"
) -> "Sequence[SetStatus]":
    """The statuses with the pods that are never updated, as in `plan`; simulated only if something can stall."""
    if not any(map(_may_stall, sets)):
        return sets
    from sidecarctl.engine.rollout.plan_options import PlanOptions
    from sidecarctl.engine.rollout.simulated import RolloutInputs, simulated

    inputs = RolloutInputs(world, pods, protection=protection)
    try:
        made = simulated(inputs, PlanOptions(only=[item.sidecarset.name for item in sets]))
    except SidecarctlError:  # the status says so
        return sets
    waiting = {item.target.name: {made.pods[index].name for index in item.outcome.waiting} for item in made.sets}
    return [item._replace(stalls=_stalls(item, waiting.get(item.sidecarset.name, set()))) for item in sets]


def _may_stall(status: "SetStatus") -> bool:
    waits = any(str(pod.state) == "Waiting" for pod in status.pods)
    return waits and (
        status.window.max_unavailable_pods <= 0 or not all(pod.ready and not pod.is_mirror for pod in status.pods)
    )


def _stalls(status: "SetStatus", waiting: "Collection[PodName]") -> "frozenset[PodName]":
    return frozenset(pod.pod for pod in status.pods if pod.pod in waiting and str(pod.state) == "Waiting")


_PATH: Path = ("spec", "patchPodMetadata")


class PatchedKey(NamedTuple):
    """An annotation that a SidecarSet patches; `allowed` is None if the whitelist is not known."""

    key: str
    policy: str
    allowed: bool | None
    path: Path
    place: Place | None


class WhitelistAnswer(NamedTuple):
    """What the whitelist says about a SidecarSet; `place` is where it was read, None if it was not found.

    `misplaced` are ConfigMaps of its name or with its key that Kruise does not read, with their places.
    """

    message: str
    place: Place | None
    misplaced: Sequence[tuple[ObjectReference, Place]]
    keys: Sequence[PatchedKey]


def whitelist_answer(sidecarset: SidecarSet, world: World, gates: frozenset[str]) -> WhitelistAnswer | None:
    """The answer for one SidecarSet; None for one that patches no metadata."""
    items = spec_in_v1beta1(sidecarset).get("patchPodMetadata") or []
    if not items:
        return None
    found = list(metadata_patch_findings(items, checked_labels(sidecarset), world._replace(gates=gates)))
    unknown = world.whitelist is None and METADATA_DEFAULTS not in gates
    refused = {item.path for item in found}
    whole = next((item.message for item in found if item.path == _PATH), "")
    used = world.others.get(WHITELIST)
    others = [item for name, item in world.others.items() if name.kind == "ConfigMap" and item is not used]
    source = world.sources[sidecarset.name]
    keys = [
        PatchedKey(key, policy, None if unknown else not (whole or path in refused), path, source.place(path))
        for key, policy, path in _keys(items)
    ]
    misplaced = [(other.reference, other.place()) for other in others]
    return WhitelistAnswer(_message(whole, unknown=unknown), used.place() if used else None, misplaced, keys)


def _keys(items: Sequence[Object]) -> Iterator[tuple[str, str, Path]]:
    for index, item in enumerate(items):
        for key in item.get("annotations") or {}:
            yield key, item.get("patchPolicy") or "Retain", (*_PATH, index, "annotations", key)


def _message(refusal: str, *, unknown: bool) -> str:
    name = f"ConfigMap {WHITELIST.namespace}/{WHITELIST.name}"
    if unknown:
        return f"the whitelist, {name}, is not among the inputs: without it Kruise rejects the SidecarSet"
    return refusal or f"the whitelist is {name}"
