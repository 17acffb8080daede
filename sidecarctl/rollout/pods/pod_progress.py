"""The progress of a pod in a rollout, and the counts of pods by progress."""

from collections import Counter
from enum import IntEnum, auto

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.rollout.pods.predicates import (
    is_busy,
    is_consistent,
    is_ready,
    is_reset_due,
    is_updated,
    is_upgradable,
)
from sidecarctl.rollout.pods.simulated_pods import SimulatedPod
from sidecarctl.rollout.pods.targets import Target


class Eligibility(IntEnum):  # numbers, because they are hashed for every pod
    """What the next round can do with a pod; only candidates are waiting pods."""

    UPDATED = auto()
    NOT_SELECTED = auto()
    NOT_UPGRADABLE = auto()
    BUSY = auto()
    CANDIDATE = auto()


class PodProgress(NamedTuple):
    """What a round needs to know about a pod."""

    eligibility: Eligibility
    consistent: bool
    ready: bool
    reset_due: bool

    @property
    def available(self) -> bool:
        """Whether it counts among readyPods of the status."""
        return self.consistent and self.ready

    @property
    def holds_budget(self) -> bool:
        """Whether it counts against maxUnavailable."""
        return self.eligibility is Eligibility.UPDATED and not (self.consistent and self.ready)


class StatusCounts(NamedTuple):
    """The counts of a SidecarSet status: numbers of pods; ready means consistent and ready."""

    matched: int
    updated: int
    ready: int
    updated_ready: int


def progress_of(target: Target, pod: SimulatedPod, *, selected: bool) -> PodProgress:
    """The current progress of a pod; `selected`: the selector of updateStrategy allows its update."""
    return PodProgress(
        _eligibility(target, pod, selected=selected),
        is_consistent(target, pod),
        is_ready(target, pod),
        bool(target.hot) and is_reset_due(target, pod),
    )


def _eligibility(target: Target, pod: SimulatedPod, *, selected: bool) -> Eligibility:
    if is_updated(target, pod):
        return Eligibility.UPDATED
    if not selected:
        return Eligibility.NOT_SELECTED
    if not is_upgradable(target, pod):
        return Eligibility.NOT_UPGRADABLE
    return Eligibility.BUSY if is_busy(target, pod) else Eligibility.CANDIDATE


def status_counts(tally: Counter[PodProgress]) -> StatusCounts:
    """The status of a SidecarSet from the progress of its pods (docs/behaviour/rollout.md, "One round", step 0)."""
    updated = ready = updated_ready = 0
    for progress, number in tally.items():
        if progress.eligibility is Eligibility.UPDATED:
            updated += number
        if progress.available:
            ready += number
            updated_ready += number if progress.eligibility is Eligibility.UPDATED else 0
    return StatusCounts(tally.total(), updated, ready, updated_ready)


def number_at(tally: Counter[PodProgress], eligibility: Eligibility) -> int:
    """The number of pods of an eligibility."""
    return sum(number for progress, number in tally.items() if progress.eligibility is eligibility)


def number_holding_budget(tally: Counter[PodProgress]) -> int:
    """U: pods that are updated, but not consistent or not ready."""
    return sum(number for progress, number in tally.items() if progress.holds_budget)
