"""JSON read by a JSON parser; its nodes and places are those that YAML would give."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.events import from_events
from sidecarctl.engine.documents.reading.json_text import JSON_BREAK, json_nodes, read_json
from sidecarctl.engine.documents.reading.layout import Layout
from sidecarctl.engine.documents.reading.nodes import nodes_of
from sidecarctl.engine.facts.errors import InputError
from tests.effort import share
from tests.engine.documents.ugly import json_text

ONLY_JSON = "\ufffe\uffff"  # characters that YAML forbids
STRINGS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=f"\ufeff\u2028\u2029\xa0{ONLY_JSON}"),
    max_size=5,
)
VALUES = st.recursive(
    STRINGS | st.integers(-(2**53), 2**53) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=8,
)


def test_values_one_after_another_keep_their_texts() -> None:
    text = ' {"a": 1}\n[2]\t"x" 3\n'
    values = read_json(text, 10)
    assert values
    assert [value for _, value in values] == [{"a": 1}, [2], "x", 3]
    assert "".join(part for part, _ in values) == text


@pytest.mark.parametrize(
    "text", ['{"a": 1', '{"a": 1, "a": 2}', "{a: 1}", "[NaN]", "[1e999]", '["\\ud800"]', "[1,]", "[[[[1]]]]"]
)
def test_what_is_left_to_the_yaml_reader(text: str) -> None:
    assert read_json(text, 3) is None


def test_a_scalar_is_not_deep() -> None:
    assert read_json("[[[1]]] null", 3) is not None


@share(60)
@given(st.dictionaries(STRINGS, VALUES, min_size=1, max_size=3), st.integers(0, 3))
def test_nodes_are_those_of_the_yaml_parser(value: object, indent: int) -> None:
    import json

    text = json.dumps(value, indent=indent or None, ensure_ascii=False)
    expected = Layout(text, from_events(text + "\n", partial(nodes_of, text)))
    made = Layout(text, json_nodes(text), JSON_BREAK)
    for column in ("kinds", "starts", "ends"):
        assert getattr(made.nodes, column) == getattr(expected.nodes, column)
    for column in ("anchors", "tags", "noted"):
        assert [*getattr(made.nodes, column).items()] == [*getattr(expected.nodes, column).items()]
    for node in range(len(made.nodes)):
        assert made.value(node) == expected.value(node)
        assert made.column(node) == expected.column(node)


@pytest.mark.parametrize("padding", [0, 20_000])
def test_json_takes_characters_that_yaml_forbids(padding: int) -> None:
    text = f'{{"a": "{ONLY_JSON}", "b": "{"x" * padding}"}}'
    assert Reader().documents_of(text)[0].value["a"] == ONLY_JSON
    with pytest.raises(InputError, match=r"U\+FFFE is not allowed in YAML"):
        Reader().documents_of(f"# YAML\n{text}")


def test_escapes_of_json_mean_the_same_as_yaml() -> None:
    text = '{"a": "\\u00e4\\n\\"\\\\"}'
    assert Reader().documents_of(text)[0].value == Reader().documents_of(f"# YAML\n{text}")[0].value
    assert json_text("a\x07") == '"a\\u0007"'
