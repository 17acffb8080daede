"""The machine that decides what a push does next: observations and the time in, actions out.

It has no clock, sends nothing and waits for nothing; the same calls always lead to the same actions.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.api_requests import backoff
from sidecarctl.engine.plan_file.reading import PodKey
from sidecarctl.engine.rollout.predicates import is_reset_due
from sidecarctl.engine.rollout.targets import NamespaceLabels
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.features.push.deciding.limits import Limits
from sidecarctl.features.push.deciding.pod_limit import PodLimit
from sidecarctl.features.push.deciding.progress import Halt, PushState, Stage, StepProgress
from sidecarctl.features.push.deciding.waves import Action, End, PatchedPods, Send, Waves
from sidecarctl.features.push.events import ParallelismChanged, PushEvent
from sidecarctl.features.push.patches import Later, Patched, PatchRefused, SendResult
from sidecarctl.features.push.plan import PushPlan, PushSettings
from sidecarctl.features.push.pods import LivePod, PodStanding, State, is_ours, standing_of

_NOT_ABOUT_THE_POD = (Reason.NOT_LOGGED_IN, Reason.FORBIDDEN)
"""Refusals of the user; the pod has not failed."""


class Machine:
    """One push. `progress` is the earlier state of each step; `chance` gives numbers from 0 to 1."""

    def __init__(
        self,
        plan: PushPlan,
        settings: PushSettings,
        budgets: Mapping[str, PodLimit],
        progress: Sequence[StepProgress],
        chance: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._state = PushState(plan, settings, progress)
        self._limits = Limits(self._state, budgets, chance)
        self._patched = PatchedPods(self._state)
        self._waves = Waves(self._state, self._patched, self._limits.is_up_to_date)
        self._chance = chance

    @property
    def wave(self) -> int | None:
        """The current wave."""
        return self._state.wave

    @property
    def progress(self) -> Sequence[StepProgress]:
        """The selected steps."""
        return self._state.progress

    @property
    def halt(self) -> Halt | None:
        """Why no more patches are sent; empty if they are."""
        return self._state.halt

    @property
    def is_paused(self) -> bool:
        """Whether it ends after a wave because the user asked for that."""
        return self._state.is_paused

    def budgets(self) -> list[tuple[str, int, int]]:
        """Each set, its unavailable pods, and how many may be."""
        return self._limits.budgets()

    def take_events(self) -> list[PushEvent]:
        """The events since the last call."""
        events, self._state.events = self._state.events, []
        return events

    def see(self, key: PodKey, live: LivePod | None, now: float) -> None:
        """A pod as it is now; None for a pod that is gone."""
        known = self._state.pods.get(key)
        if live and known and live.uid == known.uid and 0 < live.version <= known.version:
            return  # the answer to a patch arrived first, or that was this state already
        self._limits.see(key, live, now)
        if key not in self._state.by_pod:
            return
        if live is None:
            self._state.pods.pop(key, None)
        else:
            self._state.pods[key] = live
        for entry in self._state.by_pod[key]:
            self._patched.look(entry, now)

    def see_disruption_budget(self, key: PodKey, manifest: Object | None) -> None:
        """A PodDisruptionBudget as it is now; None for one that is gone."""
        self._limits.see_disruption_budget(key, manifest)

    def see_namespaces(self, namespaces: NamespaceLabels) -> None:
        """The labels of all namespaces as they are now."""
        self._limits.see_namespaces(namespaces)

    def see_sidecarset(self, name: str, sidecar_set: SidecarSet | None, namespaces: NamespaceLabels) -> None:
        """A SidecarSet as it is in the cluster, None if it is not there; the stricter of it and the plan holds."""
        self._limits.see_sidecarset(name, sidecar_set, namespaces)

    @property
    def pods(self) -> Mapping[PodKey, LivePod]:
        """All pods that are seen."""
        return self._limits.pods

    def old_pods(self) -> Iterator[tuple[str, PodKey]]:
        """Each pod that Kruise would update now, with the name of the SidecarSet."""
        return self._limits.old_pods()

    def lost_time(self, now: float) -> None:
        """Some time during which nothing was observed does not count."""
        self._waves.restart_clock(now)

    def set_outdated(self, what: str, why: str) -> None:
        """What is seen may be stale, so no patch is sent; an empty `why` means that it is current again."""
        self._limits.set_outdated(what, why)

    def stop(self, reason: Reason, why: str) -> None:
        """Send no more patches; the first reason stays."""
        self._state.stop(reason, why)

    def answered_question(self, *, goes_on: bool, now: float) -> None:
        """The answer to whether the next wave may begin."""
        self._waves.answered(goes_on=goes_on, now=now)

    def answered(self, number: int, outcome: SendResult, now: float) -> None:
        """Take the answer to a patch."""
        entry = self._state.active.pop(number)
        if isinstance(outcome, Patched):
            self._take_patched(entry, outcome, now)
        elif isinstance(outcome, Later):
            self._put_off(entry, outcome, now)
        elif isinstance(outcome, PatchRefused):
            if outcome.reason in _NOT_ABOUT_THE_POD:
                entry.stage = Stage.OPEN
                self.stop(outcome.reason, f"{entry.step}: {outcome.why}")
            else:
                self._state.finish(entry, Stage.REFUSED, outcome.why)
        else:
            entry.stage = Stage.OPEN
            self.see(entry.step.pod, outcome.live, now)
            self._meet(entry, outcome.standing, now)

    def decide(self, now: float, stamp: str) -> list[Action]:
        """What to do now; `stamp` is the time as annotations record it."""
        if self._limits.is_current:
            self._limits.is_proven |= self._patched.finish_settled(now)
        self._waves.check_time(now)
        while True:
            was_halted = self.halt is not None
            actions = self._decided(now, stamp)
            if actions or was_halted or not (self._waves.is_over or self.halt):
                return actions

    def wakes_at(self, now: float) -> float | None:
        """When to decide again even if nothing happens, after a decision at `now`; None for never."""
        later = [entry.not_before for entry in self._state.open_steps()]
        moments = [self._patched.settles_at(), self._waves.ends_at, self._limits.turns.ends_at, *later]
        return min((moment for moment in moments if moment is not None and moment > now), default=None)

    def _decided(self, now: float, stamp: str) -> list[Action]:
        """What to do now; nothing if, for example, a wave has ended or the push is stopping."""
        if self.halt or self.is_paused:
            return [] if self._state.is_sending else [End()]
        if self._waves.is_asking:
            return []
        actions = self._waves.go_on(now)
        if actions or self.wave is None or not self._limits.is_up_to_date():
            return actions
        return list(self._sends(now, stamp))

    def _sends(self, now: float, stamp: str) -> Iterator[Action]:
        held: set[str] = set()
        for entry in self._state.open_steps():
            if entry.step.set_name in held:
                continue  # like Kruise: no pod after the refused one is tried
            if entry.is_held and entry.stage in (Stage.OPEN, Stage.SENT):
                held.add(entry.step.set_name)
            if not self._is_due(entry, now) or (not self.halt and self._limits.comes_later(entry)):
                continue
            if self.halt or not self._limits.has_request(now):
                return
            live = self._state.pods.get(entry.step.pod)
            standing = standing_of(entry.step, live)
            if standing.state is not State.AS_BEFORE or live is None:
                self._meet(entry, standing, now)
            elif why := self._why_skipped(entry, live):
                self._state.finish(entry, Stage.SKIPPED, why)
            elif refusal := self._limits.refusal(entry):
                if not refusal.is_of_pod:
                    return
            else:
                yield self._sent(entry, live, stamp)

    def _is_due(self, entry: StepProgress, now: float) -> bool:
        return entry.stage is Stage.OPEN and entry.not_before <= now and not self._has_earlier(entry)

    def _sent(self, entry: StepProgress, live: LivePod, stamp: str) -> Send:
        entry.stage = Stage.SENT
        entry.take_note_of(live)
        entry.times.add(stamp)
        self._state.active[entry.step.number] = entry
        self._limits.turns.sent()
        return Send(entry.step, live, stamp)

    def _why_skipped(self, entry: StepProgress, live: LivePod) -> str:
        if self._lacks_new_half(entry, live):
            return "its new half is not ready, so the old one keeps running"
        return self._limits.why_left(entry, live)

    def _lacks_new_half(self, entry: StepProgress, live: LivePod) -> bool:
        """Whether a reset would stop the only running half, in a pod that the push did not wait for."""
        is_unready = any(other.stage is Stage.DONE and other.why for other in self._state.earlier_steps(entry))
        target = self._state.plan.targets[entry.step.set_name]
        return entry.step.is_reset and is_unready and not is_reset_due(target, live.fresh())

    def _has_earlier(self, entry: StepProgress) -> bool:
        """Whether another patch of the same pod comes first."""
        return any(not other.stage.is_final for other in self._state.earlier_steps(entry))

    def _meet(self, entry: StepProgress, standing: PodStanding, now: float) -> None:
        """Handle a pod that is no longer as it was before the step."""
        if standing.is_skipped:
            self._state.finish(entry, Stage.SKIPPED, standing.why)
        elif standing.state is State.OTHER:
            self.stop(Reason.STALE_PLAN, f"{entry.step}: {standing.why}")
        elif standing.state is State.AS_PLANNED:
            self._meet_as_planned(entry, now)

    def _meet_as_planned(self, entry: StepProgress, now: float) -> None:
        """Handle a patch whose answer was lost, or that somebody else sent."""
        live = self._state.pods[entry.step.pod]
        is_own = is_ours(entry.step, live, entry.times)
        if is_own or self._state.settings.adopt:
            self._patched.take(entry, now, is_own=is_own)
            self._patched.look(entry, now)
        else:
            why = f"{entry.step} already matches the plan, and this push has not patched it"
            self.stop(Reason.FOREIGN_PUSH, why)

    def _take_patched(self, entry: StepProgress, outcome: Patched, now: float) -> None:
        self._limits.parallel.succeeded()
        self._state.waiting = None
        entry.take_note_of(outcome.live)  # its status is old: the pod may have become unready since
        is_slow = self._limits.is_slowed(entry.step.set_name) or self._limits.turns.sees_others(now)
        if entry.is_held or is_slow:
            self._waves.restart_clock(now)
        self._patched.take(entry, now, is_own=True)
        if outcome.changed:
            self.stop(Reason.CHANGED_BY_ADMISSION, f"{entry.step}: {outcome.changed}")
            why = f"an admission webhook changed the patch: {outcome.changed}"
            self._state.finish(entry, Stage.FAILED, why)
        self.see(entry.step.pod, outcome.live, now)
        if self._state.pods.get(entry.step.pod) is not outcome.live:  # the watch was faster
            self._patched.look(entry, now)

    def _put_off(self, entry: StepProgress, outcome: Later, now: float) -> None:
        entry.stage = Stage.OPEN
        entry.tries += 1
        pause = backoff(entry.tries, self._chance) if outcome.seconds is None else outcome.seconds
        entry.not_before = now + pause
        entry.is_held |= outcome.is_held
        self._state.wait(f"{entry.step}: {outcome.why}", budget=outcome.why if outcome.is_held else "")
        if outcome.throttled and self._limits.parallel.lower(now):
            self._state.events.append(ParallelismChanged(self._limits.parallel.limit))
