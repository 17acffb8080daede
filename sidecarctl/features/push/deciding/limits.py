"""Whether one more patch may be sent now: budgets, concurrent requests, stale state.

A budget says how many pods are unavailable now, and how many may be: of each SidecarSet, and of PodDisruptionBudgets.
"""

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from sidecarctl.engine.facts.findings import named
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.plan_file.journal import ContainerRun
from sidecarctl.engine.plan_file.reading import PodKey
from sidecarctl.engine.rollout.predicates import unchanged
from sidecarctl.engine.rollout.targets import NamespaceLabels
from sidecarctl.engine.sidecarset.pod_annotations import INJECTED_LIST, injected_sets
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.features.push.deciding.pod_limit import PodLimit
from sidecarctl.features.push.deciding.progress import PushState, Stage, StepProgress
from sidecarctl.features.push.deciding.turns import Parallel, Turns
from sidecarctl.features.push.deciding.watched_budget import WatchedBudget
from sidecarctl.features.push.pods import LivePod


class _Refusal(NamedTuple):
    """Why a pod may not be patched now: no words if only because of pods that are being updated.

    `set_name`: the SidecarSet that does not allow it. `is_live`: as it is in the cluster; the plan would allow it.
    `is_of_pod`: others of the wave may be patched.
    """

    why: str
    set_name: str = ""
    is_live: bool = False
    is_of_pod: bool = False


class Limits:
    """The limits of a push. `is_proven`: a pod is ready on the new images, so others may follow in parallel."""

    def __init__(
        self, state: PushState, budgets: Mapping[str, PodLimit], chance: Callable[[], float] = lambda: 0.0
    ) -> None:
        self.parallel = Parallel(state.settings.max_parallel)
        is_done = any(entry.stage is Stage.DONE and entry.was_ready for entry in state.progress)
        self.is_proven = is_done or not state.settings.first_pod_alone
        self.turns = Turns(chance)
        self._state = state
        state.has_room = self.has_room
        self._budgets = budgets
        self._live: dict[str, PodLimit] = {}
        self._disruption_budgets: dict[PodKey, WatchedBudget] = {}
        self._pods: dict[PodKey, LivePod] = {}
        self._outdated: dict[str, str] = {}
        self._updated_by_others: dict[PodKey, Mapping[str, ContainerRun]] = {}

    def see(self, key: PodKey, live: LivePod | None, now: float) -> None:
        """Record the current state of a pod; None if it is gone."""
        before = self._pods.pop(key, None)
        if live is not None:
            self._pods[key] = live
        for budget in self._all:
            budget.see(key, live)
        for disruption in self._disruption_budgets.values():
            disruption.see(key, live)
        self._see_others(key, before, live, now)

    def _see_others(self, key: PodKey, before: LivePod | None, live: LivePod | None, now: float) -> None:
        """Remember how containers ran when someone else changed their images, until they have restarted."""
        known = self._updated_by_others.pop(key, {})
        if live is None:
            return
        if before is None and self._counts(key):
            names = injected_sets(live.pod.annotations.get(INJECTED_LIST))
            self.turns.is_shared |= any(name not in self._budgets for name in names)
        updated = self._updated(key, before, live)
        if updated and self._counts(key):
            self.turns.see_others(now)
            self._state.wait(f"someone else updates {'/'.join(key)}, so pods are patched one by one")
        every = {**known, **updated} if before and before.uid == live.uid else updated
        updating = {name: run for name, run in every.items() if live.runs.get(name, run).restarts == run.restarts}
        if updating:
            self._updated_by_others[key] = updating
        if updated or updating != known:
            self.turns.restart()

    def _updated(self, key: PodKey, before: LivePod | None, live: LivePod) -> dict[str, ContainerRun]:
        """The containers that someone else has updated since `before`, and how they ran then."""
        if before is None:  # the pod records which updates had begun by then
            others = live.pod.hashes.entries.keys() - self._budgets.keys()
            names = {name for other in others for name in unchanged(live.pod, other, restarted=False)}
            then = live
        elif before.uid == live.uid:
            names = {name for name, image in live.pod.images.items() if before.pod.images.get(name) != image}
            then = before
        else:
            return {}
        if not names:
            return {}
        own = {image.container for entry in self._state.by_pod.get(key, ()) for image in entry.step.patch.images}
        return {name: then.runs[name] for name in names - own if name in then.runs}

    def _counts(self, key: PodKey) -> bool:
        return any(key in limit.members for limit in self._all)

    def see_disruption_budget(self, key: PodKey, manifest: Object | None) -> None:
        """Record the current state of a PodDisruptionBudget; None if it is gone."""
        self._disruption_budgets.pop(key, None)
        if manifest is not None:
            budget = self._disruption_budgets[key] = WatchedBudget(manifest)
            for pod, live in self._pods.items():
                budget.see(pod, live)

    def see_namespaces(self, namespaces: NamespaceLabels) -> None:
        """Record the labels of all namespaces, which decide which pods count."""
        for budget in self._all:
            budget.see_namespaces(namespaces, self._pods)

    def see_sidecarset(self, name: str, sidecar_set: SidecarSet | None, namespaces: NamespaceLabels) -> None:
        """Record a SidecarSet as it is in the cluster; None if it is not there."""
        self._live.pop(name, None)
        if sidecar_set and (limit := self._budgets[name].of_cluster(sidecar_set, namespaces)):
            self._live[name] = limit
            for key, live in self._pods.items():
                limit.see(key, live)

    @property
    def pods(self) -> Mapping[PodKey, LivePod]:
        """All pods that are seen."""
        return self._pods

    def why_left(self, entry: StepProgress, live: LivePod) -> str:
        """Why the pod of a step no longer belongs to its SidecarSet; empty if it does."""
        return next(filter(None, (limit.why_left(live) for limit in self._of(entry.step.set_name))), "")

    def is_slowed(self, set_name: str) -> bool:
        """Whether the SidecarSet in the cluster allows fewer unavailable pods than the plan."""
        live = self._live.get(set_name)
        return live is not None and live.allowed < self._budgets[set_name].allowed

    def has_room(self, set_name: str, failed: AbstractSet[PodKey]) -> bool:
        """Whether pods of a SidecarSet may be patched while these stay unavailable."""
        updating = {entry.step.pod for entry in self._state.active.values()} - failed
        return all(len(limit.unavailable(failed) - updating) < limit.allowed for limit in self._of(set_name))

    def old_pods(self) -> Iterator[tuple[str, PodKey]]:
        """Each pod that Kruise would update now, with the name of the SidecarSet."""
        for name, limit in self._budgets.items():
            yield from ((name, key) for key in sorted(limit.waiting))

    @property
    def _all(self) -> list[PodLimit]:
        return [*self._budgets.values(), *self._live.values()]

    def _of(self, set_name: str) -> list[PodLimit]:
        """The limit of the plan, then that of the cluster."""
        return [limits[set_name] for limits in (self._budgets, self._live) if set_name in limits]

    @property
    def is_current(self) -> bool:
        """Whether no known state is stale."""
        return not self._outdated

    def set_outdated(self, what: str, why: str) -> None:
        """Something known may be stale; an empty `why` means that it is current again."""
        if why:
            self._outdated[what] = why
        else:
            self._outdated.pop(what, None)

    def is_up_to_date(self) -> bool:
        """True if no known state is stale; otherwise reports why."""
        for why in self._outdated.values():
            self._state.wait(why)
            return False
        return True

    def has_request(self, now: float) -> bool:
        """Whether one more request may be sent; one pod at a time until one is proven, and beside other writers."""
        active = self._state.active.values()
        if not self.turns.is_ours(now, is_patching=bool(active)):
            return False
        if not self.is_proven and any(entry.was_ready for entry in active):
            return False
        return sum(entry.stage is Stage.SENT for entry in active) < self.parallel.limit

    def comes_later(self, entry: StepProgress) -> bool:
        """Whether a ready pod of the wave can go first; one that is not ready proves nothing."""
        return not self.is_proven and self._is_down(entry) and any(map(self._can_prove, self._state.open_steps()))

    def refusal(self, entry: StepProgress) -> _Refusal | None:
        """Why the pod of a step may not be patched now; reports it if other pods, or the cluster, prevent that."""
        refusal = self._refusal(entry)
        if refusal and refusal.why:
            self._state.wait(refusal.why, refusal.set_name)
        self._state.is_braked = refusal is not None and refusal.is_live and bool(refusal.why)
        return refusal

    def _refusal(self, entry: StepProgress) -> _Refusal | None:
        """Why the pod may not be patched now: by the plan, else by the cluster."""
        if entry.step.is_reset:
            return None  # it does not make a pod unavailable
        refusals = (self._refusal_by(limit, entry) for limit in self._of(entry.step.set_name))
        return next(filter(None, refusals), None)

    def _refusal_by(self, limit: PodLimit, entry: StepProgress) -> _Refusal | None:
        key, name = entry.step.pod, entry.step.set_name
        busy = self._state.busy_pods
        live = self._pods.get(key)
        if live and (why := limit.not_selected(live)):
            return _Refusal(why, name, limit.is_live, is_of_pod=True)
        if why := limit.held_back(busy):
            return _Refusal(why, name, limit.is_live)
        if not entry.step.patch.was_ready and limit.is_down(key):
            return None  # it is already unavailable, and the patch may fix it
        counted = busy | self._updated_by_others.keys()
        for disruption in self._disruption_budgets.values():
            if why := disruption.objection(key, counted):
                return _Refusal(why)
        unavailable, allowed = limit.unavailable(counted) - self._state.free_pods, limit.allowed
        if len(unavailable | {key}) <= allowed:  # a pod that is already down counts already
            return None
        why = f"{limit.source}{len(unavailable)} of at most {allowed} pods unavailable"
        others = [*map("/".join, sorted(unavailable - busy))]
        others += [f"{'/'.join(pod)} has failed" for pod in sorted(unavailable & self._state.failed_pods)]
        is_own = not others and bool(unavailable)
        return _Refusal("" if is_own else f"{why}{': ' * bool(others)}{named(others)}", name, limit.is_live)

    def _can_prove(self, entry: StepProgress) -> bool:
        return entry.stage is Stage.OPEN and not self._is_down(entry) and self._refusal(entry) is None

    def budgets(self) -> list[tuple[str, int, int]]:
        """Each set, its unavailable pods, and how many are allowed."""
        busy = self._state.busy_pods | self._updated_by_others.keys()
        return [
            (name, len(budget.unavailable(busy)), min(limit.allowed for limit in self._of(name)))
            for name, budget in self._budgets.items()
        ]

    def _is_down(self, entry: StepProgress) -> bool:
        return self._budgets[entry.step.set_name].is_down(entry.step.pod)
