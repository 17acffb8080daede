"""The fields in which two objects differ."""

from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.facts.values import Value
from sidecarctl.engine.field_changes import field_changes


def changes(before: Value, after: Value) -> list[tuple[str, Value, Value]]:
    return [(change.text, change.before, change.after) for change in field_changes(before, after)]


def test_items_are_recognized_by_their_names() -> None:
    before = {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]}
    after = {"env": [{"name": "C", "value": "3"}, {"name": "B", "value": "4"}]}
    assert changes(before, after) == [
        ("env[A]", {"name": "A", "value": "1"}, None),
        ("env[B].value", "2", "4"),
        ("env[C]", None, {"name": "C", "value": "3"}),
    ]


def test_another_order_is_a_change_of_its_own() -> None:
    a, b = {"name": "A"}, {"name": "B"}
    (item,) = field_changes({"env": [a, b]}, {"env": [b, a]})
    assert (item.text, item.before, item.after, item.is_order) == ("env", ["A", "B"], ["B", "A"], True)


def test_items_without_names_by_their_place() -> None:
    assert changes({"args": ["a", "b"]}, {"args": ["a", "c", "d"]}) == [("args[1]", "b", "c"), ("args[2]", None, "d")]


def test_the_same_name_twice_is_not_a_name() -> None:
    mounts = [{"name": "v", "mountPath": "/a"}, {"name": "v", "mountPath": "/b"}]
    changed = [mounts[0], {"name": "v", "mountPath": "/b", "readOnly": True}]
    assert changes(mounts, changed) == [("[/b].readOnly", None, True)]
    assert changes([*mounts, mounts[0]], [*changed, mounts[0]]) == [("[1].readOnly", None, True)]


def test_keys_with_dots_stand_in_brackets() -> None:
    assert changes({"metadata": {"labels": {}}}, {"metadata": {"labels": {"a.b/c": "1"}}}) == [
        ("metadata.labels[a.b/c]", None, "1")
    ]


def test_a_boolean_is_not_a_number() -> None:
    assert changes({"a": True}, {"a": 1}) == [("a", True, 1)]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from("abc"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "a", "b"]), inner, max_size=3)
    ),
    max_leaves=8,
)


def without_nulls(value: Value) -> Value:
    if isinstance(value, dict):
        return {key: without_nulls(member) for key, member in value.items() if member is not None}
    return [without_nulls(item) for item in value if item is not None] if isinstance(value, list) else value


@given(json_values)
def test_equal_values_have_no_changes(value: Value) -> None:
    assert not changes(value, value)


@given(json_values, json_values)
def test_different_values_have_some(before: Value, after: Value) -> None:
    before, after = without_nulls(before), without_nulls(after)
    assert bool(changes(before, after)) == (_ordered(before) != _ordered(after))


def _ordered(value: Value) -> str:
    """The value as text, whatever the order of keys; a boolean differs from a number."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_ordered(value[key])}" for key in sorted(value)) + "}"
    return "[" + ",".join(map(_ordered, value)) + "]" if isinstance(value, list) else repr(value)
