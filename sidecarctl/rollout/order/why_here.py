"""Why a pod is at its position among the waiting pods, in words, from its sort key.

docs/behaviour/rollout.md, "Order".
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from sidecarctl.api.selector_text import selector_text
from sidecarctl.facts.values import Object
from sidecarctl.rollout.order.base_order import NO_TIME, BaseKey, time_text
from sidecarctl.rollout.order.priority import Priority
from sidecarctl.rollout.order.strategy_selectors import strategy_selector


class PlacedBy(Protocol):
    """The sort key of a pod in a round: priority, base order, position, whether scatter affects it."""

    @property
    def priority(self) -> Priority:
        """The priority."""

    @property
    def base(self) -> BaseKey:
        """The base order."""

    @property
    def place(self) -> int:
        """The position, from 1."""

    @property
    def scattered(self) -> bool:
        """Whether a scatter term moves pods."""


def why_here(key: PlacedBy, neighbour: PlacedBy | None, strategy: Object, labels: Mapping[str, str]) -> str:
    """`not ready first, priority 50 by tier=gold, then created 2026-01-01T00:00:00Z, place 6 by scatter`.

    `neighbour` is the pod before (for the first pod, the pod after); the first difference from it is named.
    """
    return ", ".join(_reasons(key, neighbour, strategy.get("priorityStrategy") or {}, labels))


def _reasons(key: PlacedBy, neighbour: PlacedBy | None, strategy: Object, labels: Mapping[str, str]) -> Iterator[str]:
    if key.priority:
        yield _priority(key.priority, strategy, labels)
    if not key.base.ready:
        yield "not ready first"
    if neighbour is not None and neighbour.priority == key.priority:
        difference = _difference(key.base, neighbour.base)
        if difference:
            yield f"then {difference}" if key.priority or not key.base.ready else difference
        elif neighbour.base == key.base:
            yield "then input order, a tie"
    if key.scattered:
        yield f"place {key.place} by scatter"


def _priority(priority: Priority, strategy: Object, labels: Mapping[str, str]) -> str:
    if terms := strategy.get("weightPriority"):
        by = " and ".join(_matching(terms, labels))
        return f"priority {-priority[0]}" + (f" by {by}" if by else ", no term matches")
    keys = [term.get("orderedKey") or "" for term in strategy.get("orderPriority") or ()]
    index, number = priority
    if index < 0 or index >= len(keys):
        return "none of the ordered keys: before all others"
    return f"key {keys[index]}, number {-number}"


def _matching(terms: Sequence[Object], labels: Mapping[str, str]) -> Iterator[str]:
    for term in terms:
        selector = term.get("matchSelector")
        if selector is not None and strategy_selector(selector, ())(labels):
            yield selector_text(selector)


def _difference(base: BaseKey, other: BaseKey) -> str:
    """The first member that differs, with its value; readiness without a value."""
    for member in BaseKey._fields:
        value = getattr(base, member)
        if value != getattr(other, member):
            return _told(member, value)
    return ""


def _told(member: str, value: int) -> str:
    match member:
        case "scheduled":
            return "on a node" if value else "on no node"
        case "phase":
            return f"phase {('Pending', 'Unknown', 'Running')[value]}"
        case "ready":
            return "ready" if value else ""
        case "ready_since":
            return "ready since an unknown time" if value == NO_TIME else f"ready since {time_text(value)}"
        case "created":
            return "age not known" if value == NO_TIME else f"created {time_text(value)}"
    return f"{-value} restarts" + (" of native sidecars" if member == "native_sidecar_restarts" else "")
