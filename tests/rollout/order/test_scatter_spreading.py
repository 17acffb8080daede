from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.rollout.order.scatter_spreading import Spread, layout, spread


def test_as_many_others_among_those_that_wait_as_among_all() -> None:
    assert layout(2, 7, 2, 7) == Spread(0, 2, 1, 4)
    assert layout(5, 2, 5, 2) == Spread(0, 2, 3, 1)


def test_halves_are_rounded_up() -> None:
    assert layout(2, 5, 2, 5) == Spread(0, 2, 1, 3)


def test_a_surplus_of_others_goes_in_front() -> None:
    assert layout(2, 9, 3, 3) == Spread(7, 2, 1, 1)
    assert layout(1, 9, 7, 2) == Spread(9, 0, 4, 1)


def test_the_last_matched_one_comes_last() -> None:
    assert spread("aaabbbbbbb", "a", 3, 7, layout(2, 7, 2, 7)) == "abbbbabbba"
    assert spread("aAabbbbbbb", "aA", 3, 7, layout(2, 7, 2, 7)) == "abbbbAbbba"


def test_shorter_remainders_are_taken_whole() -> None:
    assert spread("aaabb", "a", 3, 2, Spread(0, 2, 1, 4)) == "abbaa"
    assert spread("aabbbb", "a", 2, 4, Spread(0, 2, 3, 1)) == "abbbba"


@given(st.text("aAbc", max_size=40), st.sampled_from(["a", "aA", "b"]), st.data())
def test_the_beginning_of_an_order_gives_the_beginning_of_the_spread_one(
    order: str, letters: str, data: st.DataObject
) -> None:
    matched = sum(letter in letters for letter in order)
    others = len(order) - matched
    if matched < 2 or others < 2:
        return
    more = data.draw(st.integers(0, 10)), data.draw(st.integers(0, 10))
    laid = layout(matched - 1, others, matched - 1 + more[0], others + more[1])
    whole = spread(order, letters, matched, others, laid)
    assert sorted(whole) == sorted(order)
    beginning = spread(order[: data.draw(st.integers(0, len(order)))], letters, matched, others, laid)
    assert whole.startswith(beginning)
