"""Metadata patches, and JSON merged with its spelling kept."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.pod.pod_plan import patched_annotations
from sidecarctl.engine.sidecarset.json_merge import MAX_DEPTH, merge, parse
from tests.conformance.cases import FOLDER, Case, cases_in

CASES = [case for case in cases_in(FOLDER / "inject") if case.name.startswith("inject/patch-")]


def _sets_for(case: Case, pod: Object) -> list[Object]:
    """The sets that select the pod by plain labels, as all of these cases do, bound ones first."""
    labels = pod["metadata"].get("labels") or {}
    sets = [item for item in case.objects if item["kind"] == "SidecarSet"]
    matching = [
        item for item in sets if (item["spec"]["selector"].get("matchLabels") or {}).items() <= labels.items()
    ]
    return sorted(matching, key=lambda item: ("namespaceSelector" not in item["spec"], str(item["metadata"]["name"])))


def _others(annotations: Object) -> Object:
    return {key: value for key, value in annotations.items() if not key.startswith("kruise.io/")}


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_recorded_annotations(case: Case) -> None:
    pods = [item for item in case.objects if item["kind"] == "Pod"]
    for pod, expected in zip(pods, case.expect["pods"], strict=True):
        items = [item for found in _sets_for(case, pod) for item in found["spec"].get("patchPodMetadata") or []]
        annotations = pod["metadata"].get("annotations")
        if expected.get("error"):
            with pytest.raises(ImpossibleError):
                patched_annotations(annotations, [items])
        else:
            recorded = expected["pod"]["metadata"].get("annotations") or {}
            assert patched_annotations(annotations, [items]) == _others(recorded)


def test_the_input_stays_as_it_was() -> None:
    annotations = {"cfg": '{"a":1}'}
    item = {"patchPolicy": "MergePatchJson", "annotations": {"cfg": '{"b":2}', "new": "x"}}
    assert patched_annotations(annotations, [[item]]) == {"cfg": '{"a":1,"b":2}', "new": "x"}
    assert annotations == {"cfg": '{"a":1}'}


def test_later_items_see_earlier_ones() -> None:
    items: list[Object] = [
        {"patchPolicy": "Overwrite", "annotations": {"cfg": json.dumps({"b": 1})}},
        {"patchPolicy": "MergePatchJson", "annotations": {"cfg": '{"a":1}'}},
        {"annotations": {"cfg": "kept out", "new": None}},
    ]
    assert patched_annotations(None, [items]) == {"cfg": '{"a":1,"b":1}', "new": ""}


def test_an_unknown_policy_and_an_item_without_annotations_do_nothing() -> None:
    assert patched_annotations({}, [[{"patchPolicy": "Other", "annotations": {"a": "b"}}, {}]]) == {}


def test_the_error_names_the_annotation() -> None:
    item = {"patchPolicy": "MergePatchJson", "annotations": {"example.com/cfg": "{}"}}
    with pytest.raises(ImpossibleError) as raised:
        patched_annotations({"example.com/cfg": "level=debug"}, [[item]])
    finding = raised.value.findings[0]
    assert finding.reason is Reason.METADATA_PATCH_FAILED
    assert finding.path == ("metadata", "annotations", "example.com/cfg")
    assert "example.com/cfg" in finding.message
    assert "the pod's value is not JSON" in finding.message


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


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON_VALUES, st.sampled_from([None, 1]), st.booleans())
def test_the_compact_text_holds_the_same_value(value: object, indent: int | None, ascii_only: bool) -> None:  # noqa: FBT001 (drawn)
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    compact = json.dumps(value, separators=(",", ":"), ensure_ascii=ascii_only)
    assert parse(text).text == compact


def test_numbers_escapes_and_key_order_keep_their_spelling() -> None:
    text = r'{"z":1e3,"a":[1.50,-0,100000000000000000000],"caf\u00e9":"\/\ud800"}'
    assert parse(text.replace(":", " : ")).text == text


def test_repeated_keys_all_stay_in_the_text_but_the_last_counts() -> None:
    parsed = parse('{"a":1,"a":2}')
    assert parsed.text == '{"a":1,"a":2}'
    assert parsed.members is not None
    assert parsed.members["a"].text == "2"


def test_half_a_surrogate_pair_in_a_key_is_replaced() -> None:
    members = parse(r'{"\ud800":1,"\ud83d\ude00":2}').members
    assert members is not None
    assert list(members) == ["\ufffd", "\U0001f600"]


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "nope", "{", "}", "[", "]", ",", ":", "{]", "[}",
        "[1,]", "[,]", '{"a":1,}', '{"a"}', '{"a":}',
        "{1:2}", '{"a" 1}', "[1 2]", "1 2", "01", "1.", ".5", "+1", "NaN", "Infinity", "'a'", '"a', '"\\x"',
        '"\t"', "\ufeff1", "\u00a01", "tru", "{,}", '{"a":1 "b":2}', "[1]]",
        "1" + "\u0661",
    ],
)  # a table, a case a line  # fmt: skip
def test_what_is_not_json(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(text)


def test_the_limit_of_nesting() -> None:
    assert parse("[" * MAX_DEPTH + "]" * MAX_DEPTH).items is not None
    with pytest.raises(ValueError, match="nested deeper than"):
        parse("[" * 100_000)
