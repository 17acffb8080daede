"""Numbers and percentages."""

import pytest

from sidecarctl.api.int_or_string import percentage, share


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *[("50%", 50), ("-5%", -5), ("+5%", 5), ("150%", 150), ("007%", 7)],
        ("9223372036854775807%", 2**63 - 1),
        ("-9223372036854775808%", -(2**63)),
        (f"{'0' * 5000}7%", 7),
    ],
)
def test_percentages(text: str, number: int) -> None:
    assert percentage(text) == number


@pytest.mark.parametrize(
    "text", ["", "%", "5", "5.5%", "5 %", "5%%", " 5%", "x%", "9223372036854775808%", "9" * 5000 + "%"]
)
def test_what_is_no_percentage(text: str) -> None:
    assert percentage(text) is None


def test_shares_are_rounded_up() -> None:
    assert [share(percent, 10) for percent in (-5, 0, 20, 25, 100, 150)] == [0, 0, 2, 3, 10, 15]


def test_shares_that_no_number_of_pods_can_be_are_the_least_number() -> None:
    assert share(2**63 - 1, 99) > 0
    assert share(2**63 - 1, 1000) == -(2**63)
