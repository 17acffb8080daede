"""JSON text is that of the API, to the byte."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.api.canonical import compact, readable
from sidecarctl.engine.api.quantities import float_text

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values)
def test_reads_back_as_the_same_value(value: object) -> None:
    assert json.loads(compact(value)) == value


def test_characters_that_html_minds_are_escaped() -> None:
    assert compact("<&>\u2028\u2029") == r'"\u003c\u0026\u003e\u2028\u2029"'


def test_control_characters_have_short_escapes_if_there_are_some() -> None:
    assert compact('\b\f\n\r\t"\\\x00\x1f\x7f/é') == r'"\b\f\n\r\t\"\\\u0000\u001f' + '\x7f/é"'


def test_half_a_surrogate_pair_is_replaced_so_that_the_text_can_be_hashed() -> None:
    assert compact("a\ud800b").encode() == b'"a\xef\xbf\xbdb"'


def test_keys_keep_their_order_unless_asked_otherwise() -> None:
    value = {"b": [{"d": None, "c": True}], "a": 1.0}
    assert compact(value) == '{"b":[{"d":null,"c":true}],"a":1}'
    assert compact(value, sort_keys=True) == '{"a":1,"b":[{"c":true,"d":null}]}'


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.5, "0.5"), (-0.0, "-0"), (100.0, "100"), (1e-6, "0.000001"), (1.25e-5, "0.0000125"),
        (-1.5e-5, "-0.000015"), (1e-7, "1e-7"), (1.5e-10, "1.5e-10"), (1e20, "100000000000000000000"),
        (1.2345e17, "123450000000000000"), (1e21, "1e+21"), (1.5e300, "1.5e+300"), (0.1, "0.1"),
    ],
)  # a table, a case a line  # fmt: skip
def test_numbers_are_written_plainly_from_a_millionth_up_to_1e21(number: float, text: str) -> None:
    assert float_text(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_reads_back(number: float) -> None:
    assert float(float_text(number)) == number


def test_what_people_read_is_not_escaped_for_html() -> None:
    assert readable({"a": "<ADD LUN> & \\u003c\n"}) == r'{"a":"<ADD LUN> & \\u003c\n"}'
