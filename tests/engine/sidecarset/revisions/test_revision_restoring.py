"""Strategic merge patches."""

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.revisions.revision_restoring import MergeError, merged


def test_objects_merge_null_removes_and_lists_without_key_are_replaced() -> None:
    original = {"a": {"x": 1, "y": 2}, "b": 1, "command": ["a"], "c": [1]}
    patch = {"a": {"y": None, "z": 3}, "b": None, "command": ["b"], "c": {"k": 1}, "absent": None}
    assert merged(original, patch) == {"a": {"x": 1, "z": 3}, "command": ["b"], "c": {"k": 1}}


def test_lists_with_a_key_merge_item_by_item_in_the_order_of_the_patch() -> None:
    def containers(*items: Object) -> Object:
        return {"containers": list(items)}

    original = containers(
        {"name": "a", "image": "a:1"},
        {"name": "b", "env": [{"name": "X", "value": "1"}]},
        {"name": "c"},
        {"name": "d"},
    )
    patch = containers({"name": "new"}, {"name": "d", "image": "d:2"}, {"name": "b", "env": [{"name": "Y"}]})
    assert merged(original, patch) == containers(
        {"name": "new"},
        {"name": "a", "image": "a:1"},
        {"name": "c"},
        {"name": "d", "image": "d:2"},
        {"name": "b", "env": [{"name": "Y"}, {"name": "X", "value": "1"}]},
    )


def test_ports_merge_by_number() -> None:
    ports = [{"containerPort": 80, "name": "http"}]
    assert merged({"ports": ports}, {"ports": [{"containerPort": 80, "hostPort": 8080}]}) == {
        "ports": [{"containerPort": 80, "name": "http", "hostPort": 8080}]
    }


def test_directives() -> None:
    assert merged({"a": 1}, {"$patch": "replace", "b": None}) == {"b": None}
    assert merged({"a": {"x": 1}}, {"a": {"$patch": "delete"}}) == {"a": {}}


@pytest.mark.parametrize(
    "patch",
    [
        {"$patch": "merge"},
        {"$patch": 1},
        {"$retainKeys": []},
        {"containers": [{"image": "x"}]},
        {"containers": ["x"]},
        {"containers": [{"name": "a", "$patch": "delete"}]},
    ],
)
def test_what_cannot_be_applied_is_an_error(patch: Object) -> None:
    with pytest.raises(MergeError):
        merged({"containers": [{"name": "a"}]}, patch)


@pytest.mark.parametrize(
    ("member", "original", "patch", "expected"),
    [
        ("ports", ["53 dns", "53 dns-tcp"], ["53 dns", "53 dns-tcp"], ["53 dns-tcp", "53 dns-tcp"]),
        ("ports", ["53 dns", "53 dns-tcp"], ["53 dns"], ["53 dns", "53 dns-tcp"]),
        ("ports", [], ["53 dns", "53 dns-tcp"], ["53 dns-tcp"]),
        ("ports", ["53 dns", "80 http", "53 dns-tcp"], ["80 web"], ["53 dns", "53 dns-tcp", "80 web"]),
        ("ports", ["80 http"], ["53 dns", "80 web", "53 dns-tcp"], ["53 dns-tcp", "80 web"]),
        ("env", ["A 1", "A 2"], ["A 1", "A 2"], ["A 2", "A 2"]),
        ("env", ["A 1", "B 1", "A 2"], [], ["A 1", "A 2", "B 1"]),
    ],
)
def test_repeated_keys_meet_the_first_item_of_the_key(
    member: str, original: list[str], patch: list[str], expected: list[str]
) -> None:
    """Recorded from Kubernetes' own strategic merge patch."""

    def items(texts: list[str]) -> Object:
        split = (text.split() for text in texts)
        if member == "env":
            return {member: [{"name": name, "value": value} for name, value in split]}
        return {member: [{"containerPort": int(number), "name": name} for number, name in split]}

    assert merged(items(original), items(patch)) == items(expected)


def test_null_stays_where_the_patch_does_not_name_it() -> None:
    assert merged({"a": None, "b": 1}, {"b": None, "c": None}) == {"a": None}
