"""Places in JSON that are found without events are those that events give."""

import json
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.documents.reading import json_text
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.json_text import JsonPlaces
from sidecarctl.engine.facts.values import Path, Value

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
    places = JsonPlaces(document.text)
    for path in _paths(value):
        assert places.place(path) == document.layout.place(path)
        for absent in ("absent", 99):
            assert places.place((*path, absent)) == document.layout.place((*path, absent))


def _paths(value: Value, path: Path = ()) -> Iterator[Path]:
    yield path
    steps: Iterable[str | int] = ()
    if isinstance(value, dict):
        steps = value
    elif isinstance(value, list):
        steps = range(len(value))
    for step in steps:
        yield from _paths(value[step], (*path, step))


def test_what_is_around_a_list_is_walked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the places of all items take the square of their number."""
    walked: list[int] = []
    walk = json_text._children

    def counted(text: str, at: int) -> Iterator[tuple[str | int, int]]:
        walked.append(at)
        return walk(text, at)

    monkeypatch.setattr(json_text, "_children", counted)
    items: list[Value] = [{"metadata": {"name": f"web-{number}"}} for number in range(2_000)]
    places = JsonPlaces(json.dumps({"kind": "List", "items": items}))
    for number in range(len(items)):
        places.place(("items", number, "metadata", "name"))
    assert len(walked) == 2 + 2 * len(items)
