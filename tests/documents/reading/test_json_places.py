"""Places in JSON that are found without events are those that events give."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.documents.reading.document import Reader
from sidecarctl.documents.reading.json_places import JsonPlaces
from sidecarctl.facts.values import Value

keys = st.sampled_from(["items", "kind", "a", '"}],{'])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=12,
)


# A scalar alone is read as YAML, which takes no halves of surrogate pairs.
collections = (st.dictionaries(keys, values, max_size=4) | values).filter(
    lambda value: isinstance(value, dict | list)
)


@given(collections, st.sampled_from([None, 0, 2]), st.sampled_from(["", "\n \n"]))
def test_they_are_the_same(value: Value, indent: int | None, before: str) -> None:
    text = before + json.dumps(value, indent=indent)
    [document] = Reader().documents_of(text)
    items = value.get("items") if isinstance(value, dict) else None
    number = len(items) if isinstance(items, list) else 0
    places = JsonPlaces(document.text)
    assert places.place(()) == document.layout.place(())
    for index in range(number):
        assert places.place(("items", index)) == document.layout.place(("items", index))
    assert places.place(("items", number)) is None


@pytest.mark.parametrize("path", [("kind",), ("items",), ("items", 0, "kind"), ("items", 0, "items", 1)])
def test_other_paths_are_left_to_events(path: tuple[str | int, ...]) -> None:
    text = '{"kind": "List", "items": [{"kind": "List", "items": [{}, {}]}]}'
    assert JsonPlaces(text).place(path) is None
    [document] = Reader().documents_of(text)
    assert document.place(path) == document.layout.place(path)
