import pytest

from sidecarctl.sidecarset.annotation_json import by_name, compact, decode


def test_written_compact_with_escapes_for_html() -> None:
    assert compact({"b": ["<&>", None], "a": "\u2028é\u2029\x7f\x01"}) == (
        '{"b":["\\u003c\\u0026\\u003e",null],"a":"\\u2028é\\u2029\x7f\\u0001"}'
    )


def test_keys_sorted_only_at_the_top() -> None:
    assert compact(by_name({"b": {"z": 1, "a": 1}, "a": 1})) == '{"a":1,"b":{"z":1,"a":1}}'


def test_half_a_surrogate_pair_is_replaced_everywhere() -> None:
    assert decode(r'{"\ud800":["\udc00","\ud83d\ude00",1]}') == {"\ufffd": ["\ufffd", "\U0001f600", 1]}


@pytest.mark.parametrize("text", ["", " ", "nope", "NaN", '{"a":Infinity}', "[" * 100_000, '"\t"', "\ufeff{}"])
def test_what_is_not_json(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode(text)


def test_an_integer_of_any_length_is_json() -> None:
    assert list(decode('{"a":' + "9" * 10_000 + "}")) == ["a"]
