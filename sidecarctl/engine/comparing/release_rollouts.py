"""What an upgrade of Kruise does to the rollout of a SidecarSet over given pods.

Source: docs/behavior/rollout.md.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from sidecarctl.engine.comparing.release_effects import STRATEGY, Effect, Topic
from sidecarctl.engine.facts.findings import Severity, named
from sidecarctl.engine.facts.values import natural
from sidecarctl.engine.rollout.simulated_pods import PodName, SimulatedPod
from sidecarctl.engine.rollout.statuses import SetStatus
from sidecarctl.engine.rollout.summary.rollout_plan import SetBudget, SetRolloutPlan
from sidecarctl.engine.rollout.summary.sentences import no_room, number


class ReleaseCourse(NamedTuple):
    """The status of a SidecarSet under one release, and its rollout to the end over `pods`.

    `synthetic`: workloads made the pods, so that their names and their order are invented.
    """

    status: SetStatus
    plan: SetRolloutPlan
    pods: Sequence[SimulatedPod]
    synthetic: bool = False

    def named(self, pods: AbstractSet[PodName]) -> str:
        """`2 pods (shop/a, shop/b)`, as the subject of a sentence."""
        return f"{number(len(pods))} of workloads" if self.synthetic else _pods(pods)


def rollout_effects(before: ReleaseCourse, after: ReleaseCourse) -> Iterator[Effect]:
    """All differences over the same pods."""
    yield from _blocked(before, after)
    yield from _window(before, after)
    if not after.synthetic:
        yield from _update_order(before, after)
    old, new = before.plan.outcome.ending, after.plan.outcome.ending
    if old != new:
        severity = Severity.ERROR if new.is_objection and not old.is_objection else Severity.WARNING
        message = f"the rollout over these pods ends as {new} instead of {old}"
        yield Effect(Topic.PACE, f"{message}{_refused(after.plan)}", severity)
    yield from _budgets(before, after)


def _refused(plan: SetRolloutPlan) -> str:
    """Which PodUnavailableBudget a rollout waits for in the end; empty for none."""
    refusal = plan.outcome.refusal
    specs = {item.spec.name: item.spec for item in plan.budgets}
    return f": {no_room(refusal.numbers, specs[refusal.budget])}" if refusal else ""


def _budgets(before: ReleaseCourse, after: ReleaseCourse) -> Iterator[Effect]:
    """The PodUnavailableBudgets that have other room, or end other waves."""
    old, new = ({item.spec.name: item for item in course.plan.budgets} for course in (before, after))
    for name in sorted({*old, *new}):
        then, now = (_room(item.get(name)) for item in (old, new))
        if then != now:
            yield Effect(Topic.PACE, f"PUB {name} {now} instead of {then.removeprefix('has ')}", Severity.WARNING)
        ended = [Counter(item.budget for _, item in course.plan.refusals)[name] for course in (before, after)]
        if ended[0] != ended[1]:
            message = f"PUB {name} ends {number(ended[1], 'wave')} instead of {ended[0]:,}"
            yield Effect(Topic.PACE, message, Severity.WARNING)


def _room(budget: SetBudget | None) -> str:
    if budget is None:
        return "protects none of the pods"
    return f"has room for {budget.numbers.allowed:,} of {number(budget.numbers.total)}"


def _blocked(before: ReleaseCourse, after: ReleaseCourse) -> Iterator[Effect]:
    outdated = {pod.pod for pod in before.status.pods if pod.updated} - {
        pod.pod for pod in after.status.pods if pod.updated
    }
    if outdated:
        message = (
            f"{after.named(outdated)} {'is' if len(outdated) == 1 else 'are'} outdated once the SidecarSet is written"
        )
        yield Effect(Topic.PODS, message, Severity.WARNING)
    blocked = after.status.blocked - before.status.blocked
    if blocked:
        become, them = ("becomes", "it") if len(blocked) == 1 else ("become", "them")
        message = f"{after.named(blocked)} {become} not upgradable: recreate {them} to update {them}"
        is_meant = after.status.target.strategy.get("type") == "NotUpdate"
        yield Effect(Topic.PODS, message, Severity.WARNING if is_meant else Severity.ERROR)


def _window(before: ReleaseCourse, after: ReleaseCourse) -> Iterator[Effect]:
    old, new, matched = before.status.window, after.status.window, len(after.status.pods)
    numbers = {
        f"maxUnavailable {new.max_unavailable}": (old.max_unavailable_pods, new.max_unavailable_pods),
        f"partition {new.partition}": (old.partition_pods, new.partition_pods),
    }
    for written, (then, now) in numbers.items():
        if then != now:
            message = f"{written} of {matched} pods is {now} instead of {then}"
            yield Effect(Topic.PACE, message, Severity.WARNING, STRATEGY)


def _update_order(before: ReleaseCourse, after: ReleaseCourse) -> Iterator[Effect]:
    old, new = _waves(before), _waves(after)
    common = old.keys() & new.keys()
    before_each, after_each = (_predecessors(item, common) for item in (old, new))
    moved = {pod for pod in common if before_each[pod] != after_each[pod]}
    if moved:
        message = f"the order changes: {_pods(moved)} are updated earlier or later"
        then, now = (next(pod for pod in item if pod in common) for item in (old, new))
        said = f"{message}; the first is {_name(now)} instead of {_name(then)}" if then != now else message
        yield Effect(Topic.ORDER, said, Severity.WARNING)


def _waves(course: ReleaseCourse) -> dict[PodName, int]:
    """The wave in which each pod is patched first, counted from 0; pods in the order of their updates."""
    waves: dict[PodName, int] = {}
    for place, wave in enumerate(course.plan.waves):
        for patch in wave.patches:
            waves.setdefault(course.pods[patch.pod_index].name, place)
    return waves


def _predecessors(waves: dict[PodName, int], common: AbstractSet[PodName]) -> dict[PodName, int]:
    """For each common pod, how many of them are updated in earlier waves."""
    sizes = Counter(number for pod, number in waves.items() if pod in common)
    before: dict[int, int] = {}
    total = 0
    for place in sorted(sizes):
        before[place] = total
        total += sizes[place]
    return {pod: before[number] for pod, number in waves.items() if pod in common}


def _pods(pods: AbstractSet[PodName]) -> str:
    """`2 pods (shop/a, shop/b)`, as the subject of a sentence."""
    names = [_name(pod) for pod in sorted(pods, key=lambda pod: natural(str(pod)))]
    return f"{len(pods)} pod{'s' * (len(pods) != 1)} ({named(names)})"


def _name(pod: PodName) -> str:
    return f"{pod.namespace}/{pod.name}"
