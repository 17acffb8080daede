"""What an upgrade of Kruise means for the rollout of a SidecarSet over given pods: who waits, who goes first.

Source: docs/behaviour/releases.md, docs/behaviour/rollout.md.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from sidecarctl.operations.comparing.release_effects import Effect, Topic
from sidecarctl.operations.status import SetStatus
from sidecarctl.rollout.pods.simulated_pods import PodName, SimulatedPod
from sidecarctl.rollout.summary.rollout_plan import SetRolloutPlan

_NAMED = 3
"""Pods that a sentence names."""


class Course(NamedTuple):
    """The status of a SidecarSet under one release, and its rollout to the end over `pods`."""

    status: SetStatus
    plan: SetRolloutPlan
    pods: Sequence[SimulatedPod]


def rollout_effects(before: Course, after: Course) -> Iterator[Effect]:
    """All that is otherwise over the same pods."""
    yield from _blocked(before, after)
    yield from _window(before, after)
    yield from _order(before, after)
    old, new = before.plan.outcome.ending, after.plan.outcome.ending
    if old != new:
        yield Effect(Topic.PACE, f"the rollout over these pods ends as {new}; before as {old}")


def _blocked(before: Course, after: Course) -> Iterator[Effect]:
    outdated = {pod.pod for pod in before.status.pods if pod.updated} - {
        pod.pod for pod in after.status.pods if pod.updated
    }
    if outdated:
        yield Effect(Topic.PODS, f"{_pods(outdated)} are no longer up to date, once the SidecarSet is written")
    blocked = after.status.blocked - before.status.blocked
    if blocked:
        yield Effect(Topic.PODS, f"{_pods(blocked)} become not upgradable: they stay old until they are recreated")


def _window(before: Course, after: Course) -> Iterator[Effect]:
    old, new, matched = before.status.window, after.status.window, len(after.status.pods)
    numbers = {
        f"maxUnavailable {new.max_unavailable}": (old.max_unavailable_pods, new.max_unavailable_pods),
        f"partition {new.partition}": (old.partition_pods, new.partition_pods),
    }
    for written, (then, now) in numbers.items():
        if then != now:
            yield Effect(Topic.PACE, f"{written} of {matched} pods comes to {now}; before to {then}")


def _order(before: Course, after: Course) -> Iterator[Effect]:
    old, new = _waves(before), _waves(after)
    common = old.keys() & new.keys()
    before_each, after_each = (_predecessors(one, common) for one in (old, new))
    moved = {pod for pod in common if before_each[pod] != after_each[pod]}
    if moved:
        message = f"another order: {_pods(moved)} go earlier or later than before"
        then, now = (next(pod for pod in one if pod in common) for one in (old, new))
        yield Effect(
            Topic.ORDER, f"{message}; the first is {_name(now)}, before {_name(then)}" if then != now else message
        )


def _waves(course: Course) -> dict[PodName, int]:
    """The wave in which each pod is patched first, counted from 0; pods in the order of their updates."""
    waves: dict[PodName, int] = {}
    for number, wave in enumerate(course.plan.waves):
        for patch in wave.patches:
            waves.setdefault(course.pods[patch.pod_index].name, number)
    return waves


def _predecessors(waves: dict[PodName, int], common: AbstractSet[PodName]) -> dict[PodName, int]:
    """How many of the common pods go in waves before each of them."""
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
