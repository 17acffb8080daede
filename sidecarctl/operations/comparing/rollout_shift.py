"""How many of the running pods the change of a SidecarSet lets go, holds, loses or gains, from two plans of it."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

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
    """Running pods that the rollout may update now and could not before (`let_go`), and the other way round.

    `old` of them are not updated; the windows are those of the two versions over the pods.
    """

    let_go: int
    held: int
    old: int
    before: Window
    after: Window


class SelectedPods(NamedTuple):
    """Running pods that have the sidecars and are no longer selected; those that are selected now and were not.

    `rejoined`: how many of the gained have the sidecars already.
    """

    lost: int
    gained: int
    rejoined: int


def rollout_shift(old: World, new: World, name: str, pods: Sequence[Object]) -> RolloutShift:
    """The shift between two versions of equal hash, both planned to the end; pods that only one selects aside.

    ImpossibleError for a selector that cannot be evaluated.
    """
    before, after = (_planned(world, name, pods) for world in (old, new))
    common = _matched(old, name, pods) & _matched(new, name, pods)
    stay_before, stay_after = (_staying(one) & common for one in (before, after))
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
    """The pods that fall out or come in, of two versions of which one may be missing."""
    matchers = [one and Matcher(one, world.namespaces) for one, world in zip((old, new), worlds, strict=True)]
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


def _staying(one: SetRolloutPlan) -> set[int]:
    """The pods that the strategy keeps as they are, or that cannot be updated at all."""
    outcome, strategy = one.outcome, one.target.strategy
    staying = {*outcome.held_by_partition, *outcome.not_selected, *outcome.not_upgradable}
    if strategy.get("type") == "NotUpdate" or strategy.get("paused"):
        staying |= {*outcome.waiting, *outcome.busy}
    return staying


def _matched(world: World, name: str, pods: Iterable[Object]) -> set[int]:
    sidecarset = next(one for one in world.sidecarsets if one.name == name)
    matcher = Matcher(sidecarset, world.namespaces)
    return {index for index, manifest in enumerate(pods) if _matches(matcher, SimulatedPod(index, manifest))}


def _matches(matcher: Matcher | None, pod: SimulatedPod) -> bool:
    return matcher is not None and matcher.mismatch(pod.name.namespace, pod.labels) is None
