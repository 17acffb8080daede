"""Tables that fit a width."""

from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.render.tables import table

HEADER = ("POD", "STATE", "WHY")
ROWS = [("shop/checkout-0", "Updated", ""), ("shop/checkout-1", "Waiting", "the next round updates it")]


def test_as_wide_as_it_needs_to_be() -> None:
    assert table(HEADER, ROWS, None, "  ") == [
        "  POD              STATE    WHY",
        "  shop/checkout-0  Updated",
        "  shop/checkout-1  Waiting  the next round updates it",
    ]


def test_the_text_is_wrapped_beside_its_row() -> None:
    assert table(HEADER, [("a", "b", "one two three four five six seven")], 38)[1:] == [
        "a    b      one two three four five",
        "            six seven",
    ]


def test_or_below_it() -> None:
    assert table(HEADER, ROWS, 40) == [
        "POD              STATE",
        "shop/checkout-0  Updated",
        "shop/checkout-1  Waiting",
        "    the next round updates it",
    ]


def test_a_cell_that_is_too_wide_loses_its_middle() -> None:
    assert table(HEADER, ROWS, 20)[1] == "shop..out-0  Updated"
    assert table(("A", "B"), [("x" * 30 + "-17", "")], 12)[1] == "xxxxx..xx-17"


def test_nothing_controls_the_terminal() -> None:
    assert "\x1b" not in "".join(table(("A", "B"), [("\x1b[31m", "\x1b]0;x")], 40))


@given(
    st.lists(st.tuples(*[st.text("ab -", max_size=60)] * 3), min_size=1, max_size=5),
    st.integers(min_value=50, max_value=120),
)
def test_no_line_is_wider_than_the_width(rows: list[tuple[str, str, str]], width: int) -> None:
    assert all(len(line) <= width for line in table(HEADER, rows, width, "  "))


def test_a_long_word_is_rather_put_below_than_broken() -> None:
    word = "registry.example.com/log-agent:2.4.1"
    assert table(("A", "B"), [("a" * 20, word)], 50)[1:] == ["a" * 20, f"    {word}"]


def test_there_is_a_least_width_of_cells() -> None:
    assert table(("A", "B", "C"), [("a" * 20, "b" * 20, "")], 10)[1] == "aaa..aaa  bbb..bbb"
