"""The progress of a push: each step, and everything that is known while it runs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.plan_file.journal import ContainerRun, Past
from sidecarctl.engine.plan_file.reading import PodKey
from sidecarctl.engine.rollout.predicates import is_running_and_ready
from sidecarctl.features.push.events import PodFailed, PodRefused, PodSkipped, PushEvent, Stopping, Waiting
from sidecarctl.features.push.plan import PushPlan, PushSettings, PushStep
from sidecarctl.features.push.pods import Health, LivePod, State, health_of, is_ours, standing_of


class Stage(StrEnum):
    """The state of a step; the last four are final. The pod of a refused patch is untouched."""

    OPEN = "open"
    SENT = "sent"
    PATCHED = "patched"
    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"
    REFUSED = "refused"

    @property
    def is_final(self) -> bool:
        """Whether nothing more happens to it."""
        return self in (Stage.DONE, Stage.SKIPPED, Stage.FAILED, Stage.REFUSED)


@dataclass(slots=True)
class StepProgress:
    """One step; times in seconds.

    `times`: the times that its patches record, by which a pod that is as planned is known as ours. `before`: how the
    containers ran when it was patched. `was_ready`: so was the pod; else it need not become ready. `is_own`: this run
    patched it. `is_held`: a PodUnavailableBudget has refused it. `not_before`: when it may be tried again.
    """

    step: PushStep
    stage: Stage = Stage.OPEN
    times: set[str] = field(default_factory=set)
    before: Mapping[str, ContainerRun] = field(default_factory=dict)
    was_ready: bool = True
    is_own: bool = False
    is_held: bool = False
    since: float = 0.0
    ready_since: float | None = None
    not_before: float = 0.0
    tries: int = 0
    why: str = ""

    def take_note_of(self, live: LivePod) -> None:
        """Remember the state of a pod before its patch."""
        self.before, self.was_ready = live.runs, is_running_and_ready(live.pod)

    @property
    def may_be_mended(self) -> bool:
        """Whether the pod was not ready, and only because of containers that the patch updates."""
        unready = {name for name, run in self.before.items() if not run.ready}
        return (
            not self.was_ready and bool(unready) and unready <= {image.container for image in self.step.patch.images}
        )


def progress_at_start(plan: PushPlan, past: Past, pods: Mapping[PodKey, LivePod]) -> list[StepProgress]:
    """Every step of the plan, with its state as its pod shows it now.

    The journal proves nothing: it says only which patches may be ours, and how pods were before them.
    """
    found = [
        StepProgress(
            step,
            times=set(past.times.get(step.number, ())),
            before=past.runs.get(step.number, {}),
            was_ready=step.patch.was_ready and all(run.ready for run in past.runs.get(step.number, {}).values()),
        )
        for step in plan.steps
    ]
    later: dict[tuple[PodKey, str], Stage] = {}
    for entry in reversed(found):  # a later patch may replace what an earlier one of the same SidecarSet has set
        own = (entry.step.pod, entry.step.set_name)
        entry.stage = Stage.DONE if own in later else _stage_now(entry, plan, past, pods.get(entry.step.pod))
        if entry.stage is not Stage.OPEN:
            later[own] = entry.stage
    return found


def _stage_now(entry: StepProgress, plan: PushPlan, past: Past, live: LivePod | None) -> Stage:
    step = entry.step
    if live is None or standing_of(step, live).state is not State.AS_PLANNED or not is_ours(step, live, entry.times):
        return Stage.OPEN
    if step.number not in past.done | past.failed:
        return Stage.PATCHED
    entry.before = {}  # what happened to a pod after it was done has nothing to do with its patch
    is_ready = health_of(step, plan.targets[step.set_name], live, {}).health is Health.READY
    may_be_unready = not entry.was_ready and step.number in past.done
    return Stage.DONE if is_ready or may_be_unready else Stage.PATCHED


class Halt(NamedTuple):
    """Why no more patches are sent."""

    reason: Reason
    why: str


class PushState:
    """The selected steps, and their pods.

    `open` holds the steps of each wave that are not final, by number; `active` those that were sent or wait for their
    pods. `wave` is the one in progress. `is_paused`: the push ends here because it was asked to. `is_braked`: the
    SidecarSet in the cluster does not allow the next patch, though the plan does. `has_room`: whether a SidecarSet
    allows patches while some pods stay unavailable.
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
        self._budgets_told: set[tuple[int, str]] = set()
        # Before a reset no pod is ready in a plan, because its upgrade has just restarted it.
        upgrades = (entry for entry in self.progress if not entry.step.is_reset)
        self._unready_in_plan = [entry for entry in upgrades if not entry.step.patch.was_ready]
        self.is_braked = False
        self.has_room: Callable[[str, AbstractSet[PodKey]], bool] = lambda *_: True
        self.failed_pods: set[PodKey] = set()
        self.refused_pods: set[PodKey] = set()

    @property
    def is_sending(self) -> bool:
        """Whether any answer is outstanding."""
        return any(entry.stage is Stage.SENT for entry in self.active.values())

    @property
    def busy_pods(self) -> set[PodKey]:
        """The pods that are being updated; those that have failed never count as ready again."""
        return {*(entry.step.pod for entry in self.active.values()), *self.failed_pods}

    @property
    def free_pods(self) -> set[PodKey]:
        """The pods that the plan has as not ready: as in Kruise they take no place before their wave is over."""
        return {
            entry.step.pod
            for entry in self._unready_in_plan
            if entry.stage is Stage.OPEN or (entry.step.wave == self.wave and not entry.was_ready)
        }

    def open_steps(self) -> tuple[StepProgress, ...]:
        """The steps of the current wave that are not final."""
        return () if self.wave is None else tuple(self.open[self.wave].values())

    def is_superseded(self, entry: StepProgress) -> bool:
        """Whether a later patch of the same pod and SidecarSet was sent."""
        return any(
            other.step.number > entry.step.number
            and other.step.set_name == entry.step.set_name
            and other.stage is not Stage.OPEN
            for other in self.by_pod[entry.step.pod]
        )

    def earlier_steps(self, entry: StepProgress) -> list[StepProgress]:
        """The earlier steps of the same pod."""
        return [other for other in self.by_pod[entry.step.pod] if other.step.number < entry.step.number]

    def stop(self, reason: Reason, why: str) -> None:
        """Send no further patch; the first reason stays."""
        if self.halt is None:
            self.halt = Halt(reason, why)
            self.events.append(Stopping(str(reason), why))

    def wait(self, why: str, set_name: str = "", budget: str = "") -> None:
        """Report why no patch can be sent at the moment, unless that was the last report.

        `budget`: what a PodUnavailableBudget says, which is reported once in a wave for all pods that it holds back.
        """
        fact, before = Waiting(self.wave or 0, why, set_name), self.waiting
        self.waiting = fact
        is_told = (fact.wave, budget) in self._budgets_told
        if fact != before and not is_told:
            self.events.append(fact)
        if budget:
            self._budgets_told.add((fact.wave, budget))

    def finish(self, entry: StepProgress, stage: Stage, why: str = "") -> None:
        """Finish a step; too many failures stop the push."""
        entry.stage, entry.why = stage, why
        self.active.pop(entry.step.number, None)
        self.open.get(entry.step.wave, {}).pop(entry.step.number, None)
        step = entry.step
        if stage is Stage.SKIPPED:
            self.events.append(PodSkipped(step.wave, step.number, step.set_name, str(step), why))
        elif stage is Stage.FAILED:
            self.events.append(PodFailed(step.wave, step.number, step.set_name, str(step), why))
            self.failed_pods.add(step.pod)
            self._count_failures(entry)
        elif stage is Stage.REFUSED:
            self.events.append(PodRefused(step.wave, step.number, step.set_name, str(step), why))
            self.refused_pods.add(step.pod)
            if self.failures > self.settings.max_failures:
                passing = f"--max-failures {self.failures} passes over such pods"
                self.stop(Reason.PATCH_REFUSED, f"{step}: {why}; {passing}")

    @property
    def failures(self) -> int:
        """How many pods have failed, or refused their patches."""
        return len(self.failed_pods | self.refused_pods)

    def _count_failures(self, last: StepProgress) -> None:
        failed = len(self.failed_pods)
        if self.failures > self.settings.max_failures:
            pods = "1 pod has failed" if failed == 1 else f"{failed} pods have failed, the last of them"
            self.stop(Reason.PODS_FAILED, f"{pods}: {last.step}: {last.why}{self.advice(last.step.set_name)}")

    def advice(self, set_name: str, late: Iterable[PodKey] = ()) -> str:
        """The option that continues despite failed and late pods; empty if there is none."""
        failed = {*self.failed_pods, *late}
        if not self.has_room(set_name, failed):
            return "; it takes the only place that maxUnavailable allows"
        return f"; --max-failures {len(failed | self.refused_pods)} continues anyway"
