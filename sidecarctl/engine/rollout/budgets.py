"""PodUnavailableBudgets over the pods of a rollout: their numbers, and the webhook that asks them before an update.

Source: docs/behavior/pod-unavailable-budget.md, "When the webhook lets it through", "The numbers".
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sidecarctl.engine.api.text_forms import parse_time
from sidecarctl.engine.releases.feature_gates import BUDGETS_FOR_DELETIONS, BUDGETS_FOR_UPDATES, POD_WEBHOOK, is_on
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.rollout.budget_pods import (
    is_consistent_for_budget,
    is_exempt,
    is_ready_for_budget,
    related_budget,
)
from sidecarctl.engine.rollout.covered_pods import Coverage, Workloads, controller_of
from sidecarctl.engine.rollout.disruption_budgets import UNAVAILABLE, EvictionBudget
from sidecarctl.engine.rollout.facts import BudgetNumbers
from sidecarctl.engine.rollout.simulated_pods import PodName, SimulatedPod
from sidecarctl.engine.sidecarset.budget_spec import BudgetName, BudgetSpec
from sidecarctl.engine.sidecarset.sets import SYSTEM_NAMESPACES

PLACE_SECONDS = {"unavailablePods": 10, "disruptedPods": 20}
"""The minimum time that a pod holds its place, by the map in the status that names it."""
_MOST_PLACES = 2000

Operation = Literal["UPDATE", "RESIZE", "DELETE", "EVICT"]


@dataclass(slots=True)
class Budget:
    """A budget with its current status; `places` are the times (seconds) at which pods took theirs, by map."""

    coverage: Coverage
    total: int = 0
    desired: int = 0
    current: int = 0
    allowed: int = 0
    places: dict[str, dict[str, float]] = field(default_factory=lambda: {name: {} for name in PLACE_SECONDS})
    is_total_known: bool = True

    @property
    def spec(self) -> BudgetSpec:
        """Its spec."""
        return self.coverage.spec

    @property
    def numbers(self) -> BudgetNumbers:
        """Its status now."""
        places = (tuple(sorted(self.places[name])) for name in PLACE_SECONDS)
        return BudgetNumbers(self.spec.name, self.total, self.desired, self.current, self.allowed, *places)

    def holds(self, pod: str) -> bool:
        """Whether a pod already holds a place."""
        return any(pod in places for places in self.places.values())

    def refusal(self) -> str:
        """Kruise's message if there is no room; empty if there is."""
        why = ""
        if self.allowed <= 0:
            why = "pub unavailable allowed is negative"
        elif sum(map(len, self.places.values())) > _MOST_PLACES:
            why = (
                "DisruptedPods and UnavailablePods map too big - too many unavailable not confirmed by PUB controller"
            )
        return f'podunavailablebudget.policy.kruise.io "{self.spec.name.name}" is forbidden: {why}' if why else ""


class Budgets:
    """All budgets, over pods that change; times are seconds since the start of the simulation.

    `gates`: what is on, or off as `NAME=false`. Nothing is refused unless the gate of the operation is on.
    `fills_totals`: workloads may be missing; then the recorded totalReplicas is used, if there is one.
    """

    def __init__(
        self,
        specs: Iterable[BudgetSpec],
        workloads: Workloads,
        pods: Sequence[SimulatedPod],
        gates: Iterable[str] = (BUDGETS_FOR_UPDATES,),
        release: Release = DEFAULT,
        *,
        fills_totals: bool = False,
    ) -> None:
        ordered = sorted(specs, key=lambda spec: spec.name)
        self.budgets = {spec.name: Budget(Coverage(spec, workloads, release)) for spec in ordered}
        self.related: dict[int, str] = {}
        """The budget that pods without an annotation got from the controller, by index of the pod."""
        self._pods = pods
        self._workloads = workloads
        self._release = release
        self._fills_totals = fills_totals
        self._gates = frozenset(gates)

    @property
    def protects_updates(self) -> bool:
        """Whether the webhook checks updates."""
        return self._is_on(BUDGETS_FOR_UPDATES)

    @property
    def protects_deletions(self) -> bool:
        """Whether the webhook checks deletions and evictions."""
        return self._is_on(BUDGETS_FOR_DELETIONS)

    def _is_on(self, gate: str) -> bool:
        return is_on(POD_WEBHOOK, self._gates) and is_on(gate, self._gates, self._release)

    def take_over(self, start: str) -> None:
        """Take the status that the manifests record; `start` is the time (RFC 3339) when the simulation begins."""
        for budget in self.budgets.values():
            status = budget.spec.status
            budget.total = status.get("totalReplicas") or 0
            budget.desired = status.get("desiredAvailable") or 0
            budget.current = status.get("currentAvailable") or 0
            budget.allowed = status.get("unavailableAllowed") or 0
            for name, places in budget.places.items():
                places |= {pod: _seconds(time, start) for pod, time in (status.get(name) or {}).items()}

    def create(self, pod: SimulatedPod) -> str:
        """The budget that a pod gets when it is created: the first by name that matches it."""
        if not (self.protects_updates or self.protects_deletions):
            return ""
        return self._searched(pod)

    def _searched(self, pod: SimulatedPod) -> str:
        """The first budget by name that matches a pod."""
        return next((name.name for name, item in self.budgets.items() if item.coverage.is_given_at_creation(pod)), "")

    def reconcile(self, now: float) -> None:
        """A run of the controller for every budget; it runs only if a gate is on."""
        if not (self.protects_updates or self.protects_deletions):
            return
        available = {
            pod.index
            for pod in self._pods
            if is_ready_for_budget(pod, self._release) and is_consistent_for_budget(pod)
        }
        for budget in self.budgets.values():
            self._count(budget, available, now)

    def _count(self, budget: Budget, available: set[int], now: float) -> None:
        covered = [pod for pod in self._pods if budget.coverage.covers(pod)]
        for pod in covered:
            if not self.related_to(pod):
                self.related[pod.index] = budget.spec.name.name
        names = {pod.name.name for pod in covered}
        for kind, places in budget.places.items():
            expired = [name for name, time in places.items() if name not in names or now - time > PLACE_SECONDS[kind]]
            for name in expired:
                del places[name]
        budget.is_total_known = budget.coverage.knows_total(covered)
        budget.total = budget.coverage.total(covered)
        if self._fills_totals and not budget.is_total_known:
            budget.total = budget.spec.status.get("totalReplicas") or budget.total
        budget.desired = budget.spec.desired(budget.total, self._release)
        budget.current = sum(pod.index in available and not budget.holds(pod.name.name) for pod in covered)
        budget.allowed = max(0, budget.current - budget.desired)

    def numbers(self) -> tuple[BudgetNumbers, ...]:
        """All budgets now, by name."""
        return tuple(budget.numbers for budget in self.budgets.values())

    def related_to(self, pod: SimulatedPod) -> str:
        """The name of the budget of a pod, in its namespace; empty if it has none."""
        if not self._release.budget_annotations:
            return self._searched(pod)
        return related_budget(pod.annotations, self._release) or self.related.get(pod.index, "")

    def protected(self, pods: Iterable[SimulatedPod]) -> Counter[BudgetName]:
        """How many of these pods each budget protects; pods without one under an empty name."""
        return Counter(BudgetName(pod.name.namespace, self.related_to(pod)) for pod in pods)

    def fitting(self, pod: SimulatedPod) -> list[BudgetName]:
        """Every budget that covers a pod; more than one is a user error."""
        return [name for name, budget in self.budgets.items() if budget.coverage.covers(pod)]

    def guard(self, pod: SimulatedPod, operation: Operation, *, resize_gate: bool = False) -> Budget | None:
        """The budget that must be asked before an operation on a pod; None if the operation is free.

        The pod is as it was before the operation.
        """
        updates = operation in ("UPDATE", "RESIZE")
        if not (self.protects_updates if updates else self.protects_deletions):
            return None
        name = self.related_to(pod)
        if not name or is_exempt(pod, self._release) or not is_ready_for_budget(pod, self._release):
            return None
        if not (self._release.budget_everywhere or self._was_protected(pod)):
            return None
        if self._release.budget_frees_inconsistent and not is_consistent_for_budget(pod):
            return None
        budget = self.budgets.get(BudgetName(pod.name.namespace, name))
        if budget is None or (budget.spec.ignored and budget.spec.ignored(pod.labels)):
            return None
        if budget.desired == 0 and self._release.budget_of_none_frees:
            return None
        protected = operation in budget.spec.protects or (
            operation == "RESIZE" and not resize_gate and "UPDATE" in budget.spec.protects
        )
        return budget if protected and not budget.holds(pod.name.name) else None

    def _was_protected(self, pod: SimulatedPod) -> bool:
        """Whether older releases check a pod: it has a workload, and is not in a system namespace."""
        owner = controller_of(pod.manifest.get("metadata") or {})
        if owner is None or pod.name.namespace in SYSTEM_NAMESPACES:
            return False
        return self._fills_totals or self._workloads.top(pod.name.namespace, owner)[1] is not None

    @staticmethod
    def take_place(
        budget: Budget, pod: SimulatedPod, now: float, operation: Operation = "UPDATE", *, dry_run: bool = False
    ) -> str:
        """The refusal; if there is room, it is empty and the pod takes a place."""
        message = budget.refusal()
        if not message and not dry_run:
            budget.allowed -= 1
            budget.places["unavailablePods" if operation == "UPDATE" else "disruptedPods"][pod.name.name] = now
        return message


def _seconds(time: str, start: str) -> float:
    """A recorded time on the clock of the simulation; one that cannot be read counts as the start."""
    then, beginning = parse_time(time), parse_time(start)
    return (then - beginning).total_seconds() if then and beginning else 0


def unavailable_budgets(budgets: Budgets, pods: Sequence[SimulatedPod]) -> Iterator[EvictionBudget]:
    """The PodUnavailableBudgets that are asked before a pod is evicted or deleted, if their gate is on."""
    budgets.reconcile(0)
    guarded: dict[BudgetName, list[PodName]] = defaultdict(list)
    for pod in pods:
        if guard := budgets.guard(pod, "EVICT") or budgets.guard(pod, "DELETE"):
            guarded[guard.spec.name].append(pod.name)
    for name, covered in guarded.items():
        yield EvictionBudget(PodName(*name), "", frozenset(covered), budgets.budgets[name].allowed, UNAVAILABLE)
