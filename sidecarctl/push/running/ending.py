"""How a push has ended: what became of each pod, the findings about it, and how to go on."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from sidecarctl.facts.exit_codes import COMPLETED, FINDINGS
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import ObjectReference
from sidecarctl.files.lost_signals import SIGNALLED
from sidecarctl.operations.push_facts import PushFacts
from sidecarctl.operations.transforming.object_changes import Change, ObjectResult, Outcome
from sidecarctl.push.deciding.machine import Machine
from sidecarctl.push.plan.planned import PodKey
from sidecarctl.push.steps.step_progress import Stage, StepProgress


def facts_of(machine: Machine, *, resume: str, interrupted: int) -> PushFacts:
    """The numbers of a push that has ended; `resume` is the command that goes on."""
    pods = _by_pod(machine.progress)
    counts: Counter[str] = Counter(word for steps in pods.values() for word in _words(steps))
    result = _result(machine, interrupted)
    return PushFacts(
        result=result,
        patched=counts["patched"],
        done=counts["done"],
        waiting=counts["waiting"],
        as_planned=counts["as planned"],
        skipped=counts["skipped"],
        failed=counts["failed"],
        not_reached=counts["not reached"],
        how_to_go_on="" if result == "Completed" else f"go on with: {resume}",
    )


def exit_code_of(facts: PushFacts, interrupted: int) -> int:
    """0: all asked waves are done; 1: stopped, or pods failed; 128 and the signal: interrupted."""
    if interrupted:
        return SIGNALLED + interrupted
    return FINDINGS if facts.failed or facts.result == "Stopped" else COMPLETED


def objection_of(machine: Machine, facts: PushFacts) -> list[Finding]:
    """Why it stopped, as a finding."""
    if machine.halt is None:
        return []
    return [error(machine.halt.reason, machine.halt.why, hint=facts.how_to_go_on)]


def objects_of(machine: Machine) -> Iterator[ObjectResult]:
    """What became of each pod."""
    for pod, steps in _by_pod(machine.progress).items():
        words = set(_words(steps))
        yield ObjectResult(ObjectReference("v1", "Pod", *pod), _change(words, steps))


def _change(words: set[str], steps: Sequence[StepProgress]) -> Change:
    why = next((entry.why for entry in steps if entry.stage in (Stage.FAILED, Stage.SKIPPED) and entry.why), "")
    if "failed" in words:
        return Change(Outcome.FAILED, summary=why, findings=(error(Reason.PODS_FAILED, why),))
    if "skipped" in words:
        return Change(Outcome.SKIPPED, summary=why)
    if "not reached" in words:
        return Change(Outcome.SKIPPED, summary="not reached")
    summary = "not ready yet" if "waiting" in words else ""
    return Change(Outcome.CHANGED if "patched" in words else Outcome.UNCHANGED, summary=summary)


def _words(steps: Sequence[StepProgress]) -> Iterator[str]:
    """What is counted about a pod."""
    stages = {entry.stage for entry in steps}
    if any(entry.is_own for entry in steps):
        yield "patched"
        if stages == {Stage.DONE}:
            yield "done"
    if Stage.FAILED in stages:
        yield "failed"
    elif Stage.SKIPPED in stages:
        yield "skipped"
    elif stages & {Stage.OPEN, Stage.SENT}:
        yield "not reached"
    elif Stage.PATCHED in stages:
        yield "waiting"
    elif not any(entry.is_own for entry in steps):
        yield "as planned"


def _result(machine: Machine, interrupted: int) -> str:
    if interrupted:
        return "Interrupted"
    if machine.halt:
        return "Stopped"
    return "Paused" if machine.is_paused else "Completed"


def _by_pod(progress: Iterable[StepProgress]) -> dict[PodKey, list[StepProgress]]:
    found: dict[PodKey, list[StepProgress]] = {}
    for entry in progress:
        found.setdefault(entry.step.pod, []).append(entry)
    return found
