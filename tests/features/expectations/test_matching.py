"""The vocabulary of expectations: what matches, and what a mismatch says."""

from typing import Any

import pytest

from sidecarctl.features.expectations.matching import is_complete, is_like, is_subsequence, mismatches

HOLDS: list[tuple[Any, Any]] = [
    ({"a": 1}, {"a": 1, "b": 2}),
    ({}, {"a": 1}),
    ({"a": None}, {"b": 1}),
    ({"a": {"absent": True}}, {}),
    ({"a": {"absent": False}}, {"a": 0}),
    ("*/log-agent:2.*", "registry.example.com/log-agent:2.4.1"),
    ("a?c", "abc"),
    ("[x]*", "[x]1"),
    ("a*b", "a\nb"),
    ("", ""),
    ({"atMost": "256Mi"}, "0.25Gi"),
    ({"atMost": "256Mi", "atLeast": "1Mi"}, "128Mi"),
    ({"atLeast": 2}, 2),
    ({"limits": {"cpu": 1}}, {"limits": {"cpu": "1000m"}}),
    ({"emptyDir": {"sizeLimit": "1Gi"}}, {"emptyDir": {"sizeLimit": "1024Mi"}}),
    ([{"name": "b"}], [{"name": "a"}, {"name": "b", "x": 1}]),
    ({"b": {"x": 1}}, [{"name": "a"}, {"name": "b", "x": 1}]),
    ({"a-*": {"x": 1}}, [{"name": "a-1", "x": 1}, {"name": "a-2", "x": 1}, {"name": "b"}]),
    ([{"name": "d", "at": "/b"}], [{"name": "d", "at": "/a"}, {"name": "d", "at": "/b"}]),
    (["--v=*", "x"], ["--v=2", "x"]),
    ([], []),
    ({"gone": {"absent": True}}, [{"name": "a"}]),
]


@pytest.mark.parametrize(("expected", "actual"), HOLDS)
def test_it_holds(expected: object, actual: object) -> None:
    assert not list(mismatches(expected, actual))


FAILS: list[tuple[Any, Any, tuple[object, ...], str, str]] = [
    ({"a": 1}, {"a": 2}, ("a",), "1", "2"),
    ({"a": 1}, {}, ("a",), "1", "nothing"),
    ({"a": None}, {"a": 1}, ("a",), "nothing", "1"),
    ({"a": {"absent": True}}, {"a": 1}, ("a", "absent"), "nothing", "1"),
    ({"a": {"absent": False}}, {}, ("a", "absent"), "any value", "nothing"),
    ({"a": True}, {"a": 1}, ("a",), "true", "1"),
    ({"a": "1"}, {"a": 1}, ("a",), "1", "1"),
    ({"a": {"b": 1}}, {}, ("a",), '{"b": 1}', "nothing"),
    ("log:2.*", "log:3.0", (), "log:2.*", "log:3.0"),
    ("[ab]", "a", (), "[ab]", "a"),
    ("a.c", "abc", (), "a.c", "abc"),
    ({"m": {"atMost": "256Mi"}}, {"m": "257Mi"}, ("m", "atMost"), "at most 256Mi", "257Mi"),
    ({"m": {"atMost": "256Mi"}}, {}, ("m", "atMost"), "at most 256Mi", "nothing"),
    ({"atLeast": 2}, 1, ("atLeast",), "at least 2", "1"),
    ({"cpu": 1}, {"cpu": "1000m"}, ("cpu",), "1", "1000m"),
    ([{"name": "c"}], [{"name": "a"}, {"name": "b"}], (0,), "c", "only a, b"),
    ({"c": {}}, [], ("c",), "c", "nothing"),
    ({"a": {"x": 1}}, [{"name": "a", "x": 2}], ("a", "x"), "1", "2"),
    ({"a-*": {"x": 1}}, [{"name": "a-1", "x": 1}, {"name": "a-2", "x": 2}], ("a-*", "x"), "1", "2"),
    (["a"], ["a", "b"], (), '["a"]', '["a", "b"]'),
    (["a", "b"], ["b", "a"], (0,), "a", "b"),
    ([{"k": 1}], [{"k": 1}, {"k": 2}], (), '[{"k": 1}]', '[{"k": 1}, {"k": 2}]'),
    (["a"], "a", (), '["a"]', "a"),
    ({"gone": {"absent": True}}, [{"name": "gone"}], ("gone", "absent"), "nothing", '{"name": "gone"}'),
]


@pytest.mark.parametrize(("expected", "actual", "path", "wanted", "got"), FAILS)
def test_it_fails(expected: object, actual: object, path: tuple[object, ...], wanted: str, got: str) -> None:
    assert (path, wanted, got) in [found[:3] for found in mismatches(expected, actual)]


def test_lists_of_names() -> None:
    assert is_complete(["b", "a"], ["a", "b"])
    assert is_complete([], [])
    assert is_complete(["a*"], ["a1", "a2"])
    assert not is_complete(["a"], ["a", "b"])
    assert not is_complete(["a", "b"], ["a"])
    assert is_subsequence(["a", "c"], ["a", "b", "c"])
    assert not is_subsequence(["c", "a"], ["a", "b", "c"])
    assert not is_subsequence(["a", "a"], ["a"])
    assert is_like("*", "")
