"""The edits between two values, and the same as a JSON patch."""

import json

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.changes import difference, json_patch
from sidecarctl.engine.facts.values import Edit, Value, applied
from tests.engine.documents.random_edits import changes
from tests.engine.documents.ugly import VALUES, manifests

CASES: dict[str, tuple[Value, Value, list[Edit]]] = {
    "nothing": ({"a": [1]}, {"a": [1]}, []),
    "a scalar": ({"a": 1}, {"a": 2}, [Edit("set", ("a",), 2)]),
    "another type": ({"a": 1}, {"a": "1"}, [Edit("set", ("a",), "1")]),
    "members": ({"a": 1, "b": 2}, {"b": 2, "c": 3}, [Edit("remove", ("a",)), Edit("set", ("c",), 3)]),
    "the depth": ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, [Edit("set", ("a", 0, "b"), 2)]),
    "an item by name": ([{"name": "a"}, {"name": "b"}], [{"name": "x"}, {"name": "b", "c": 1}],
                        [Edit("insert", (0,), {"name": "x"}), Edit("remove", (0,)), Edit("set", (1, "c"), 1)]),
    "items at the ends": ([1], [0, 1, 2], [Edit("insert", (0,), 0), Edit("insert", (1,), 2)]),
    "an item exchanged": ([1, 2, 3], [1, 5, 3], [Edit("set", (1,), 5)]),
    "an item gone": ([1, 2, 3], [1, 3], [Edit("remove", (1,))]),
    "all at once": (1, {"a": 1}, [Edit("set", (), {"a": 1})]),
}  # a table, a case a line  # fmt: skip


@pytest.mark.parametrize(("before", "after", "edits"), CASES.values(), ids=CASES)
def test_difference(before: Value, after: Value, edits: list[Edit]) -> None:
    assert difference(before, after) == edits


@given(VALUES, VALUES)
def test_the_edits_make_the_one_of_the_other(before: Value, after: Value) -> None:
    edits = difference({"a": before}, {"a": after})
    assert applied({"a": before}, edits) == {"a": after}
    assert difference(after, after) == []


@given(st.data(), manifests())
def test_the_patch_makes_the_edits(data: st.DataObject, before: Value) -> None:
    after = applied(before, data.draw(changes(before)))
    given_before = json.dumps(before)
    patch = json_patch(before, difference(before, after))
    assert jsonpatch.apply_patch(json.loads(given_before), patch) == after  # of its own: aliases share their values
    assert json.dumps(before) == given_before


def test_patch_operations() -> None:
    before = {"a/b": [1, 2], "~": {"x": 1}}
    edits = [
        Edit("insert", ("a/b", 0), 0),
        Edit("remove", ("a/b", 1)),
        Edit("set", ("~", "x"), 2),
        Edit("set", ("~", "y"), 3),
    ]
    assert json_patch(before, edits) == [
        {"op": "add", "path": "/a~1b/0", "value": 0},
        {"op": "remove", "path": "/a~1b/2"},
        {"op": "replace", "path": "/~0/x", "value": 2},
        {"op": "add", "path": "/~0/y", "value": 3},
    ]


EMPTY: dict[str, tuple[Value, Value, list[Value]]] = {
    "an empty list": ({"v": []}, {"v": [1, 2]}, [{"op": "add", "path": "/v", "value": [1, 2]}]),
    "an empty mapping": ({"v": {}}, {"v": {"a": 1, "b": 2}}, [
        {"op": "add", "path": "/v", "value": {"a": 1, "b": 2}},
    ]),
    "null": ({"v": None}, {"v": [1]}, [{"op": "add", "path": "/v", "value": [1]}]),
    "in an item": ([1, {"v": []}], [0, 1, {"v": [1]}], [
        {"op": "add", "path": "/0", "value": 0}, {"op": "add", "path": "/2/v", "value": [1]},
    ]),
    "an item that is null": ({"v": [None, {"name": "a"}]}, {"v": [{"name": "b"}, {"name": "a"}]}, [
        {"op": "add", "path": "/v/0", "value": {"name": "b"}}, {"op": "remove", "path": "/v/1"},
    ]),
    "the whole": ({}, {"a": 1}, [{"op": "add", "path": "/a", "value": 1}]),
}  # fmt: skip


@pytest.mark.parametrize(("before", "after", "patch"), EMPTY.values(), ids=EMPTY)
def test_what_is_empty_is_added_as_a_whole(before: Value, after: Value, patch: list[Value]) -> None:
    assert json_patch(before, difference(before, after)) == patch
    assert jsonpatch.apply_patch(json.loads(json.dumps(before)), patch) == after
