"""Values that are replaced keep the text of what is equal."""

import pytest

from sidecarctl.engine.changes import kept
from sidecarctl.engine.facts.values import Object, Value

WANTED: Object = {
    "name": "agent",
    "image": "agent:2",
    "ports": [{"containerPort": 80, "protocol": "TCP"}],
    "env": [{"name": "A", "value": "1"}, {"name": "IS_INJECTED", "value": "true"}],
    "resources": {"limits": {"cpu": "500m", "memory": "1Gi"}},
    "volumeMounts": [{"name": "data", "mountPath": "/data"}],
}


def keep(existing: Object, wanted: Object = WANTED) -> Value:
    return kept(existing, wanted, "core.Container")


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"resources": {"limits": {"memory": "1024Mi", "cpu": 0.5}, "requests": {}}},
        {"command": [], "tty": False, "stdin": None, "livenessProbe": None},
        {"ports": [{"protocol": "TCP", "containerPort": 80.0, "name": ""}]},
        {"env": [{"value": "1", "name": "A", "valueFrom": None}, WANTED["env"][1]]},
        {"note": "a field that the API does not have"},
    ],
)
def test_what_is_equal_to_the_api_is_the_same_object(members: Object) -> None:
    existing = WANTED | members
    assert keep(existing) is existing


def test_only_the_fields_that_differ_change() -> None:
    existing = {"image": "agent:1", "note": 1, **{key: WANTED[key] for key in ("env", "resources", "name")}}
    after = keep(existing)
    assert list(after) == ["image", "note", "env", "resources", "name", "ports", "volumeMounts"]
    assert after["image"] == "agent:2"
    assert after["env"] is existing["env"]
    assert after["resources"] is existing["resources"]


def test_fields_that_are_not_wanted_go() -> None:
    assert keep(WANTED | {"tty": True, "command": ["x"]}) == WANTED


def test_null_is_replaced_in_place() -> None:
    after = keep({"name": "agent", "env": None, "image": "agent:2"})
    assert list(after)[:3] == ["name", "env", "image"]
    assert after == WANTED


def test_items_keep_their_objects_in_the_wanted_order() -> None:
    first, second = {"value": "1", "name": "A"}, {"name": "B", "value": "x"}
    wanted = WANTED | {"env": [{"name": "C", "value": "c"}, {"name": "B", "value": "y"}, {"name": "A", "value": "1"}]}
    after = keep(WANTED | {"env": [first, second]}, wanted)
    assert after["env"] == wanted["env"]
    assert after["env"][2] is first
    assert list(after["env"][1]) == list(second)


def test_mounts_are_recognized_by_their_path() -> None:
    old = {"mountPath": "/data", "name": "old", "readOnly": False}
    after = keep(WANTED | {"volumeMounts": [{"name": "data", "mountPath": "/x"}, old]})
    assert after["volumeMounts"] == [{"mountPath": "/data", "name": "data", "readOnly": False}]
    assert list(after["volumeMounts"][0]) == ["mountPath", "name", "readOnly"]


def test_maps_keep_the_quantities_that_are_equal() -> None:
    after = keep(WANTED | {"resources": {"limits": {"memory": "1024Mi", "cpu": "1", "gone": "1"}}})
    assert after["resources"]["limits"] == {"memory": "1024Mi", "cpu": "500m"}
    assert list(after["resources"]["limits"]) == ["memory", "cpu"]


@pytest.mark.parametrize("command", [["a", "b"], ["c"], [None]])
def test_plain_lists(command: list[str]) -> None:
    wanted = WANTED | {"command": ["a", "c"]}
    assert keep(WANTED | {"command": command}, wanted)["command"] == ["a", "c"]


def test_items_that_are_null_stay_where_the_api_reads_them_as_empty() -> None:
    existing = WANTED | {"env": [None]}
    assert keep(existing, WANTED | {"env": [{"name": ""}]}) is existing
    assert keep(existing)["env"] == WANTED["env"]
