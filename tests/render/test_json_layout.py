"""Documents with very many objects: JSON with a line for each, YAML in parts."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.facts.values import Value
from sidecarctl.render.documents import drawn, laid_out, yaml_parts

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


@given(st.lists(VALUES, max_size=4), st.integers(1, 3))
def test_an_iterator_is_written_as_a_list(items: list[Value], depth: int) -> None:
    assert "".join(laid_out(iter(items), depth)) == "".join(laid_out(items, depth))


def test_items_are_drawn_as_they_are_written() -> None:
    count = itertools.count()
    parts = laid_out({"pods": ({"number": number} for number in count)}, 2)
    assert "".join(itertools.islice(parts, 3)) == '{\n  "pods": [\n    {"number": 0},\n    {"number": 1}'
    assert next(count) == 2


def test_iterators_are_drawn_at_any_depth() -> None:
    assert drawn({"a": iter([{"b": iter([1, 2])}, [iter([])]])}) == {"a": [{"b": [1, 2]}, [[]]]}


@pytest.mark.parametrize(
    "items", [[], [{"name": "a", "tests": [{"b": [1]}]}, {"name": "c"}], ["x", 1, None], [[1], []]]
)
def test_yaml_in_parts_is_the_whole_document(items: list[Value]) -> None:
    document: dict[str, Value] = {
        "kind": "PodExplanation",
        "featureGates": [],
        "pods": items,
        "findings": [{"m": "x: y"}],
    }
    assert "".join(yaml_parts(document | {"pods": iter(items)})) == "".join(yaml_parts(document))
