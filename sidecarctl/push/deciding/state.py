"""Everything that a push knows while it is under way; the other modules here read it and change it."""

from collections.abc import Sequence

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.push.events.events import PodFailed, PodSkipped, PushEvent, Stopping, Waiting
from sidecarctl.push.plan.planned import PodKey, PushPlan
from sidecarctl.push.plan.settings import PushSettings
from sidecarctl.push.pods.live_pods import LivePod
from sidecarctl.push.steps.step_progress import Stage, StepProgress


class Halt(NamedTuple):
    """Why no further patch is sent."""

    reason: Reason
    why: str


class PushState:
    """The steps that were asked for, and the pods that they are about.

    `open` holds the steps of each wave that are not final, by number; `active` those that were sent or wait for their
    pods. `wave` is the one under way. `is_paused`: the push ends here because it was asked to.
    """

    def __init__(self, plan: PushPlan, settings: PushSettings, progress: Sequence[StepProgress]) -> None:
        self.plan = plan
        self.settings = settings
        self.progress = [entry for entry in progress if settings.asks_for(entry.step.wave)]
        self.by_pod: dict[PodKey, list[StepProgress]] = {}
        self.open: dict[int, dict[int, StepProgress]] = {}
        for entry in self.progress:
            self.by_pod.setdefault(entry.step.pod, []).append(entry)
            if not entry.stage.is_final:
                self.open.setdefault(entry.step.wave, {})[entry.step.number] = entry
        self.active: dict[int, StepProgress] = {}
        self.pods: dict[PodKey, LivePod] = {}
        self.wave: int | None = None
        self.halt: Halt | None = None
        self.is_paused = False
        self.events: list[PushEvent] = []
        self.waiting: Waiting | None = None
        self._failed_pods: list[PodKey] = []

    @property
    def is_sending(self) -> bool:
        """Whether an answer is awaited."""
        return any(entry.stage is Stage.SENT for entry in self.active.values())

    @property
    def busy_pods(self) -> list[PodKey]:
        """The pods that are being updated; those that have failed never count as ready again."""
        return [*(entry.step.pod for entry in self.active.values()), *self._failed_pods]

    def open_steps(self) -> tuple[StepProgress, ...]:
        """The steps of the wave under way that are not final."""
        return () if self.wave is None else tuple(self.open[self.wave].values())

    def earlier_steps(self, entry: StepProgress) -> list[StepProgress]:
        """The steps of the same pod that come before."""
        return [other for other in self.by_pod[entry.step.pod] if other.step.number < entry.step.number]

    def stop(self, reason: Reason, why: str) -> None:
        """Send no further patch; the first reason stays."""
        if self.halt is None:
            self.halt = Halt(reason, why)
            self.events.append(Stopping(str(reason), why))

    def wait(self, why: str, set_name: str = "") -> None:
        """Say why no patch can be sent at the moment, unless that was said last."""
        fact = Waiting(self.wave or 0, why, set_name)
        if fact != self.waiting:
            self.waiting = fact
            self.events.append(fact)

    def finish(self, entry: StepProgress, stage: Stage, why: str = "") -> None:
        """Bring a step to its end; too many failures stop the push."""
        entry.stage, entry.why = stage, why
        self.active.pop(entry.step.number, None)
        self.open[entry.step.wave].pop(entry.step.number, None)
        step = entry.step
        if stage is Stage.SKIPPED:
            self.events.append(PodSkipped(step.wave, step.number, step.set_name, str(step), why))
        elif stage is Stage.FAILED:
            self.events.append(PodFailed(step.wave, step.number, step.set_name, str(step), why))
            self._failed_pods.append(step.pod)
            self._count_failures(entry)

    def _count_failures(self, last: StepProgress) -> None:
        failed = sum(entry.stage is Stage.FAILED for entry in self.progress)
        if failed > self.settings.max_failures:
            pods = "1 pod has failed" if failed == 1 else f"{failed} pods have failed, the last of them"
            self.stop(Reason.PODS_FAILED, f"{pods}: {last.step}: {last.why}")
