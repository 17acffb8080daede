"""Wave after wave: waits until its pods are ready or have failed, then starts the next."""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.features.push.deciding.progress import PushState, Stage, StepProgress
from sidecarctl.features.push.events import PodAsPlanned, PodDone, PodPatched, PodUnready, WaveDone, WaveStarted
from sidecarctl.features.push.plan import PushStep
from sidecarctl.features.push.pods import Health, LivePod, State, health_of, standing_of


@dataclass(frozen=True, slots=True)
class Send:
    """Send the patch of a step, made from the pod as it was last seen; `stamp` is the time that it records."""

    step: PushStep
    live: LivePod
    stamp: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask whether a wave may begin; the answer goes to `Machine.answered_question`."""

    wave: int
    steps: Sequence[PushStep]


@dataclass(frozen=True, slots=True)
class End:
    """The push is over."""


Action: TypeAlias = Send | Ask | End


class PatchedPods:
    """The pods that the push waits for."""

    def __init__(self, state: PushState) -> None:
        self._state = state
        self._settling: list[tuple[float, int]] = []

    def take(self, entry: StepProgress, now: float, *, is_own: bool) -> None:
        """Wait for a pod from now on; `is_own`: this push has patched it."""
        step = entry.step
        entry.stage, entry.since, entry.is_own = Stage.PATCHED, now, is_own
        self._state.active[step.number] = entry
        fact = PodPatched if is_own else PodAsPlanned
        self._state.events.append(fact(step.wave, step.number, step.set_name, str(step)))

    def look(self, entry: StepProgress, now: float) -> None:
        """Check a patched pod, even a done one, unless its wave has not begun."""
        is_waited_for = entry.stage is Stage.PATCHED and entry.step.number in self._state.active
        is_final = entry.stage in (Stage.DONE, Stage.SKIPPED)
        if not (is_waited_for or is_final) or self._state.is_superseded(entry):
            return
        live = self._state.pods.get(entry.step.pod)
        standing = standing_of(entry.step, live)
        if entry.stage is Stage.SKIPPED:
            entry.why = standing.why or entry.why  # a pod that was gone may have been created again
        elif standing.is_skipped or live is None:
            self._state.finish(entry, Stage.SKIPPED, standing.why)
        elif standing.state is not State.AS_PLANNED:
            why = f"somebody has changed it since it was patched: {standing.why}"
            self._state.stop(Reason.STALE_PLAN, f"{entry.step}: {why}")
            self._state.finish(entry, Stage.FAILED, why)
        elif is_waited_for:
            self._judge(entry, live, now)
        else:
            entry.why = health_of(entry.step, self._state.plan.targets[entry.step.set_name], live, {}).why

    def _judge(self, entry: StepProgress, live: LivePod, now: float) -> None:
        target = self._state.plan.targets[entry.step.set_name]
        fares = health_of(entry.step, target, live, entry.before)
        entry.why = fares.why
        if fares.health is Health.FAILED:
            self._state.finish(entry, Stage.FAILED, fares.why)
        elif fares.health is Health.UPDATING and (entry.was_ready or entry.may_be_mended):
            entry.ready_since = None
        elif entry.ready_since is None:
            entry.ready_since = now
            heapq.heappush(self._settling, (now + self._state.settings.settle, entry.step.number))

    def finish_settled(self, now: float) -> bool:
        """Count pods as done that have stayed ready long enough; returns whether there were any.

        A pod that was not ready before its patch is done after the same time, whether it is ready or not.
        """
        is_any = False
        while self._settling and self._settling[0][0] <= now:
            _, number = heapq.heappop(self._settling)
            entry = self._state.active.get(number)
            if entry and entry.ready_since is not None and entry.ready_since + self._state.settings.settle <= now:
                is_any |= not entry.why
                self.finish(entry, now)
        return is_any

    def finish(self, entry: StepProgress, now: float) -> None:
        """Count a pod as done, whether or not it is ready."""
        step, why = entry.step, entry.why
        self._state.finish(entry, Stage.DONE, why)
        about = (step.wave, step.number, step.set_name, str(step))
        done = (
            PodUnready(*about, why) if why else PodDone(*about, round(now - entry.since, 3) if entry.is_own else None)
        )
        self._state.events.append(done)

    def settles_at(self) -> float | None:
        """When the next pod may be done; None if none is settling."""
        return self._settling[0][0] if self._settling else None


class Waves:
    """The waves that have not ended."""

    def __init__(self, state: PushState, patched: PatchedPods, is_up_to_date: Callable[[], bool]) -> None:
        self._state = state
        self._patched = patched
        self._is_up_to_date = is_up_to_date
        self._waves = sorted(state.open)
        self._began = self._counts_from = 0.0
        self._asked: int | None = None

    @property
    def is_asking(self) -> bool:
        """Whether the push waits for the user's answer about a wave."""
        return self._asked is not None

    @property
    def is_over(self) -> bool:
        """Whether every step of the current wave is final, and the view of its pods is current."""
        return self._state.wave is not None and not self._state.open[self._state.wave] and self._is_up_to_date()

    @property
    def ends_at(self) -> float | None:
        """When the current wave times out."""
        return None if self._state.wave is None else self._counts_from + self._state.settings.timeout

    def go_on(self, now: float) -> list[Action]:
        """End the wave if it is complete, and begin the next one, or ask for it; nothing while one is in progress."""
        if self._state.wave is not None:
            if not self.is_over:
                return []
            if self._end(self._state.wave, now):
                return [End()]
        if not self._waves:
            return [End()]
        wave = self._waves[0]
        if self._state.settings.confirms:
            self._asked = wave
            return [Ask(wave, [entry.step for entry in self._state.open[wave].values()])]
        self._begin(wave, now)
        return []

    def answered(self, *, goes_on: bool, now: float) -> None:
        """Whether the wave that was asked for may begin."""
        wave, self._asked = self._asked, None
        if wave is None:
            return
        if goes_on:
            self._begin(wave, now)
        else:
            self._state.stop(Reason.PUSH_INTERRUPTED, f"wave {wave} was not confirmed")

    def restart_clock(self, now: float) -> None:
        """Restart the wave's time limit: a budget that holds back its pods lets them through one by one."""
        self._counts_from = now

    def check_time(self, now: float) -> None:
        """End a wave that takes too long: its pods that are not ready have failed, if they were ready before.

        If no more failures happened than are allowed, the rest of the wave gets the same time again.
        """
        state, end = self._state, self.ends_at
        if end is None or now < end or state.halt or state.is_paused or self.is_over:
            return
        limit = f"{state.settings.timeout:g} s"
        waited_for = [entry for entry in state.open_steps() if entry.stage is Stage.PATCHED]
        late = [entry for entry in waited_for if entry.was_ready]
        failures = state.failures + len(late)
        if not waited_for or (late and failures > state.settings.max_failures):
            why = self._why_late(late)
            reason = Reason.SIDECARSET_CHANGED if state.is_braked and not late else Reason.PUSH_TIMEOUT
            state.stop(reason, f"wave {state.wave} took more than {limit}: {why}")
        for entry in waited_for:
            if entry.was_ready:
                state.finish(entry, Stage.FAILED, f"after {limit}: {entry.why or 'not settled'}")
            else:
                self._patched.finish(entry, now)
        self._counts_from = now

    def _why_late(self, late: list[StepProgress]) -> str:
        if late:
            others = f", and {len(late) - 1} more" if len(late) > 1 else ""
            why = late[0].why or "not settled"
            advice = self._state.advice(late[0].step.set_name, [entry.step.pod for entry in late])
            return f"{late[0].step}{others}: {why}{advice}"
        waiting = self._state.waiting
        if waiting is None:
            return "its patches got no answer"
        return f"SidecarSet {waiting.set}: " * bool(waiting.set) + waiting.why

    def _end(self, wave: int, now: float) -> bool:
        """End a wave; returns whether the push pauses after it."""
        state = self._state
        state.events.append(WaveDone(wave, round(now - self._began, 3)))
        del state.open[wave]
        self._waves.remove(wave)
        state.wave = None
        last = state.settings.pause_after
        state.is_paused = last is not None and wave >= last and bool(self._waves)
        return state.is_paused

    def _begin(self, wave: int, now: float) -> None:
        """Begin a wave; if an earlier run patched some of its pods, wait for them again."""
        state = self._state
        self._began = self._counts_from = now
        state.wave, state.waiting = wave, None
        state.events.append(WaveStarted(wave, len(state.open[wave])))
        for entry in state.open_steps():
            if earlier := self._earlier_failure(entry):
                state.finish(entry, Stage.SKIPPED, f"its earlier patch was not made: {earlier}")
            elif entry.stage is Stage.PATCHED:
                self._patched.take(entry, now, is_own=False)
                self._patched.look(entry, now)

    def _earlier_failure(self, entry: StepProgress) -> str:
        for other in self._state.earlier_steps(entry):
            if other.stage in (Stage.FAILED, Stage.SKIPPED, Stage.REFUSED):
                return other.why or "it failed"
        return ""
