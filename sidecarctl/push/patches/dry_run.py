"""Patches that the API server checks with everything that it has, webhooks included, and does not carry out."""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

from sidecarctl.facts.findings import Finding, error, note, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import ObjectReference
from sidecarctl.push.patches.outcomes import Found, Later, Outcome, Patched
from sidecarctl.push.patches.sending import Sender
from sidecarctl.push.plan.planned import PodKey, Step
from sidecarctl.push.pods.expectations import State
from sidecarctl.push.pods.live_pods import LivePod
from sidecarctl.push.steps.step_progress import Stage, StepProgress

QUERY = {"dryRun": "All"}


def first_steps(progress: Iterable[StepProgress]) -> Iterator[Step]:
    """The next step of each pod: its later ones cannot be checked before that is made."""
    seen: set[PodKey] = set()
    for entry in progress:
        if entry.stage is Stage.OPEN and entry.step.pod not in seen:
            yield entry.step
        if not entry.stage.is_final:
            seen.add(entry.step.pod)


def later_steps(progress: Iterable[StepProgress]) -> Iterator[Finding]:
    """A note about patches that cannot be tried, where there are any."""
    entries = [entry for entry in progress if entry.stage is Stage.OPEN]
    later = len(entries) - len(list(first_steps(entries)))
    if later:
        patches = "1 later patch" if later == 1 else f"{later} later patches"
        yield note(Reason.DRY_RUN_IMPOSSIBLE, f"{patches} of pods cannot be tried before the first ones are made")


def dry_run(
    sender: Sender, steps: Iterable[Step], pods: Mapping[PodKey, LivePod], stamp: str, workers: int
) -> list[Finding]:
    """What the server has against the patches of steps; each webhook that forbids dry runs is named once."""
    dry = sender._replace(query=QUERY)
    chosen = [step for step in steps if step.pod in pods]
    with ThreadPoolExecutor(workers) as pool:
        outcomes = list(pool.map(lambda step: dry.send(step, pods[step.pod], stamp), chosen))
    found: dict[str, Finding] = {}
    for step, outcome in zip(chosen, outcomes, strict=True):
        finding = _finding(step, outcome)
        if finding is not None:
            is_general = finding.reason is Reason.DRY_RUN_IMPOSSIBLE
            found.setdefault(finding.message if is_general else str(step.number), finding)
    return list(found.values())


def _finding(step: Step, outcome: Outcome) -> Finding | None:
    subject = ObjectReference("v1", "Pod", *step.pod)
    if isinstance(outcome, Patched):
        if not outcome.changed:
            return None
        return error(Reason.CHANGED_BY_ADMISSION, outcome.changed)._replace(subject=subject)
    if isinstance(outcome, Later):
        return warning(Reason.PATCH_REFUSED, f"not at the moment: {outcome.why}")._replace(subject=subject)
    if isinstance(outcome, Found):
        if outcome.standing.state is not State.OTHER:  # gone, or adopted
            return None
        return error(Reason.STALE_PLAN, outcome.standing.why)._replace(subject=subject)
    if outcome.reason is Reason.DRY_RUN_IMPOSSIBLE:
        return warning(outcome.reason, outcome.why)
    return error(outcome.reason, outcome.why)._replace(subject=subject)
