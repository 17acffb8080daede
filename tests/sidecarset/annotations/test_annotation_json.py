import pytest

from sidecarctl.sidecarset.annotations.annotation_json import by_name, decode, time_text


def test_keys_are_sorted_only_at_the_top() -> None:
    assert str(by_name({"b": {"z": 1, "a": 1}, "a": 1})) == "{'a': 1, 'b': {'z': 1, 'a': 1}}"


def test_times_are_put_into_utc() -> None:
    assert time_text("2024-05-06T10:11:12.5+02:00") == "2024-05-06T08:11:12Z"
    assert time_text("0001-01-01T00:00:00Z") is None


@pytest.mark.parametrize("value", ["", "yesterday", "2025-02-29T00:00:00Z"])
def test_what_is_no_time(value: str) -> None:
    with pytest.raises(ValueError, match="not an RFC 3339 time"):
        time_text(value)


def test_half_a_surrogate_pair_is_replaced_everywhere() -> None:
    assert decode(r'{"\ud800":["\udc00","\ud83d\ude00",1]}') == {"\ufffd": ["\ufffd", "\U0001f600", 1]}


@pytest.mark.parametrize("text", ["", " ", "nope", "NaN", '{"a":Infinity}', "[" * 100_000, '"\t"', "\ufeff{}"])
def test_what_is_not_json(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode(text)


def test_an_integer_of_any_length_is_json() -> None:
    assert list(decode('{"a":' + "9" * 10_000 + "}")) == ["a"]
