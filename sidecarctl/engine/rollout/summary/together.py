"""All rollouts of a plan together: pods of several SidecarSets that are down at once, and what node drains wait for.

A PodDisruptionBudget never holds back an update in place. But a pod that is down uses it up, and evictions wait.

Source: docs/behavior/rollout.md, "Simulating to the end"; docs/behavior/pod-unavailable-budget.md.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, TypeVar

from sidecarctl.engine.facts.values import natural
from sidecarctl.engine.rollout.disruption_budgets import EvictionBudget, drains_wait
from sidecarctl.engine.rollout.facts import Round
from sidecarctl.engine.rollout.predicates import is_running_and_ready
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod


class SharedPods(NamedTuple):
    """The pods that the same SidecarSets update, and how many of them are unavailable at once."""

    set_names: tuple[str, ...]
    pods: int
    largest: int

    @property
    def sentence(self) -> str:
        """`logs and mix share 10 pods: at most 2 are unavailable at once`."""
        are = "is" if self.largest == 1 else "are"
        return f"{sharing_text(self.set_names, self.pods)}: at most {self.largest:,} {are} unavailable at once"


class Evictions(NamedTuple):
    """In how many of the rounds a PodDisruptionBudget leaves no room for the eviction of a ready pod."""

    budget: EvictionBudget
    rounds: int
    without: int

    @property
    def sentence(self) -> str:
        """`PodDisruptionBudget shop/web: no eviction of ready pods possible in 10 of 11 rounds; node drains wait`."""
        name = f"PodDisruptionBudget {self.budget.name}"
        if not self.without:
            return f"{name}: an eviction is possible in every round"
        said = f"{name}: no eviction of ready pods possible in {self.without:,} of {self.rounds:,} rounds"
        return f"{said}; {drains_wait(self.budget)}"


class Together(NamedTuple):
    """What the rollouts of a plan do at the same time; `largest`: pods that may be unavailable at once, over all."""

    largest: int = 0
    shared: tuple[SharedPods, ...] = ()
    evictions: tuple[Evictions, ...] = ()


_Pod = TypeVar("_Pod", bound=Hashable)


def shared_pods(members: Mapping[str, Iterable[_Pod]]) -> dict[tuple[str, ...], list[_Pod]]:
    """The pods of more than one SidecarSet, by these SidecarSets, most pods first; `members` are their pods."""
    sets_of: dict[_Pod, tuple[str, ...]] = {}
    for name in sorted(members, key=natural):
        for pod in members[name]:
            sets_of[pod] = (*sets_of.get(pod, ()), name)
    found: dict[tuple[str, ...], list[_Pod]] = {}
    for shared, names in sets_of.items():
        if len(names) > 1:
            found.setdefault(names, []).append(shared)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def sharing_text(set_names: Sequence[str], pods: int) -> str:
    """`logs and mix share 10 pods`."""
    *others, last = set_names
    return f"{', '.join(others)} and {last} share {pods:,} pod{'s' * (pods != 1)}"


class Passes:
    """The passes of all rollouts, recorded to see afterward what may be down at the same time."""

    def __init__(
        self,
        members: Mapping[str, Sequence[int]],
        pods: Sequence[SimulatedPod],
        budgets: Iterable[EvictionBudget],
    ) -> None:
        self._members = members
        self._rounds: list[Round] = []
        known = {index for own in members.values() for index in own}
        self._covered = [(item, [pod for pod in pods if pod.active and pod.name in item.covers]) for item in budgets]
        self._spare = [
            item.room + sum(pod.index in known and not is_running_and_ready(pod) for pod in own)
            for item, own in self._covered
        ]
        """How many members of each budget may be down before it has no room; counted before the pods change."""

    def add(self, recorded: Round) -> None:
        """Record a pass of a SidecarSet; the passes of a round follow each other."""
        self._rounds.append(recorded)

    def together(self) -> Together:
        """What may be down at the same time."""
        patching = {item.set_name for item in self._rounds if item.patches}
        moving = {name: own for name, own in self._members.items() if name in patching}
        evictions = tuple(self._evictions({index for own in moving.values() for index in own}))
        if len(moving) < 2:
            return Together(evictions=evictions)
        shared = shared_pods(moving)
        every = {index for own in moving.values() for index in own}
        largest, *of_shared = self._largest([every, *shared.values()], moving)
        found = zip(shared.items(), of_shared, strict=True)
        return Together(largest, tuple(SharedPods(names, len(own), most) for (names, own), most in found), evictions)

    def _evictions(self, updated: Collection[int]) -> Iterator[Evictions]:
        """The budgets of pods that are updated."""
        for (budget, covered), spare in zip(self._covered, self._spare, strict=True):
            own = {pod.index for pod in covered}
            if not own.isdisjoint(updated):
                after = [down for [down] in _after_rounds(self._rounds, [own])]
                yield Evictions(budget, len(after), sum(down >= spare for down in after))

    def _largest(self, groups: Sequence[Collection[int]], moving: Iterable[str]) -> list[int]:
        """How many pods of each group may be down at once.

        Rollouts do not wait for each other, so the most that each takes down itself may be down together.
        """
        before = [{index for item in self._first_passes() for index in _down_before(item)} & {*own} for own in groups]
        most = [len(own) for own in before]
        for name in moving:
            passes = [_only_patched(item) for item in self._rounds if item.set_name == name]
            peaks = map(max, zip(*_after_rounds(passes, groups), strict=True))
            most = [number + peak for number, peak in zip(most, peaks, strict=True)]
        return [min(number, len(own)) for number, own in zip(most, groups, strict=True)]

    def _first_passes(self) -> Iterator[Round]:
        seen: set[str] = set()
        for item in self._rounds:
            if item.set_name not in seen:
                seen.add(item.set_name)
                yield item


def _down_before(first: Round) -> set[int]:
    """The pods that were down before the first pass of a SidecarSet."""
    return {*first.went_down} - {patch.pod_index for patch in first.patches if patch.was_ready}


def _only_patched(passed: Round) -> Round:
    """A pass, of which only the pods count that it takes down itself."""
    patched = {patch.pod_index for patch in passed.patches}
    return passed._replace(went_down=tuple(index for index in passed.went_down if index in patched))


def _after_rounds(passes: Iterable[Round], groups: Sequence[Collection[int]]) -> Iterator[list[int]]:
    """How many pods of each group are down to any SidecarSet, after each round."""
    groups_of: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        for index in group:
            groups_of.setdefault(index, []).append(number)
    now = [0] * len(groups)
    times: Counter[int] = Counter()
    for _, in_round in groupby(passes, lambda item: item.number):
        for item in in_round:
            for step, indices in ((1, item.went_down), (-1, item.came_back)):
                for index in indices:
                    was_down = times[index] > 0
                    times[index] = max(times[index] + step, 0)
                    if was_down != (times[index] > 0):
                        for number in groups_of.get(index, ()):
                            now[number] += step
        yield list(now)
