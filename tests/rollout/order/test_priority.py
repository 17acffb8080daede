import pytest

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.rollout.order.priority import priority_of


@pytest.mark.parametrize("strategy", [None, {}, {"weightPriority": [], "orderPriority": []}])
def test_without_a_strategy_all_are_alike(strategy: Object | None) -> None:
    assert priority_of(strategy)({"a": "b"}) == ()


def test_weights_of_all_matching_terms_are_added() -> None:
    terms = [
        {"weight": 10, "matchSelector": {"matchLabels": {"tier": "a"}}},
        {"weight": 5, "matchSelector": {"matchExpressions": [{"key": "canary", "operator": "Exists"}]}},
        {"weight": 1, "matchSelector": {}},
        {"weight": 100},
        {"matchSelector": {"matchLabels": {"tier": "a"}}},
    ]
    weight = priority_of({"weightPriority": terms, "orderPriority": [{"orderedKey": "tier"}]})
    assert weight({"tier": "a", "canary": ""}) == (-16,)
    assert weight({"tier": "b"}) == (-1,)


def test_the_first_key_that_a_pod_carries_counts() -> None:
    order = priority_of({"orderPriority": [{"orderedKey": "one"}, {"orderedKey": "two"}]})
    assert order({"one": "x-3", "two": "y-9"}) == (0, -3)
    assert order({"two": "y-9"}) == (1, -9)
    assert order({}) == (-1, 0)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("", 0),
        ("web", 0),
        ("web-12", 12),
        ("12-web", 0),
        ("web-007", 7),
        ("9223372036854775807", 9223372036854775807),
        ("9223372036854775808", 0),
        ("0" * 500 + "5", 5),
        ("9" * 5000, 0),
        ("web-٣", 0),
        ("5\n", 0),
    ],
)
def test_trailing_digits(value: str, number: int) -> None:
    assert priority_of({"orderPriority": [{"orderedKey": "k"}]})({"k": value}) == (0, -number)


def test_a_selector_with_an_unknown_operator_cannot_be_evaluated() -> None:
    terms = [{"weight": 1, "matchSelector": {"matchExpressions": [{"key": "a", "operator": "Like"}]}}]
    with pytest.raises(ImpossibleError) as raised:
        priority_of({"weightPriority": terms})
    finding = raised.value.findings[0]
    assert finding.reason is Reason.MALFORMED_SELECTOR
    assert finding.path[3:] == ("weightPriority", 0, "matchSelector", "matchExpressions", 0, "operator")
