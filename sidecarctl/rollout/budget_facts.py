"""What rounds and reports say of PodUnavailableBudgets; it loads nothing of what computes them, as few runs have any.

Source: docs/behaviour/pod-unavailable-budget.md.
"""

from typing import NamedTuple

from sidecarctl.rollout.simulated_pods import PodName


class BudgetName(NamedTuple):
    """Which budget."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class BudgetNumbers(NamedTuple):
    """The status of a budget: how many pods there should be, must be and are available, and how many more may go.

    `unavailable` and `disrupted` are the pods, by name, that hold a place after an update or a deletion.
    """

    name: BudgetName
    total: int
    desired: int
    current: int
    allowed: int
    unavailable: tuple[str, ...] = ()
    disrupted: tuple[str, ...] = ()


class Refusal(NamedTuple):
    """A pod whose update a budget refuses; `message` is what Kruise says."""

    pod: PodName
    budget: BudgetName
    numbers: BudgetNumbers
    message: str
