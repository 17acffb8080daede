"""Numbers and percentages."""

import pytest

from sidecarctl.api.int_or_string import percentage, scaled


@pytest.mark.parametrize(("text", "number"), [("50%", 50), ("-5%", -5), ("+5%", 5), ("150%", 150), ("007%", 7)])
def test_percentages(text: str, number: int) -> None:
    assert percentage(text) == number


@pytest.mark.parametrize("text", ["", "%", "5", "5.5%", "5 %", "5%%", " 5%", "x%"])
def test_what_is_no_percentage(text: str) -> None:
    assert percentage(text) is None
    assert scaled(text, 10, round_up=True) is None


def test_shares_are_rounded_as_asked() -> None:
    assert scaled("25%", 10, round_up=True) == 3
    assert scaled("25%", 10, round_up=False) == 2
    assert scaled("100%", 10, round_up=True) == 10
    assert scaled(7, 10, round_up=True) == 7
