"""The priority strategy: weights of selectors, or numbers at the end of label values.

docs/behaviour/rollout.md, "Order".
"""

from collections.abc import Callable, Mapping, Sequence

from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.values import Object
from sidecarctl.rollout.order.strategy_selectors import strategy_selector

Priority = tuple[int, ...]
"""The smaller goes first: `(-weight,)`, or `(index of the key, -number)`."""

_WEIGHTS = ("spec", "updateStrategy", "priorityStrategy", "weightPriority")
_TRAILING_DIGITS = lazy_pattern(r"[0-9]+\Z")
_LARGEST_NUMBER = 2**63 - 1


def priority_of(strategy: Object | None) -> Callable[[Mapping[str, str]], Priority]:
    """The priority function of labels; always `()` without a strategy.

    Raises ImpossibleError (MalformedSelector) for a selector that cannot be evaluated.
    """
    strategy = strategy or {}
    if terms := strategy.get("weightPriority"):
        return _by_weight(terms)
    if keys := [term.get("orderedKey") or "" for term in strategy.get("orderPriority") or ()]:
        return lambda labels: _by_order(keys, labels)
    return lambda _: ()


def _by_weight(terms: Sequence[Object]) -> Callable[[Mapping[str, str]], Priority]:
    weighted = [
        (
            term.get("weight") or 0,
            strategy_selector(term["matchSelector"], (*_WEIGHTS, index, "matchSelector")),
        )
        for index, term in enumerate(terms)
        if term.get("matchSelector") is not None
    ]
    return lambda labels: (-sum(weight for weight, matches in weighted if matches(labels)),)


def _by_order(keys: Sequence[str], labels: Mapping[str, str]) -> Priority:
    """A pod with none of the keys comes before all others."""
    for index, key in enumerate(keys):
        if key in labels:
            return index, -_trailing_number(labels[key] or "")
    return -1, 0


def _trailing_number(value: str) -> int:
    digits = _TRAILING_DIGITS.search(value)
    if digits is None or len(digits[0].lstrip("0")) > 19:
        return 0
    number = int(digits[0].lstrip("0") or "0")
    return number if number <= _LARGEST_NUMBER else 0
