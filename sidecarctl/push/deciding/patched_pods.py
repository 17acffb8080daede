"""Pods after their patch: until they are ready and have stayed so, or have failed."""

import heapq

from sidecarctl.facts.reasons import Reason
from sidecarctl.push.deciding.state import PushState
from sidecarctl.push.events.events import PodAsPlanned, PodDone, PodPatched
from sidecarctl.push.pods.expectations import State, standing_of
from sidecarctl.push.pods.live_pods import LivePod
from sidecarctl.push.pods.pod_health import Health, health_of
from sidecarctl.push.steps.step_progress import Stage, StepProgress


class PatchedPods:
    """The pods that are waited for."""

    def __init__(self, state: PushState) -> None:
        self._state = state
        self._settling: list[tuple[float, int]] = []

    def take(self, entry: StepProgress, now: float, *, is_own: bool) -> None:
        """Wait for a pod from now on; `is_own`: this push has patched it."""
        step = entry.step
        entry.stage, entry.since = Stage.PATCHED, now
        entry.is_own, entry.is_as_planned = is_own, not is_own
        self._state.active[step.number] = entry
        fact = PodPatched if is_own else PodAsPlanned
        self._state.events.append(fact(step.wave, step.number, step.set_name, str(step)))

    def look(self, entry: StepProgress, now: float) -> None:
        """How a patched pod fares; not yet in a wave that has not begun."""
        if entry.stage is not Stage.PATCHED or entry.step.number not in self._state.active:
            return
        live = self._state.pods.get(entry.step.pod)
        standing = standing_of(entry.step, live)
        if standing.is_skipped or live is None:
            self._state.finish(entry, Stage.SKIPPED, standing.why)
        elif standing.state is not State.AS_PLANNED:
            why = f"somebody has changed it since it was patched: {standing.why}"
            self._state.stop(Reason.STALE_PLAN, f"{entry.step}: {why}")
            self._state.finish(entry, Stage.FAILED, why)
        else:
            self._judge(entry, live, now)

    def _judge(self, entry: StepProgress, live: LivePod, now: float) -> None:
        target = self._state.plan.targets[entry.step.set_name]
        fares = health_of(entry.step, target, live, entry.before)
        entry.why = fares.why
        if fares.health is Health.FAILED:
            self._state.finish(entry, Stage.FAILED, fares.why)
        elif fares.health is Health.UPDATING:
            entry.ready_since = None
        elif entry.ready_since is None:
            entry.ready_since = now
            heapq.heappush(self._settling, (now + self._state.settings.settle, entry.step.number))

    def finish_settled(self, now: float) -> bool:
        """Count the pods as done that have stayed ready long enough; whether there were any."""
        is_any = False
        while self._settling and self._settling[0][0] <= now:
            _, number = heapq.heappop(self._settling)
            entry = self._state.active.get(number)
            if entry and entry.ready_since is not None and entry.ready_since + self._state.settings.settle <= now:
                is_any = True
                self._state.finish(entry, Stage.DONE)
                step, seconds = entry.step, round(now - entry.since, 3)
                self._state.events.append(PodDone(step.wave, step.number, step.set_name, str(step), seconds))
        return is_any

    def settles_at(self) -> float | None:
        """When the next pod may be done; None while none settles."""
        return self._settling[0][0] if self._settling else None
