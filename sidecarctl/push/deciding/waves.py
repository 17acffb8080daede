"""One wave after the other: which is under way, when it is over, and what comes before the next one."""

from sidecarctl.facts.reasons import Reason
from sidecarctl.push.deciding.actions import Action, Ask, End
from sidecarctl.push.deciding.patched_pods import PatchedPods
from sidecarctl.push.deciding.state import PushState
from sidecarctl.push.events.events import WaveDone, WaveStarted
from sidecarctl.push.steps.step_progress import Stage, StepProgress


class Waves:
    """The waves that are not over."""

    def __init__(self, state: PushState, patched: PatchedPods) -> None:
        self._state = state
        self._patched = patched
        self._waves = sorted(state.open)
        self._began = 0.0
        self._asked: int | None = None

    @property
    def is_asking(self) -> bool:
        """Whether an answer is awaited that begins a wave."""
        return self._asked is not None

    @property
    def is_over(self) -> bool:
        """Whether every step of the wave under way is final."""
        return self._state.wave is not None and not self._state.open[self._state.wave]

    @property
    def ends_at(self) -> float | None:
        """When the time of the wave under way is over."""
        return None if self._state.wave is None else self._began + self._state.settings.timeout

    def go_on(self, now: float) -> list[Action]:
        """End the wave where it is over, and begin the next one, or ask for it; nothing where one is under way."""
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

    def check_time(self, now: float) -> None:
        """Stop where the wave takes too long: its pods that are not ready have failed."""
        state, end = self._state, self.ends_at
        if end is None or now < end or state.halt or state.is_paused or self.is_over:
            return
        limit = f"{state.settings.timeout:g} s"
        late = [entry for entry in state.open_steps() if entry.stage is Stage.PATCHED]
        state.stop(Reason.PUSH_TIMEOUT, f"wave {state.wave} took more than {limit}: {self._why_late(late)}")
        for entry in late:
            state.finish(entry, Stage.FAILED, f"after {limit}: {entry.why or 'not settled'}")

    def _why_late(self, late: list[StepProgress]) -> str:
        if late:
            return f"{late[0].step}: {late[0].why or 'not settled'}"
        return self._state.waiting.why if self._state.waiting else "its patches are not answered"

    def _end(self, wave: int, now: float) -> bool:
        """End a wave; whether the push was to pause after it."""
        state = self._state
        state.events.append(WaveDone(wave, round(now - self._began, 3)))
        del state.open[wave]
        self._waves.remove(wave)
        state.wave = None
        last = state.settings.pause_after
        state.is_paused = last is not None and wave >= last and bool(self._waves)
        return state.is_paused

    def _begin(self, wave: int, now: float) -> None:
        """Begin a wave; pods of it that an earlier run has patched are waited for again."""
        state = self._state
        state.wave, self._began, state.waiting = wave, now, None
        state.events.append(WaveStarted(wave, len(state.open[wave])))
        for entry in state.open_steps():
            if earlier := self._earlier_failure(entry):
                state.finish(entry, Stage.SKIPPED, f"its earlier patch was not made: {earlier}")
            elif entry.stage is Stage.PATCHED:
                self._patched.take(entry, now, is_own=False)
                self._patched.look(entry, now)

    def _earlier_failure(self, entry: StepProgress) -> str:
        for other in self._state.earlier_steps(entry):
            if other.stage in (Stage.FAILED, Stage.SKIPPED):
                return other.why or "it failed"
        return ""
