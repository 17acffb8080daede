"""Whether one more patch may be sent now: budgets, requests at once, and whether what was seen is up to date."""

from collections.abc import Mapping, Sequence

from sidecarctl.push.deciding.parallel import Parallel
from sidecarctl.push.deciding.state import PushState
from sidecarctl.push.plan.planned import PodKey
from sidecarctl.push.pods.budget import Budget
from sidecarctl.push.pods.disruption_budgets import DisruptionBudget, objection_of
from sidecarctl.push.pods.live_pods import LivePod
from sidecarctl.push.steps.step_progress import Stage, StepProgress


class Room:
    """The limits of a push. `is_proven`: a pod is done, so that others may follow it at the same time."""

    def __init__(
        self, state: PushState, budgets: Mapping[str, Budget], disruption_budgets: Sequence[DisruptionBudget]
    ) -> None:
        self.parallel = Parallel(state.settings.max_parallel)
        self.is_proven = not state.settings.first_pod_alone
        self._state = state
        self._budgets = budgets
        self._disruption_budgets = disruption_budgets
        self._outdated: dict[str, str] = {}

    def see(self, key: PodKey, live: LivePod | None) -> None:
        """Take note of a pod as it is now; None for a pod that is gone."""
        for budget in self._budgets.values():
            budget.see(key, live)
        for disruption in self._disruption_budgets:
            disruption.see(key, live)

    def set_outdated(self, what: str, why: str) -> None:
        """What is known of something may be out of date; an empty `why`: it is up to date again."""
        if why:
            self._outdated[what] = why
        else:
            self._outdated.pop(what, None)

    def is_up_to_date(self) -> bool:
        """Whether all that is known is; says so where it is not."""
        for why in self._outdated.values():
            self._state.wait(why)
            return False
        return True

    def has_request(self) -> bool:
        """Whether one more request may be under way; before a pod is done, one pod at a time."""
        active = self._state.active.values()
        if not self.is_proven:
            return not active
        return sum(entry.stage is Stage.SENT for entry in active) < self.parallel.limit

    def has_place(self, entry: StepProgress) -> bool:
        """Whether the pod of a step may become unavailable; says so where it may not."""
        key, budget = entry.step.pod, self._budgets[entry.step.set_name]
        if entry.step.is_reset or (not entry.step.patch.was_ready and budget.is_down(key)):
            return True  # it is unavailable already, and the patch is what mends it
        busy = self._state.busy_pods
        if why := objection_of(self._disruption_budgets, key, busy):
            self._state.wait(why)
            return False
        unavailable, allowed = budget.unavailable(busy), budget.allowed
        if unavailable >= allowed and unavailable > len(set(busy)):
            others = unavailable - len(set(busy))
            pods = "1 other pod is" if others == 1 else f"{others} other pods are"
            self._state.wait(f"{pods} unavailable, and {allowed} may be", entry.step.set_name)
        return unavailable < allowed

    def budgets(self) -> list[tuple[str, int, int]]:
        """Each set, its unavailable pods, and how many may be."""
        busy = self._state.busy_pods
        return [(name, budget.unavailable(busy), budget.allowed) for name, budget in self._budgets.items()]
