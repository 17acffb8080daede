"""What an upgrade of Kruise means for the rollout of a SidecarSet over given pods: which pods wait, which go first.

Source: docs/behaviour/releases.md, docs/behaviour/rollout.md.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from sidecarctl.facts.findings import Severity
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.operations.comparing.release_effects import Effect, Topic
from sidecarctl.operations.status import SetStatus
from sidecarctl.rollout.pods.simulated_pods import PodName, SimulatedPod
from sidecarctl.rollout.summary.rollout_plan import SetRolloutPlan

_NAMED = 3
"""The number of pods that a sentence names."""


class Course(NamedTuple):
    """The status of a SidecarSet under one release, and its rollout to the end over `pods`."""

    status: SetStatus
    plan: SetRolloutPlan
    pods: Sequence[SimulatedPod]


def rollout_effects(before: Course, after: Course) -> Iterator[Effect]:
    """All differences over the same pods."""
    yield from _blocked(before, after)
    yield from _window(before, after)
    yield from _order(before, after)
    old, new = before.plan.outcome.ending, after.plan.outcome.ending
    if old != new:
        severity = Severity.ERROR if new.is_objection and not old.is_objection else Severity.WARNING
        yield Effect(Topic.PACE, f"the rollout over these pods ends as {new} instead of {old}", severity)


def _blocked(before: Course, after: Course) -> Iterator[Effect]:
    outdated = {pod.pod for pod in before.status.pods if pod.updated} - {
        pod.pod for pod in after.status.pods if pod.updated
    }
    if outdated:
        message = f"{_pods(outdated)} are outdated once the SidecarSet is written"
        yield Effect(Topic.PODS, message, Severity.WARNING)
    blocked = after.status.blocked - before.status.blocked
    if blocked:
        message = f"{_pods(blocked)} become not upgradable: recreate them to update them"
        yield Effect(Topic.PODS, message, Severity.ERROR)


def _window(before: Course, after: Course) -> Iterator[Effect]:
    old, new, matched = before.status.window, after.status.window, len(after.status.pods)
    numbers = {
        f"maxUnavailable {new.max_unavailable}": (old.max_unavailable_pods, new.max_unavailable_pods),
        f"partition {new.partition}": (old.partition_pods, new.partition_pods),
    }
    for written, (then, now) in numbers.items():
        if then != now:
            message = f"{written} of {matched} pods is {now} instead of {then}"
            yield Effect(Topic.PACE, message, Severity.WARNING)


def _order(before: Course, after: Course) -> Iterator[Effect]:
    old, new = _waves(before), _waves(after)
    common = old.keys() & new.keys()
    before_each, after_each = (_predecessors(item, common) for item in (old, new))
    moved = {pod for pod in common if before_each[pod] != after_each[pod]}
    if moved:
        message = f"the order changes: {_pods(moved)} are updated earlier or later"
        then, now = (next(pod for pod in item if pod in common) for item in (old, new))
        said = f"{message}; the first is {_name(now)} instead of {_name(then)}" if then != now else message
        yield Effect(Topic.ORDER, said, Severity.WARNING)


def _waves(course: Course) -> dict[PodName, int]:
    """The wave in which each pod is patched first, counted from 0; pods in the order of their updates."""
    waves: dict[PodName, int] = {}
    for number, wave in enumerate(course.plan.waves):
        for patch in wave.patches:
            waves.setdefault(course.pods[patch.pod_index].name, number)
    return waves


def _predecessors(waves: dict[PodName, int], common: AbstractSet[PodName]) -> dict[PodName, int]:
    """For each common pod, how many of them are updated in earlier waves."""
    sizes = Counter(number for pod, number in waves.items() if pod in common)
    before: dict[int, int] = {}
    total = 0
    for number in sorted(sizes):
        before[number] = total
        total += sizes[number]
    return {pod: before[number] for pod, number in waves.items() if pod in common}


def _pods(pods: AbstractSet[PodName]) -> str:
    """`2 pods (shop/a, shop/b)`, as the subject of a sentence."""
    named = [_name(pod) for pod in sorted(pods)[:_NAMED]]
    more = f" and {len(pods) - _NAMED} more" if len(pods) > _NAMED else ""
    return f"{len(pods)} pod{'s' * (len(pods) != 1)} ({', '.join(named)}{more})"


def _name(pod: PodName) -> str:
    return f"{pod.namespace}/{pod.name}"
