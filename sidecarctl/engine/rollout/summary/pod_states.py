"""The state of a pod in a rollout, with the numbers that explain it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from sidecarctl.engine.api.text_forms import parse_time
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.facts import SortKey
from sidecarctl.engine.rollout.predicates import (
    Eligibility,
    half_done,
    is_updating,
    is_upgradable,
    number_holding_budget,
    other_images,
    same_image,
)
from sidecarctl.engine.rollout.round.set_rollout import SetRollout
from sidecarctl.engine.rollout.round.update_order import OrderedPod
from sidecarctl.engine.rollout.round.upgrades import changes_an_image
from sidecarctl.engine.rollout.simulated_pods import MIRROR, MIRRORED, SimulatedPod, condition_of
from sidecarctl.engine.rollout.summary.sentences import lack_of_room, number
from sidecarctl.engine.rollout.targets import Target
from sidecarctl.engine.sidecarset.budget_spec import BudgetName
from sidecarctl.engine.sidecarset.pod_annotations import HashFormat

if TYPE_CHECKING:
    from sidecarctl.engine.rollout.budgets import Budgets


def troubles(names: Sequence[str], statuses: Sequence[Object | None]) -> str:
    """The containers with what their status says: `log (CrashLoopBackOff, 7 restarts, last exit 1 after 14 s)`."""
    by_name = {item.get("name"): item for item in statuses if item}
    return ", ".join(_trouble(name, by_name.get(name) or {}) for name in names)


def _trouble(name: str, status: Object) -> str:
    said = ", ".join(_parts(status))
    return f"{name} ({said})" if said else name


def _parts(status: Object) -> Iterator[str]:
    state, last = status.get("state") or {}, status.get("lastState") or {}
    waiting, ended = state.get("waiting") or {}, state.get("terminated") or {}
    if waiting.get("reason"):
        reason, message = waiting["reason"], waiting.get("message")
        yield f"{reason}: {message}" if message and reason in _IMAGE_PROBLEMS else reason
    if ended:
        yield f"ended with {ending(ended)}"
    if restarts := status.get("restartCount") or 0:
        yield f"{restarts:,} restart{'s' * (restarts != 1)}"
    if before := last.get("terminated") or {}:
        yield f"last {ending(before)}"


_IMAGE_PROBLEMS = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull")


def ending(ended: Object) -> str:
    """`exit 1 (Error) after 14 s`."""
    reason = ended.get("reason") or ""
    said = f"exit {ended.get('exitCode', 0)}" + (f" ({reason})" if reason not in ("", "Error", "Completed") else "")
    begun, over = (parse_time(ended.get(key) or "") for key in ("startedAt", "finishedAt"))
    return f"{said} after {(over - begun).total_seconds():,.0f} s" if begun and over else said


SAME_IMAGE = "the update never ends, because the old and the new image are one image"
"""The beginning of the reason for a pod that must be recreated."""


class PodState(StrEnum):
    """The state of a pod, in the order of a rollout."""

    UPDATED = "Updated"
    OTHER_IMAGES = "OtherImages"
    UPDATING = "Updating"
    RESETTING = "Resetting"
    NOT_READY = "NotReady"
    WAITING = "Waiting"
    WAITING_FOR_BUDGET = "WaitingForBudget"
    BUSY = "Busy"
    HELD_BY_PARTITION = "HeldByPartition"
    HELD_BY_SELECTOR = "HeldBySelector"
    PAUSED = "Paused"
    NOT_UPDATE = "NotUpdate"
    NOT_UPGRADABLE = "NotUpgradable"
    STATIC_POD = "StaticPod"


HELD_BACK = frozenset((PodState.HELD_BY_PARTITION, PodState.HELD_BY_SELECTOR, PodState.PAUSED, PodState.NOT_UPDATE))
"""The states of pods that the update strategy keeps as they are."""
MOVING = frozenset(PodState) - HELD_BACK - {PodState.UPDATED, PodState.NOT_UPGRADABLE, PodState.STATIC_POD}
"""The states of pods that a rollout is updating, or will."""


class States:
    """The states of all pods of a SidecarSet, which depend on each other if a window decides."""

    def __init__(self, rollout: SetRollout, budgets: "Budgets | None" = None) -> None:
        self._rollout = rollout
        pods, window = rollout.pods, rollout.window
        self._order = list(pods.waiting.in_order())
        order = [member.rank for member in self._order]
        self._places = {rank: place for place, rank in enumerate(order, 1)}
        self._held = set(order[max(len(order) - window.partition_pods, 0) :])
        resets, upgrades = rollout.chosen()
        upgrades = [member for member in upgrades if not member.progress.reset_due]
        self._waits = _waiting_for_budgets([*resets, *upgrades], rollout.target, budgets) if budgets else {}
        self._emptied = {member.rank for member in resets} - self._waits.keys()
        self._next = {member.rank for member in upgrades} - self._waits.keys()
        self._resets = len(resets) if rollout.target.release.reset_ends_round else 0

    def of(self, member: OrderedPod) -> tuple[PodState, str]:
        """The state of a pod and its reason; no reason if it is updated."""
        state = self._state(member)
        return state, "; ".join(self._reasons(state, member))

    def also(self, member: OrderedPod) -> tuple[PodState, ...]:
        """The states that would still hold back a pod without the current one."""
        state = self._state(member)
        if state not in _HELD or member.progress.eligibility is Eligibility.UPDATED:
            return ()
        strategy = self._rollout.target.strategy
        is_paused = state is PodState.NOT_UPDATE and strategy.get("paused")
        is_held = state is not PodState.HELD_BY_PARTITION and member.rank in self._held
        eligible = _STATES[member.progress.eligibility]
        own = () if eligible in (PodState.WAITING, state) else (eligible,)
        if PodState.HELD_BY_SELECTOR in (state, *own):
            own = (*own, *self._behind_selector(member))
        return (*((PodState.PAUSED,) if is_paused else ()), *((PodState.HELD_BY_PARTITION,) if is_held else ()), *own)

    def _behind_selector(self, member: OrderedPod) -> Iterator[PodState]:
        """What may hold back a pod once the selector of the strategy selects it."""
        if not is_upgradable(self._rollout.target, member.pod):
            yield PodState.NOT_UPGRADABLE
        elif self._rollout.window.partition not in _NONE:
            yield PodState.HELD_BY_PARTITION

    def place(self, member: OrderedPod) -> tuple[int, int]:
        """The position of a pod among those that can be updated now, from 1, and their number; 0 for other pods."""
        return self._places.get(member.rank, 0), len(self._places)

    def is_next(self, member: OrderedPod) -> bool:
        """Whether the next round updates the pod, or empties an idle half of it."""
        return member.rank in self._emptied or member.rank in self._next

    def placed_by(self, member: OrderedPod) -> tuple[SortKey, SortKey | None] | None:
        """The sort key of a pod and that of its neighbor, for `why_here`; None without a position.

        The neighbor is the pod before it; for the first pod, the pod after it.
        """
        place = self._places.get(member.rank, 0)
        if not place:
            return None
        other = place - 1 if place > 1 else place + 1
        neighbor = self._order[other - 1] if other <= len(self._order) else None
        return self._key(member, place), self._key(neighbor, other) if neighbor else None

    def _key(self, member: OrderedPod, place: int) -> SortKey:
        waiting = self._rollout.pods.waiting
        priority, base, _ = waiting.order_key(member)
        return SortKey(priority, base, place, scattered=waiting.is_scattered)

    def _state(self, member: OrderedPod) -> PodState:
        progress = member.progress
        if MIRROR in member.pod.annotations:
            return PodState.STATIC_POD
        if member.rank in self._emptied:
            return PodState.RESETTING
        if progress.eligibility is Eligibility.UPDATED:
            return self._updated_state(member)
        strategy = self._rollout.target.strategy
        if strategy.get("type") == "NotUpdate":
            return PodState.NOT_UPDATE
        if strategy.get("paused"):
            return PodState.PAUSED
        if member.rank in self._held:
            return PodState.HELD_BY_PARTITION
        if member.rank in self._waits:
            return PodState.WAITING_FOR_BUDGET
        return _STATES[progress.eligibility]

    def _updated_state(self, member: OrderedPod) -> PodState:
        progress = member.progress
        if progress.available:
            is_put_back = any(other_images(self._rollout.target, member.pod))
            return PodState.OTHER_IMAGES if is_put_back else PodState.UPDATED
        if self._is_updating(member):
            return PodState.UPDATING
        return PodState.RESETTING if half_done(self._rollout.target, member.pod) else PodState.NOT_READY

    def _is_updating(self, member: OrderedPod) -> bool:
        return is_updating(self._rollout.target, member.pod, consistent=member.progress.consistent)

    def _reasons(self, state: PodState, member: OrderedPod) -> Iterator[str]:
        window = self._rollout.window
        if state in (PodState.UPDATING, PodState.BUSY, PodState.STATIC_POD):
            yield self._in_flight(state, member.pod)
        elif state is PodState.RESETTING:
            yield from self._reset_reasons(member)
        elif state is PodState.NOT_READY:
            yield _unreadiness(member.pod)
        elif state is PodState.OTHER_IMAGES:
            name, now, wanted = next(other_images(self._rollout.target, member.pod))
            yield f"{name} has {now}, not {wanted}, but Kruise counts the pod as updated, by its recorded hash"
        elif state in (PodState.WAITING, PodState.WAITING_FOR_BUDGET):
            yield self._turn(member)
        elif state is PodState.HELD_BY_PARTITION:
            yield f"partition {window.partition} holds back {window.partition_pods} of the pods that could be updated"
        elif state is PodState.NOT_UPGRADABLE:
            yield _immutability(self._rollout.target, member.pod)
        trouble = _trouble_of(member.pod) if state in _BEFORE else ""
        if state in _HELD and not member.progress.available:
            yield "in flight" if self._is_updating(member) else trouble or "not ready"
        elif trouble:
            yield trouble

    def _in_flight(self, state: PodState, pod: SimulatedPod) -> str:
        if state is PodState.STATIC_POD:
            return f"it is {MIRRORED}"
        if name := same_image(self._rollout.target, pod):
            advice = self._rollout.target.recreation(pod)
            return f"{SAME_IMAGE} of {name}: it restarted after the patch with the same imageID; {advice}"
        is_busy = state is PodState.BUSY
        return "a ready sidecar does not yet show the image of an earlier update" if is_busy else _inconsistency(pod)

    def _reset_reasons(self, member: OrderedPod) -> Iterator[str]:
        names = ", ".join(container.name for container in half_done(self._rollout.target, member.pod))
        yield f"the idle half of {names} is {'emptied next' if member.rank in self._emptied else 'not empty'}"
        if member.rank in self._waits:
            yield self._waits[member.rank]
        if not (self._rollout.held or member.progress.reset_due):
            yield _unreadiness(member.pod)

    def _turn(self, member: OrderedPod) -> str:
        if member.rank in self._waits:
            return self._waits[member.rank]
        if self._resets:
            return f"the idle halves of {number(self._resets)} are emptied first"
        if member.rank in self._next:
            return "the next round updates it"
        unavailable, window = number_holding_budget(self._rollout.pods.tally), self._rollout.window
        if unavailable < window.max_unavailable_pods:
            return f"not in this round, which {next(iter(self._waits.values()))}" if self._waits else _LATER
        if window.max_unavailable_pods <= 0:
            return f"maxUnavailable {window.max_unavailable} lets no ready pod be updated"
        return f"{number(unavailable)} unavailable after the update, of {window.max_unavailable_pods:,} allowed"


_LATER = "not before a later round"


def _waiting_for_budgets(chosen: Sequence[OrderedPod], target: Target, budgets: "Budgets") -> dict[int, str]:
    """The pods of a round, by rank, that wait for a PodUnavailableBudget: the first without room, and all behind."""
    spent: Counter[BudgetName] = Counter()
    for index, member in enumerate(chosen):
        is_asked = member.progress.reset_due or changes_an_image(target, member.pod)
        budget = budgets.guard(member.pod, "UPDATE") if is_asked else None
        if budget is None:
            continue
        if budget.allowed <= spent[budget.spec.name]:
            room = f"has room for {number(budget.allowed)} now" if budget.allowed > 0 else ""
            first = f"waits for PUB {budget.spec.name}, which {room or lack_of_room(budget.numbers, budget.spec)}"
            behind = f"waits behind {member.pod.name}, which {first}"
            return {other.rank: behind for other in chosen[index:]} | {member.rank: first}
        spent[budget.spec.name] += 1
    return {}


_NONE = (0, "0", "0%")
_STATES = {
    Eligibility.NOT_SELECTED: PodState.HELD_BY_SELECTOR,
    Eligibility.NOT_UPGRADABLE: PodState.NOT_UPGRADABLE,
    Eligibility.BUSY: PodState.BUSY,
    Eligibility.CANDIDATE: PodState.WAITING,
}
_HELD = (PodState.HELD_BY_PARTITION, PodState.HELD_BY_SELECTOR, PodState.PAUSED, PodState.NOT_UPDATE)
_BEFORE = (*_HELD, PodState.WAITING, PodState.WAITING_FOR_BUDGET, PodState.BUSY, PodState.NOT_UPGRADABLE)
"""States of pods that are not updated yet, and may be in trouble for another reason."""


def _inconsistency(pod: SimulatedPod) -> str:
    if pod.container_count != pod.status_count:
        return f"{pod.container_count} containers, but statuses of {pod.status_count}"
    stale = [name for name, status in pod.statuses.items() if status.image != pod.images.get(name, status.image)]
    return f"the statuses do not yet show the image of {', '.join(stale)}" if stale else "an update is in flight"


def _trouble_of(pod: SimulatedPod) -> str:
    """Why a pod is not ready, if its container statuses say so."""
    return _unreadiness(pod) if (pod.manifest.get("status") or {}).get("unready") else ""


def _unreadiness(pod: SimulatedPod) -> str:
    listed = (pod.manifest.get("status") or {}).get("unready") or ()
    init = [item["name"] for item in listed if item.get("name") and item["name"] not in pod.statuses]
    # While an init container fails, the others only wait for it.
    unready = init or [name for name, status in pod.statuses.items() if not status.ready]
    if pod.phase != "Running":
        said = f"its phase is {pod.phase or 'unknown'}"
        return f"{said}: {troubles(unready, listed)}" if listed else said
    if unready:
        return f"not ready: {troubles(unready, listed)}"
    message = (condition_of(pod.manifest, "Ready") or {}).get("message")  # it names readiness gates, too
    return f"its condition Ready is not True: {message}" if message else "its condition Ready is not True"


def _immutability(target: Target, pod: SimulatedPod) -> str:
    recorded = pod.hashes_without_image
    if recorded.format in (HashFormat.MIXED, HashFormat.UNREADABLE):
        return f"its hash-without-image annotation records no hash: it is {recorded.format}"
    if not recorded.recorded(target.name):
        return f"it records no hash-without-image of the SidecarSet; {target.recreation(pod)}"
    return f"a field other than image changed since it was injected; {target.recreation(pod)}"
