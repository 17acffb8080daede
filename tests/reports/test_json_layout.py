"""JSON with a line for each of very many objects."""

import json

from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.facts.values import Value
from sidecarctl.reports.json_layout import laid_out

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=20,
)


@given(VALUES, st.integers(0, 5))
def test_it_says_the_same(value: Value, depth: int) -> None:
    assert json.loads("".join(laid_out(value, depth))) == value


@given(VALUES)
def test_deep_enough_it_is_indented_as_usual(value: Value) -> None:
    assert "".join(laid_out(value, 50)) == json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def test_what_lies_deeper_stands_on_one_line() -> None:
    assert "".join(laid_out({"a": [{"b": [1, 2]}, {}]}, 2)) == '{\n  "a": [\n    {"b": [1, 2]},\n    {}\n  ]\n}\n'
