"""The state of running pods in the rollout of a SidecarSet, and what blocks the rollout as a whole."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.operations.explaining.remedies import NOTHING_BLOCKS, remedy_of_left_out, remedy_of_state

if TYPE_CHECKING:  # only running pods are of a rollout
    from sidecarctl.operations.status import PodStatus, SetStatus
    from sidecarctl.rollout.pods.membership import LeftOut
    from sidecarctl.rollout.summary.blocked_fields import FieldDifference

PodKey = tuple[str, str]
"""Namespace and name."""


class RolloutState(NamedTuple):
    """The state of a running pod in the rollout of one of its SidecarSets, or why it takes no part in it.

    - `place`: that in the order of the pods that could be updated now, 0 for none, and their number; `why_there` is
      what put it there.
    - `is_next`: the next round changes the pod, so nothing blocks it.
    """

    state: str
    why: str
    remedy: str
    place: tuple[int, int] = (0, 0)
    why_there: str = ""
    is_next: bool = False
    blocked_by: "Sequence[FieldDifference]" = ()


class RolloutSummary(NamedTuple):
    """A rollout over all its pods: how many are updated, how many the next round changes; states of the others."""

    matched: int
    updated: int
    next: int
    states: Mapping[str, int]

    @property
    def sentence(self) -> str:
        """What blocks the pods that are not updated."""
        said = f"{self.updated:,} of {self.matched:,} updated"
        if self.updated == self.matched and not self.next:
            return said
        others = ", ".join(f"{count:,} {state}" for state, count in self.states.items())
        if not self.next:
            return f"{said}, the next round changes none: {others}"
        return f"{said}, the next round changes {self.next:,}; {NOTHING_BLOCKS}" + (
            f". Others: {others}" if others else ""
        )


class RolloutOfSet:
    """The rollout of one SidecarSet, asked about pod after pod."""

    def __init__(self, status: "SetStatus") -> None:
        self._status = status
        self._pods: dict[PodKey, PodStatus] = {pod.pod: pod for pod in status.pods}
        self._left_out: dict[PodKey, LeftOut] = {pod.pod: pod for pod in status.left_out}

    def state_of(self, pod: PodKey, labels: Mapping[str, str]) -> RolloutState | None:
        """The state of a pod; None if it is none of the SidecarSet's pods."""
        if found := self._pods.get(pod):
            remedy = NOTHING_BLOCKS if found.is_next else remedy_of_state(str(found.state))
            return RolloutState(
                str(found.state),
                found.why,
                remedy,
                found.place,
                self._why_there(found, labels),
                found.is_next,
                found.blocked_by,
            )
        if left_out := self._left_out.get(pod):
            return RolloutState(str(left_out.reason), left_out.message, remedy_of_left_out(left_out.reason))
        return None

    def summary(self) -> RolloutSummary | None:
        """The rollout as a whole; None if it has no pods."""
        status = self._status
        if not status.pods:
            return None
        states = Counter(str(pod.state) for pod in status.pods if not pod.is_next and str(pod.state) != "Updated")
        changed = sum(pod.is_next for pod in status.pods)
        return RolloutSummary(status.counts.matched, status.counts.updated, changed, states)

    def _why_there(self, pod: "PodStatus", labels: Mapping[str, str]) -> str:
        if pod.placed_by is None:
            return ""
        from sidecarctl.rollout.order.why_here import why_here

        return why_here(*pod.placed_by, self._status.sidecarset.spec.get("updateStrategy") or {}, labels)
