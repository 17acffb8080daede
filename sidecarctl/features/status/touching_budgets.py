"""Which budgets cover the pods of a rollout, and whether they hold back updates in place.

A PodUnavailableBudget does if a feature gate of Kruise is on; a PodDisruptionBudget never does (nothing is evicted).

Source: docs/behavior/pod-unavailable-budget.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from sidecarctl.engine.inputs.pods import PodInputs
from sidecarctl.engine.releases.feature_gates import BUDGETS_FOR_UPDATES
from sidecarctl.engine.rollout.disruption_budgets import EvictionBudget, disruption_budgets, drains_wait
from sidecarctl.engine.rollout.pod_budgets import budgets_among, protects
from sidecarctl.engine.rollout.simulated_pods import PodName, SimulatedPod
from sidecarctl.engine.rollout.statuses import SetStatus, TouchingBudget, simulated_pods
from sidecarctl.engine.sidecarset.world import Located
from sidecarctl.features.status.status import StatusFacts

_Coverage: TypeAlias = tuple[TouchingBudget, frozenset[PodName]]
"""A budget, and the pods that it covers."""


def with_budgets(facts: StatusFacts, inputs: PodInputs) -> StatusFacts:
    """The statuses with the budgets among the inputs that cover pods of each SidecarSet."""
    pods = simulated_pods(inputs.pods)
    found = [*_unavailable(inputs, pods, facts.gates), *_disruption(inputs.disruption_budgets, pods)]
    return facts._replace(sets=[item._replace(budgets=list(_touching(item, found))) for item in facts.sets])


def _touching(status: SetStatus, found: Iterable[_Coverage]) -> Iterator[TouchingBudget]:
    own = frozenset(pod.pod for pod in status.pods)
    for budget, pods in found:
        if number := len(own & pods):
            yield budget._replace(pods=number)


def _unavailable(inputs: PodInputs, pods: Sequence[SimulatedPod], gates: frozenset[str]) -> Iterator[_Coverage]:
    """The PodUnavailableBudgets; InputError for one that Kruise could not read."""
    budgets = budgets_among(gates, inputs.world.release, inputs)(pods)
    asked = protects(gates)
    if asked:
        budgets.reconcile(0)
    for name, budget in budgets.budgets.items():
        covered = frozenset(pod.name for pod in pods if budget.coverage.covers(pod))
        said = f"holds back no update: the feature gate {BUDGETS_FOR_UPDATES} is off"
        if asked:
            said = f"is asked before each update, and lets {max(budget.allowed, 0):,} more be unavailable"
        limit = budget.spec.limit_text
        yield TouchingBudget("PodUnavailableBudget", *name, limit, asked=asked, why=said), covered


_NEVER_ASKED = "does not hold back in-place updates, because they evict nothing; push respects it with --respect-pdb"


def _disruption(budgets: Iterable[Located], pods: Sequence[SimulatedPod]) -> Iterator[_Coverage]:
    for item in disruption_budgets(budgets, pods):
        why = f"{_NEVER_ASKED}; {_drains(item)}"
        budget = TouchingBudget("PodDisruptionBudget", *item.name, item.limit, asked=False, why=why)
        yield budget, item.covers


def _drains(budget: EvictionBudget) -> str:
    """Whether a ready pod may be evicted now."""
    if budget.room > 0:
        return f"{budget.room:,} ready pod{'s' * (budget.room != 1)} may be evicted now"
    return f"no eviction of ready pods possible now; {drains_wait(budget)}"
