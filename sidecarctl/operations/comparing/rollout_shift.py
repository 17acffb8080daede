"""How many running pods a SidecarSet change releases, holds back, loses or gains, from plans of both versions."""

from collections.abc import Iterable, Sequence

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object
from sidecarctl.inputs.world import World
from sidecarctl.operations.plan import RolloutInputs, simulated
from sidecarctl.operations.planning.plan_options import PlanOptions
from sidecarctl.rollout.pods.simulated_pods import SimulatedPod
from sidecarctl.rollout.round.partition_and_max_unavailable import Window
from sidecarctl.rollout.summary.rollout_plan import SetRolloutPlan
from sidecarctl.sidecarset.annotations.pod_annotations import INJECTED_LIST, injected_sets
from sidecarctl.sidecarset.matching import Matcher
from sidecarctl.sidecarset.sets import SidecarSet


class RolloutShift(NamedTuple):
    """Running pods that the rollout may newly update (`let_go`), or no longer update (`held`).

    `old` of them are outdated; the windows are those of both versions over the pods.
    """

    let_go: int
    held: int
    old: int
    before: Window
    after: Window


class SelectedPods(NamedTuple):
    """Running pods that have the sidecars but are no longer selected, and pods that are newly selected.

    `rejoined`: how many of the gained pods already have the sidecars.
    """

    lost: int
    gained: int
    rejoined: int


def rollout_shift(old: World, new: World, name: str, pods: Sequence[Object]) -> RolloutShift:
    """The shift between two versions of equal hash, planned to the end, over the pods that both versions select.

    ImpossibleError if a selector cannot be evaluated.
    """
    before, after = (_planned(world, name, pods) for world in (old, new))
    common = _matched(old, name, pods) & _matched(new, name, pods)
    stay_before, stay_after = (_staying(item) & common for item in (before, after))
    return RolloutShift(
        let_go=len(stay_before - stay_after),
        held=len(stay_after - stay_before),
        old=after.before.matched - after.before.updated,
        before=before.window,
        after=after.window,
    )


def selected_pods(
    name: str,
    old: SidecarSet | None,
    new: SidecarSet | None,
    worlds: tuple[World, World],
    pods: Iterable[Object],
) -> SelectedPods:
    """The pods that are lost or gained between two versions, one of which may be missing."""
    matchers = [item and Matcher(item, world.namespaces) for item, world in zip((old, new), worlds, strict=True)]
    lost = gained = rejoined = 0
    for index, manifest in enumerate(pods):
        pod = SimulatedPod(index, manifest)
        was, is_now = (bool(matcher) and _matches(matcher, pod) for matcher in matchers)
        if was == is_now or not pod.active:
            continue
        has_it = name in injected_sets(pod.annotations.get(INJECTED_LIST))
        lost += was and has_it
        gained += is_now
        rejoined += is_now and has_it
    return SelectedPods(lost, gained, rejoined)


def _planned(world: World, name: str, pods: Sequence[Object]) -> SetRolloutPlan:
    return simulated(RolloutInputs(world, pods, lambda: ()), PlanOptions(only=(name,))).sets[0]


def _staying(rollout: SetRolloutPlan) -> set[int]:
    """The pods that the strategy holds back, or that cannot be updated at all."""
    outcome, strategy = rollout.outcome, rollout.target.strategy
    staying = {*outcome.held_by_partition, *outcome.not_selected, *outcome.not_upgradable}
    if strategy.get("type") == "NotUpdate" or strategy.get("paused"):
        staying |= {*outcome.waiting, *outcome.busy}
    return staying


def _matched(world: World, name: str, pods: Iterable[Object]) -> set[int]:
    sidecarset = next(item for item in world.sidecarsets if item.name == name)
    matcher = Matcher(sidecarset, world.namespaces)
    return {index for index, manifest in enumerate(pods) if _matches(matcher, SimulatedPod(index, manifest))}


def _matches(matcher: Matcher | None, pod: SimulatedPod) -> bool:
    return matcher is not None and matcher.mismatch(pod.name.namespace, pod.labels) is None
