import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.facts.values import Value
from sidecarctl.sidecarset.annotations.json_merge import merge

SCALARS = st.booleans() | st.integers() | st.text(max_size=3)
VALUES = st.recursive(SCALARS, lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3), max_leaves=8)
PATCHES = st.recursive(
    SCALARS | st.none(),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


def rfc_7386(target: Value, patch: Value) -> Value:
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = rfc_7386(merged.get(key), value)
    return merged


@given(VALUES, st.dictionaries(st.sampled_from("abc"), PATCHES, max_size=3))
def test_without_lists_and_nulls_in_the_value_it_is_rfc_7386(value: Value, patch: Value) -> None:
    assert json.loads(merge(json.dumps(value), json.dumps(patch))) == rfc_7386(value, patch)


@pytest.mark.parametrize(
    ("value", "patch", "merged"),
    [
        ('{"z":{"y":1,"b":2},"a":1}', '{"c":1}', '{"a":1,"c":1,"z":{"y":1,"b":2}}'),
        ('{"z":{"y":1,"b":2}}', '{"z":{"b":3}}', '{"z":{"b":3,"y":1}}'),
        ('{"a":null,"b":null}', '{"a":{"n":null,"x":1}}', '{"a":{"x":1},"b":null}'),
        ('{"a":{"x":1}}', '{"a":[{"n":null, "m":1}]}', '{"a":[{"n":null,"m":1}]}'),
        ('{"a":[1]}', '{"a":[{"n":null, "m":1}, null]}', '{"a":[{"m":1},null]}'),
        ('{"a":5}', '{"a":{"d":null,"c":1}}', '{"a":{"c":1}}'),
        ('{"a":{"x":1}}', '{"a":5}', '{"a":5}'),
        ('{"a":1,"b":2}', '{"a":null,"zz":null}', '{"b":2}'),
        ("[1,2]", '{"x":{"y":null}}', '{"x":{}}'),
        ('"text"', "[]", "[]"),
        ('{"k":1}', '[1, null, {"k":null,"z":1,"b":2}]', '[1,null,{"b":2,"z":1}]'),
        (r'{"k\u0026y":"\u00e9"}', '{"b":"<"}', '{"b":"\\u003c","k\\u0026y":"\\u00e9"}'),
        (r'{"caf\u00e9":1}', "{}", '{"café":1}'),
        ('{"a":1.50}', '{"b":1e3}', '{"a":1.50,"b":1e3}'),
    ],
)
def test_merged(value: str, patch: str, merged: str) -> None:
    assert merge(value, patch) == merged


@pytest.mark.parametrize(
    ("value", "patch", "why"),
    [
        ("nope", '{"a":1}', "the pod's value is not JSON"),
        (" ", '{"a":1}', "the pod's value is not JSON"),
        ("null", "nope", "the pod's value is null"),
        ("{}", "", "the patch is not JSON"),
        ("{}", "null", "the patch is null"),
        ("{}", "5", "neither an object nor a list"),
        ("[1]", '"text"', "neither an object nor a list"),
        ("[" * 5000, "{}", "nested deeper"),
    ],
)
def test_what_cannot_be_merged(value: str, patch: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        merge(value, patch)
