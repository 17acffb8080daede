"""The end of a push: the result for each pod as last seen, and how to continue."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum

from sidecarctl.engine.facts.exit_codes import COMPLETED
from sidecarctl.engine.facts.findings import Finding, error, named, note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files.process import SIGNALLED
from sidecarctl.engine.plan_file.reading import PodKey
from sidecarctl.engine.report import ObjectChange, ObjectResult, Outcome, Report
from sidecarctl.features.push.deciding.machine import Machine
from sidecarctl.features.push.deciding.progress import Stage, StepProgress
from sidecarctl.features.push.events import PushFacts
from sidecarctl.features.push.plan import PushPlan, PushStep
from sidecarctl.features.push.pods import Health, State, health_of, standing_of


class PodResult(StrEnum):
    """The result for a pod, one for each. `waiting` and `done` pods have the planned patch."""

    DONE = "done"
    WAITING = "waiting"
    SKIPPED = "skipped"
    FAILED = "failed"
    NOT_REACHED = "not reached"


def facts_of(plan: PushPlan, machine: Machine, *, resume: str, interrupted: int) -> PushFacts:
    """The numbers of a push that has ended; `resume` is the command that continues it."""
    counts: Counter[PodResult] = Counter()
    patched: Counter[PodResult] = Counter()
    for steps in _by_pod(machine.progress):
        result = _result_of(plan, machine, steps)
        counts[result] += 1
        patched[result] += any(entry.is_own for entry in steps)
    own = patched[PodResult.DONE] + patched[PodResult.WAITING]
    is_refused = any(entry.stage is Stage.REFUSED for entry in machine.progress)
    outcome = _result(machine, interrupted, has_failures=is_refused or bool(counts[PodResult.FAILED]))
    return PushFacts(
        result=outcome,
        patched=own,
        done=patched[PodResult.DONE],
        waiting=counts[PodResult.WAITING],
        as_planned=counts[PodResult.DONE] + counts[PodResult.WAITING] - own,
        skipped=counts[PodResult.SKIPPED],
        failed=counts[PodResult.FAILED],
        not_reached=counts[PodResult.NOT_REACHED],
        waves=_waves_asked_for(plan, machine) if outcome == "Completed" else "",
        leaves="; ".join(plan.leaves) if outcome == "Completed" else "",
        how_to_go_on="" if outcome == "Completed" else f"continue with: {resume}",
    )


def report_of(
    plan: PushPlan, machine: Machine, facts: PushFacts, findings: Sequence[Finding], interrupted: int
) -> Report[PushFacts]:
    """The report. It objects where the push stopped or pods failed; a signal is a failure."""
    halt = machine.halt
    why = [] if halt is None else [error(halt.reason, halt.why, hint=facts.how_to_go_on)]
    why += [error(Reason.ROLLOUT_STALLS, facts.leaves)] * bool(facts.leaves)
    return Report(
        "push",
        facts,
        [*findings, *_unready(machine), *why],
        [
            ObjectResult(steps[0].step.patch.reference, _change(_result_of(plan, machine, steps), steps))
            for steps in _by_pod(machine.progress)
        ],
        is_objection=bool(facts.failed or facts.leaves) or facts.result in ("Stopped", "Incomplete"),
        failure=SIGNALLED + interrupted if interrupted else COMPLETED,
        release=plan.release,
    )


def _unready(machine: Machine) -> Iterator[Finding]:
    """The pods that are not ready, and that the push no longer waits for."""
    for *_, last in _by_pod(machine.progress):
        if last.stage is Stage.DONE and last.why:
            message = f"{last.why}; it was {'ready after' if last.was_ready else 'not ready before'} its patch"
            yield note(Reason.POD_NOT_READY, message)._replace(subject=last.step.patch.reference)


def of_joined_pods(
    plan: PushPlan, old_pods: Iterable[tuple[str, PodKey]], before: Collection[tuple[str, PodKey]]
) -> Iterator[Finding]:
    """How many old pods have joined a SidecarSet during the push; `before` are those that it had."""
    joined: dict[str, list[str]] = {}
    for name, key in old_pods:
        if key not in plan.named and (name, key) not in before:
            joined.setdefault(name, []).append("/".join(key))
    for name, pods in joined.items():
        plural = "s" * (len(pods) > 1)
        message = f"{len(pods)} old pod{plural} joined SidecarSet {name} during the push, and stay old: {named(pods)}"
        yield note(Reason.POD_NOT_PLANNED, message)


def _change(result: PodResult, steps: Sequence[StepProgress]) -> ObjectChange:
    ends = (Stage.FAILED, Stage.REFUSED, Stage.SKIPPED)
    why, stage = next(((entry.why, entry.stage) for entry in steps if entry.stage in ends and entry.why), ("", None))
    subject = steps[0].step.patch.reference
    if result is PodResult.FAILED:
        failed = error(Reason.PODS_FAILED, why)._replace(subject=subject)
        return ObjectChange(Outcome.FAILED, summary=why, findings=(failed,))
    if stage is Stage.REFUSED:
        refused = error(Reason.PATCH_REFUSED, why)._replace(subject=subject)
        return ObjectChange(Outcome.SKIPPED, summary=f"not reached: {why}", findings=(refused,))
    if result is PodResult.SKIPPED:
        return ObjectChange(Outcome.SKIPPED, summary=why)
    if result is PodResult.NOT_REACHED:
        return ObjectChange(Outcome.SKIPPED, summary="not reached")
    summary = "not ready yet" if result is PodResult.WAITING else ""
    is_own = any(entry.is_own for entry in steps)
    return ObjectChange(Outcome.CHANGED if is_own else Outcome.UNCHANGED, summary=summary)


def _result_of(plan: PushPlan, machine: Machine, steps: Sequence[StepProgress]) -> PodResult:
    stages = {entry.stage for entry in steps}
    if Stage.FAILED in stages or stages >= {Stage.REFUSED, Stage.DONE}:
        return PodResult.FAILED
    if Stage.REFUSED in stages:
        return PodResult.NOT_REACHED
    if Stage.SKIPPED in stages:
        return PodResult.SKIPPED
    if stages & {Stage.OPEN, Stage.SENT}:
        return _result_without_us(plan, machine, steps[-1].step)
    is_waiting = Stage.PATCHED in stages or any(entry.why for entry in steps)
    return PodResult.WAITING if is_waiting else PodResult.DONE


def _result_without_us(plan: PushPlan, machine: Machine, last: PushStep) -> PodResult:
    """The result for a pod that the push has not patched: someone else may have, such as Kruise."""
    live = machine.pods.get(last.pod)
    if live is None or standing_of(last, live).state is not State.AS_PLANNED:
        return PodResult.NOT_REACHED
    is_ready = health_of(last, plan.targets[last.set_name], live, {}).health is Health.READY
    return PodResult.DONE if is_ready else PodResult.WAITING


def _waves_asked_for(plan: PushPlan, machine: Machine) -> str:
    """The waves that the push was asked for, such as `waves 1 to 2 of 5`; empty for all."""
    waves = sorted({entry.step.wave for entry in machine.progress})
    every = {step.wave for step in plan.steps}
    if not waves or every <= {*waves}:
        return ""
    is_range = len(waves) > 1 and waves == [*range(waves[0], waves[-1] + 1)]
    listed = f"{waves[0]} to {waves[-1]}" if is_range else ", ".join(map(str, waves))
    return f"wave{'s' * (len(waves) > 1)} {listed} of {plan.waves}"


def _result(machine: Machine, interrupted: int, *, has_failures: bool) -> str:
    if interrupted:
        return "Interrupted"
    if machine.halt:
        return "Stopped"
    if machine.is_paused:
        return "Paused"
    return "Incomplete" if has_failures else "Completed"


def _by_pod(progress: Iterable[StepProgress]) -> Iterable[list[StepProgress]]:
    """The steps of each pod."""
    found: dict[PodKey, list[StepProgress]] = {}
    for entry in progress:
        found.setdefault(entry.step.pod, []).append(entry)
    return found.values()
