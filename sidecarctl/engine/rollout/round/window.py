"""Which pods a round updates: partition and maxUnavailable over the waiting pods.

Source: docs/behavior/rollout.md, "One round", steps 4 to 6.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from sidecarctl.engine.api.quantities import fraction, percentage, share
from sidecarctl.engine.facts.findings import Finding, Severity, named, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.rollout.facts import Window, WindowUse
from sidecarctl.engine.rollout.predicates import (
    Eligibility,
    PodProgress,
    half_done,
    idle_half,
    number_at,
    number_holding_budget,
    other_images,
    working_half,
)
from sidecarctl.engine.rollout.round.update_order import OrderedPod, WaitingPods
from sidecarctl.engine.rollout.simulated_pods import MIRROR, MIRRORED, SimulatedPod
from sidecarctl.engine.rollout.targets import Membership, Target
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INPLACE_UPDATE_STATE,
    WORKING_CONTAINERS,
    HashFormat,
)
from sidecarctl.engine.sidecarset.unknown_namespaces import DUMP

_Pod = TypeVar("_Pod")


def window_of(strategy: Object, matched: int, release: Release = DEFAULT) -> Window:
    """The window of an update strategy over a number of matched pods."""
    partition, max_unavailable = strategy.get("partition"), strategy.get("maxUnavailable")
    partition = 0 if partition is None else partition
    max_unavailable = 1 if max_unavailable is None else max_unavailable
    return Window(
        partition,
        _partition_pods(partition, matched, release),
        max_unavailable,
        max_unavailable_pods(max_unavailable, matched, release),
    )


def choose_upgrades(
    waiting: WaitingPods, window: Window, tally: Counter[PodProgress]
) -> tuple[list[OrderedPod], WindowUse]:
    """Steps 4 to 6: the candidates that this round updates, and the numbers behind the choice."""
    unavailable = number_holding_budget(tally)
    limit = max(len(waiting) - window.partition_pods, 0)
    budget = window.max_unavailable_pods - unavailable
    chosen = taken(waiting.in_order(), limit, budget, lambda member: member.progress.ready)
    use = WindowUse(
        window=window,
        unavailable=unavailable,
        candidates=len(waiting),
        held_back=len(waiting) - limit,
        waiting=limit - len(chosen),
        not_selected=number_at(tally, Eligibility.NOT_SELECTED),
        busy=number_at(tally, Eligibility.BUSY),
        not_upgradable=number_at(tally, Eligibility.NOT_UPGRADABLE),
    )
    return chosen, use


def taken(order: Iterable[_Pod], limit: int, budget: int, is_ready: Callable[[_Pod], bool]) -> list[_Pod]:
    """The first pods of an order, at most `limit`, up to the first ready one beyond the budget.

    Pods that are not ready cost nothing.
    """
    found: list[_Pod] = []
    for pod in islice(order, limit):
        if is_ready(pod):
            if budget <= 0:
                break
            budget -= 1
        found.append(pod)
    return found


def _partition_pods(partition: int | str, matched: int, release: Release) -> int:
    if isinstance(partition, int):
        number = partition
    else:
        number = share(_partition_percent(partition, release) or 0, matched, up=release.percent_up)
        # A percentage that rounds up to all pods still allows one update, unless it is 100%.
        if release.percent_up and number == matched > 1 and partition != "100%":
            number -= 1
    return min(max(number, 0), matched)


def _partition_percent(partition: str, release: Release) -> float | None:
    """The percentage of a partition, which newer releases read with decimal places too; None for other text."""
    percent: float | None = percentage(partition)
    return fraction(partition) if percent is None and "." in partition and release.percent_up else percent


def max_unavailable_pods(max_unavailable: int | str, matched: int, release: Release) -> int:
    """The number of pods that a maxUnavailable allows; the release decides how percentages are rounded."""
    if isinstance(max_unavailable, int):
        return max_unavailable
    return share(percentage(max_unavailable.replace("%", "") + "%") or 0, matched, up=release.percent_up)


_STRATEGY = ("spec", "updateStrategy")
_PHASES = frozenset(("", "Pending", "Running", "Succeeded", "Failed", "Unknown"))


def strategy_remarks(target: Target, window: Window, matched: int, selected: int) -> Iterator[Finding]:
    """Warnings about fields of a strategy that have no effect, or a surprising one.

    `matched` pods take part, the selector of the strategy selects `selected` of them.
    """
    strategy = target.strategy
    priority = strategy.get("priorityStrategy") or {}
    if matched and not selected:
        yield warning(Reason.NO_PODS, "the selector selects none of the pods", (*_STRATEGY, "selector"))
    yield from _percentage_remarks(window, target.release)
    yield from _refused_strategy(strategy, target.release)
    if matched:
        yield from _window_remarks(window, matched)
    if priority.get("weightPriority") and priority.get("orderPriority"):
        path = (*_STRATEGY, "priorityStrategy", "orderPriority")
        yield warning(Reason.HAS_NO_EFFECT, "orderPriority is ignored because weightPriority is set", path)


def _refused_strategy(strategy: Object, release: Release = DEFAULT) -> Iterator[Finding]:
    """Warnings about values of a strategy that Kruise rejects: docs/behavior/validation.md, "Strategies"."""
    if strategy.get("type") != "RollingUpdate":
        return
    both = strategy.get("partition") not in (None, 0) and strategy.get("selector") is not None
    if both and release.partition_without_selector:
        message = "partition and selector cannot be used together: Kruise rejects such a SidecarSet"
        yield warning(Reason.STRATEGY_REFUSED, message, (*_STRATEGY, "partition"), hint="omit one of them")
    for name in ("partition", "maxUnavailable"):
        value = strategy.get(name) or 0
        if (value if isinstance(value, int) else percentage(value) or 0) < 0:
            message = f"{name} {value} is negative: Kruise rejects such a SidecarSet; here it counts as 0"
            yield warning(Reason.STRATEGY_REFUSED, message, (*_STRATEGY, name))


def no_pods_remark(membership: Membership) -> Finding:
    """Why no pod takes part in the rollout."""
    path = ("spec", "selector")
    if not membership.asked:
        hint = f"add the output of {DUMP}"
        return warning(Reason.NO_PODS, "no pods found in the inputs", path, hint=hint)
    if membership.left_out:
        message = f"no pod takes part in this rollout: all selected pods ({len(membership.left_out)}) are left out"
        return warning(Reason.NO_PODS, message, path)
    message = f"no pod takes part in this rollout: the SidecarSet selects none of {membership.asked}"
    return warning(Reason.NO_PODS, message, path, hint="compare the selectors with the labels of pods and namespaces")


def pod_remarks(target: Target, pod: SimulatedPod) -> Iterator[Finding]:
    """Warnings about parts of a pod that are malformed or unknown, and about the mirrors of static pods."""
    if MIRROR in pod.annotations:
        about = _about(pod, Reason.STATIC_POD, f"it is {MIRRORED}", "metadata", "annotations", MIRROR)
        yield about._replace(hint="make the selector of the SidecarSet exclude it")
    if not pod.manifest.get("status"):
        yield _about(pod, Reason.POD_WITHOUT_STATUS, "it has no status: it counts as not ready", "status")
    elif pod.phase not in _PHASES:
        message = f"unknown phase {pod.phase!r}: it counts as not ready"
        yield _about(pod, Reason.UNKNOWN_PHASE, message, "status", "phase")
    records = pod.records
    for key, read in ((HASH, records.hashes), (HASH_WITHOUT_IMAGE, records.hashes_without_image)):
        if read.format in (HashFormat.MIXED, HashFormat.UNREADABLE):
            message = f"it records no hash: the annotation is {read.format}"
            yield _about(pod, Reason.ANNOTATION_UNREADABLE, message, "metadata", "annotations", key)
    if pod.update_states is None:
        message = f"no update of {target.name} can complete: the in-place update state is malformed"
        yield _about(pod, Reason.ANNOTATION_UNREADABLE, message, "metadata", "annotations", INPLACE_UPDATE_STATE)
    for container in half_done(target, pod):
        working, idle = working_half(container, pod), idle_half(container, pod)
        if pod.images.get(working) == container.empty_image:
            message = f"{working} counts as working, but has the empty image: a reset empties {idle} too"
            yield _about(pod, Reason.WORKING_CONTAINER_EMPTY, message, "metadata", "annotations", WORKING_CONTAINERS)


def put_back_remarks(target: Target, put_back: Sequence[SimulatedPod], updated: int) -> Iterator[Finding]:
    """A warning about pods that record the current version and do not have its images, of those updated."""
    others = {pod.name: next(other_images(target, pod)) for pod in put_back}
    if others:
        pods = [f"{pod} ({name}: {now})" for pod, (name, now, _) in others.items()]
        message = (
            f"{len(others):,} of the {updated:,} pods that Kruise counts as updated "
            f"{'has' if len(others) == 1 else 'have'} other images: {named(pods)}; "
            "Kruise goes by the recorded hash, and does not patch them again"
        )
        hint = "recreate them, or resume the push of their plan, which patches them again"
        yield warning(Reason.SIDECAR_CHANGED, message, ("spec", "containers"), hint=hint)


def _percentage_remarks(window: Window, release: Release) -> Iterator[Finding]:
    for name, value in (("partition", window.partition), ("maxUnavailable", window.max_unavailable)):
        is_decimal = name == "partition" and _partition_percent(str(value), release) is not None
        if isinstance(value, str) and percentage(value) is None and not is_decimal:
            taken = _taken_as(name, value)
            message = f"{value!r} is neither a number nor a percentage; it counts as {taken}"
            yield warning(Reason.NOT_A_PERCENTAGE, message, (*_STRATEGY, name), hint='10 or "10%"')


def _taken_as(name: str, value: str) -> str:
    share = percentage(value.replace("%", "") + "%") if name == "maxUnavailable" else None
    return f"{share}%" if share else "0"


def _window_remarks(window: Window, matched: int) -> Iterator[Finding]:
    if window.max_unavailable_pods <= 0:
        message = f"maxUnavailable {window.max_unavailable} lets no ready pod be updated"
        yield warning(Reason.NOTHING_ALLOWED, message, (*_STRATEGY, "maxUnavailable"))
    if window.partition_pods >= matched:
        message = f"partition {window.partition} holds back all {matched} pods"
        yield warning(Reason.NOTHING_ALLOWED, message, (*_STRATEGY, "partition"))


def _about(pod: SimulatedPod, reason: Reason, message: str, *path: str) -> Finding:
    return Finding(Severity.WARNING, reason, message, path, pod.reference)
