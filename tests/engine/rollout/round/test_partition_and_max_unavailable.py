import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.rollout.round.window import taken, window_of


@pytest.mark.parametrize(
    ("partition", "matched", "held"),
    [
        (None, 10, 0), (0, 10, 0), (3, 10, 3), (11, 10, 10), (-1, 10, 0),
        ("0%", 10, 0), ("20%", 10, 2), ("21%", 10, 3), ("99%", 3, 2), ("99%", 1, 1), ("100%", 3, 3),
        ("+100%", 3, 2), ("150%", 3, 3), ("-5%", 10, 0), ("3", 10, 0), ("half", 10, 0), ("50%", 0, 0),
        ("999999999999999999999%", 10, 0), ("9223372036854775807%", 10, 10),
        ("9223372036854775807%", 1000, 0),
        ("50.5%", 100, 51), ("99.5%", 3, 2), (".5%", 10, 1), ("50.5.1%", 10, 0),
    ],
)  # a table, a case a line  # fmt: skip
def test_partition(partition: int | str | None, matched: int, held: int) -> None:
    assert window_of({"partition": partition}, matched).partition_pods == held


@pytest.mark.parametrize(
    ("max_unavailable", "matched", "pods"),
    [
        (None, 10, 1), (0, 10, 0), (3, 10, 3), (30, 10, 30), (-1, 10, -1),
        ("0%", 10, 0), ("10%", 10, 1), ("11%", 10, 2), ("150%", 10, 15), ("10", 100, 10), ("1%0", 100, 10),
        ("many", 10, 0), ("", 10, 0), ("50%", 0, 0),
    ],
)  # a table, a case a line  # fmt: skip
def test_max_unavailable(max_unavailable: int | str | None, matched: int, pods: int) -> None:
    assert window_of({"maxUnavailable": max_unavailable}, matched).max_unavailable_pods == pods


def test_the_window_keeps_what_was_written() -> None:
    window = window_of({"partition": "20%", "maxUnavailable": 3}, 10)
    assert (window.partition, window.max_unavailable) == ("20%", 3)
    assert window_of({}, 10)[::2] == (0, 1)


@given(st.lists(st.booleans()), st.integers(0, 20), st.integers(-3, 10))
def test_the_budget_counts_ready_pods_alone(ready: list[bool], limit: int, budget: int) -> None:
    numbers = taken(iter(range(len(ready))), limit, budget, lambda number: ready[number])
    assert numbers == list(range(len(numbers)))
    assert len(numbers) <= limit
    assert sum(ready[number] for number in numbers) <= max(budget, 0)
    if len(numbers) < min(limit, len(ready)):
        assert ready[len(numbers)]
        assert sum(ready[number] for number in numbers) == max(budget, 0)
