import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.sidecarset.annotations.spelled_json import MAX_DEPTH, parse

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
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
