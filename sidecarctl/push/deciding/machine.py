"""The machine that decides what a push does next: from what it has seen, and the time, to actions.

It has no clock, sends nothing and waits for nothing; the same calls always lead to the same actions.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from sidecarctl.facts.reasons import Reason
from sidecarctl.kubectl.proxy.backing_off import backoff
from sidecarctl.push.deciding.actions import Action, End, Send
from sidecarctl.push.deciding.patched_pods import PatchedPods
from sidecarctl.push.deciding.room import Room
from sidecarctl.push.deciding.state import Halt, PushState
from sidecarctl.push.deciding.waves import Waves
from sidecarctl.push.events.events import ParallelismChanged, PushEvent
from sidecarctl.push.patches.outcomes import Later, Outcome, Patched, Refused
from sidecarctl.push.plan.planned import PodKey, PushPlan
from sidecarctl.push.plan.settings import PushSettings
from sidecarctl.push.pods.budget import Budget
from sidecarctl.push.pods.disruption_budgets import DisruptionBudget
from sidecarctl.push.pods.expectations import Standing, State, standing_of
from sidecarctl.push.pods.live_pods import LivePod
from sidecarctl.push.pods.ownership import is_ours
from sidecarctl.push.steps.step_progress import Stage, StepProgress


class Machine:
    """One push. `progress` says how far each step has come before; `chance` gives numbers from 0 to 1."""

    def __init__(
        self,
        plan: PushPlan,
        settings: PushSettings,
        budgets: Mapping[str, Budget],
        progress: Sequence[StepProgress],
        chance: Callable[[], float] = lambda: 0.0,
        disruption_budgets: Sequence[DisruptionBudget] = (),
    ) -> None:
        self._state = PushState(plan, settings, progress)
        self._room = Room(self._state, budgets, disruption_budgets)
        self._patched = PatchedPods(self._state)
        self._waves = Waves(self._state, self._patched)
        self._chance = chance

    @property
    def wave(self) -> int | None:
        """The wave that is under way."""
        return self._state.wave

    @property
    def progress(self) -> Sequence[StepProgress]:
        """The steps that were asked for."""
        return self._state.progress

    @property
    def halt(self) -> Halt | None:
        """Why no further patch is sent, if so."""
        return self._state.halt

    @property
    def is_paused(self) -> bool:
        """Whether it ends after a wave because it was asked to."""
        return self._state.is_paused

    def budgets(self) -> list[tuple[str, int, int]]:
        """Each set, its unavailable pods, and how many may be."""
        return self._room.budgets()

    def take_events(self) -> list[PushEvent]:
        """What has happened since this was last asked."""
        events, self._state.events = self._state.events, []
        return events

    def see(self, key: PodKey, live: LivePod | None, now: float) -> None:
        """A pod as it is now; None for a pod that is gone."""
        known = self._state.pods.get(key)
        if live and known and live.uid == known.uid and 0 < live.version < known.version:
            return  # the answer to a patch was here first
        self._room.see(key, live)
        if key not in self._state.by_pod:
            return
        if live is None:
            self._state.pods.pop(key, None)
        else:
            self._state.pods[key] = live
        for entry in self._state.by_pod[key]:
            self._patched.look(entry, now)

    def set_outdated(self, what: str, why: str) -> None:
        """What is seen may be out of date, so that no patch is sent; an empty `why`: it is up to date again."""
        self._room.set_outdated(what, why)

    def stop(self, reason: Reason, why: str) -> None:
        """Send no further patch; the first reason stays."""
        self._state.stop(reason, why)

    def answered_question(self, *, goes_on: bool, now: float) -> None:
        """Whether the wave that was asked for may begin."""
        self._waves.answered(goes_on=goes_on, now=now)

    def answered(self, number: int, outcome: Outcome, now: float) -> None:
        """What came of a patch that was sent."""
        entry = self._state.active.pop(number)
        if isinstance(outcome, Patched):
            self._take_patched(entry, outcome, now)
        elif isinstance(outcome, Later):
            self._put_off(entry, outcome, now)
        elif isinstance(outcome, Refused):
            self.stop(outcome.reason, f"{entry.step}: {outcome.why}")
            self._state.finish(entry, Stage.FAILED, outcome.why)
        else:
            entry.stage = Stage.OPEN
            self.see(entry.step.pod, outcome.live, now)
            self._meet(entry, outcome.standing, now)

    def decide(self, now: float, stamp: str) -> list[Action]:
        """What to do now; `stamp` is the time as annotations record it."""
        self._room.is_proven |= self._patched.finish_settled(now)
        self._waves.check_time(now)
        while True:
            was_halted = self.halt is not None
            actions = self._decided(now, stamp)
            if actions or was_halted or not (self._waves.is_over or self.halt):
                return actions

    def wakes_at(self, now: float) -> float | None:
        """When something may have to be decided although nothing has happened; None for never."""
        later = [entry.not_before for entry in self._state.open_steps() if entry.not_before > now]
        moments = [self._patched.settles_at(), self._waves.ends_at, *later]
        return min((moment for moment in moments if moment is not None), default=None)

    def _decided(self, now: float, stamp: str) -> list[Action]:
        """What to do now; where that is nothing, it may be because a wave came to its end, or the push to a halt."""
        if self.halt or self.is_paused:
            return [] if self._state.is_sending else [End()]
        if self._waves.is_asking:
            return []
        actions = self._waves.go_on(now)
        if actions or self.wave is None or not self._room.is_up_to_date():
            return actions
        return list(self._sends(now, stamp))

    def _sends(self, now: float, stamp: str) -> Iterator[Action]:
        for entry in self._state.open_steps():
            if entry.stage is not Stage.OPEN or entry.not_before > now or self._has_earlier(entry):
                continue
            if self.halt or not self._room.has_request():
                return
            live = self._state.pods.get(entry.step.pod)
            standing = standing_of(entry.step, live)
            if standing.state is not State.AS_BEFORE or live is None:
                self._meet(entry, standing, now)
            elif not self._room.has_place(entry):
                return
            else:
                entry.stage, entry.before = Stage.SENT, live.runs
                entry.times.add(stamp)
                self._state.active[entry.step.number] = entry
                yield Send(entry.step, live, stamp)

    def _has_earlier(self, entry: StepProgress) -> bool:
        """Whether another patch of the same pod comes first."""
        return any(not other.stage.is_final for other in self._state.earlier_steps(entry))

    def _meet(self, entry: StepProgress, standing: Standing, now: float) -> None:
        """A pod that is not as it was before the step."""
        if standing.is_skipped:
            self._state.finish(entry, Stage.SKIPPED, standing.why)
        elif standing.state is State.OTHER:
            self.stop(Reason.STALE_PLAN, f"{entry.step}: {standing.why}")
        elif standing.state is State.AS_PLANNED:
            self._meet_as_planned(entry, now)

    def _meet_as_planned(self, entry: StepProgress, now: float) -> None:
        """A patch whose answer was lost; or somebody else's."""
        live = self._state.pods[entry.step.pod]
        is_own = is_ours(entry.step, live, entry.times)
        if is_own or self._state.settings.adopt:
            self._patched.take(entry, now, is_own=is_own)
            self._patched.look(entry, now)
        else:
            why = f"{entry.step} is as planned already, and this push has not patched it"
            self.stop(Reason.FOREIGN_PUSH, why)

    def _take_patched(self, entry: StepProgress, outcome: Patched, now: float) -> None:
        self._room.parallel.succeeded()
        self._state.waiting = None
        self._patched.take(entry, now, is_own=True)
        if outcome.changed:
            self.stop(Reason.CHANGED_BY_ADMISSION, f"{entry.step}: {outcome.changed}")
            why = f"an admission webhook changed the patch: {outcome.changed}"
            self._state.finish(entry, Stage.FAILED, why)
        self.see(entry.step.pod, outcome.live, now)
        self._patched.look(entry, now)  # where the watch was here first

    def _put_off(self, entry: StepProgress, outcome: Later, now: float) -> None:
        entry.stage = Stage.OPEN
        entry.tries += 1
        pause = backoff(entry.tries, self._chance) if outcome.seconds is None else outcome.seconds
        entry.not_before = now + pause
        self._state.wait(f"{entry.step}: {outcome.why}")
        if outcome.throttled and self._room.parallel.lower(now):
            self._state.events.append(ParallelismChanged(self._room.parallel.limit))
