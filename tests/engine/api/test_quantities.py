"""Quantities: values are exact, and texts are those that Kubernetes writes."""

from copy import deepcopy
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sidecarctl.engine.api.quantities import (
    NANO,
    ZERO,
    Quantity,
    QuantityError,
    from_milli,
    milli_value,
    parse_quantity,
    percentage,
    quantity_text,
    rounded_up_to_milli,
    share,
    subtracted,
    sum_of,
    with_resource_defaults,
)
from sidecarctl.engine.facts.values import Object
from tests.effort import reaches_half

FACTORS = {
    suffix: Fraction(10) ** power
    for suffix, power in {
        "n": -9,
        "u": -6,
        "m": -3,
        "": 0,
        "k": 3,
        "M": 6,
        "G": 9,
        "T": 12,
        "P": 15,
        "E": 18,
    }.items()
} | {suffix: Fraction(2) ** (10 * (index + 1)) for index, suffix in enumerate(["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"])}


@pytest.mark.parametrize(
    ("given", "written"),
    [
        # kept: they pass for canonical
        ("+1", "+1"), ("1.", "1."), ("1.500", "1.500"), ("007", "007"), ("1500e-3", "1500e-3"),
        ("1E3", "1E3"), ("0100Mi", "0100Mi"), ("1.250G", "1.250G"), ("100u", "100u"), ("100.Mi", "100.Mi"),
        # rewritten
        ("0.5", "500m"), ("1.0", "1"), ("1000m", "1"), ("1000", "1k"), ("1024", "1024"), ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"), ("12e4", "120e3"), ("15e2", "1500"), ("20e2", "2e3"), ("1e-1", "100e-3"),
        ("0.1Ki", "102400m"), ("0.0005Ki", "512m"), ("1000E", "1"), ("16Ki", "16Ki"), ("+16Ki", "16Ki"),
        ("8Ei", "9223372036854775807"), ("-8Ei", "-9223372036854775807"), ("-0", "0"), ("+0", "0"),
        ("000", "0"), ("0.1n", "1n"), ("-0.1n", "-1n"), ("1e-2000", "1e-9"),
        ("1e-999999999", "1e-9"), (" 1 ", "1"),
        ("\N{NO-BREAK SPACE}1", "1"), ("123456789012345678901234567890", "123456789012345678901234567890"),
        # no digits stand for 0 where Kubernetes computes in 64 bits
        ("m", "0"), ("+", "0"), (".", "0"), ("Ti", "0"), (".5", "500m"),
        # numbers
        (2, "2"), (0.5, "500m"), (1000, "1k"), (0, "0"), (1e-05, "10u"), (2.0, "2"), (-0.0, "0"),
        (1e21, "1e+21"),
    ],
)  # a table, a case a line  # fmt: skip
def test_text_is_kept_or_rewritten_as_kubernetes_does(given: str | float, written: str) -> None:
    assert quantity_text(given) == written


@pytest.mark.parametrize(
    "value",
    [
        "", " ", "1K", "1mi", "1 Mi", "abc", "1e", "1e+", "1.2.3", "--1", "1Kib", "\t1", "1\n",
        "\N{FULLWIDTH DIGIT ONE}", "Pi", "e-10", "1e1001", "1" * 1001,
        pytest.param(10**5000, id="5001 digits"), float("inf"), float("nan"), True, None, [], {},
    ],
)  # a table, a case a line  # fmt: skip
def test_what_is_not_a_quantity_is_refused(value: object) -> None:
    with pytest.raises(QuantityError):
        parse_quantity(value)


numbers = st.builds(
    lambda sign, whole, fraction: f"{sign}{whole}{fraction}",
    st.sampled_from(["", "+", "-"]),
    st.from_regex(r"[0-9]{1,22}", fullmatch=True),
    st.from_regex(r"(\.[0-9]{0,12})?", fullmatch=True),
)
suffixes = st.one_of(st.sampled_from(list(FACTORS)), st.integers(-20, 30).map(lambda power: f"e{power}"))


def exact_value(number: str, suffix: str) -> Fraction:
    factor = FACTORS[suffix] if suffix in FACTORS else Fraction(10) ** int(suffix[1:])
    value = Fraction(number.rstrip(".") if number.endswith(".") else number) * factor
    nanos = abs(value) * NANO
    rounded = Fraction(-(-nanos.numerator // nanos.denominator), NANO)
    if suffix.endswith("i"):
        rounded = min(rounded, Fraction(2**63 - 1))
    return rounded if value > 0 else -rounded


@given(numbers, suffixes)
def test_value_is_exact_in_nanos(number: str, suffix: str) -> None:
    assert Fraction(parse_quantity(number + suffix).nanos, NANO) == exact_value(number, suffix)


@reaches_half
@given(numbers, suffixes)
def test_written_text_reads_back_as_the_same_value_and_is_not_rewritten_again(number: str, suffix: str) -> None:
    quantity = parse_quantity(number + suffix)
    assume(abs(quantity.nanos) < 10**18 * NANO)  # beyond E the suffix is lost
    again = parse_quantity(str(quantity))
    assert again.nanos == quantity.nanos
    assert str(again) in {str(quantity), str(Quantity(again.nanos))}
    assert str(parse_quantity(str(again))) == str(again)


@given(numbers, suffixes)
def test_kept_text_is_the_text_given(number: str, suffix: str) -> None:
    text = number + suffix
    assert parse_quantity(text).text in {"", text}


@given(st.integers(-(10**20), 10**20))
def test_rounding_up_to_milli_goes_away_from_zero(nanos: int) -> None:
    rounded = rounded_up_to_milli(Quantity(nanos))
    assert rounded.nanos % 10**6 == 0
    assert 0 <= (abs(rounded.nanos) - abs(nanos)) < 10**6


def test_rounding_keeps_the_text_of_what_is_not_finer() -> None:
    assert str(rounded_up_to_milli(parse_quantity("1.500"))) == "1.500"
    assert str(rounded_up_to_milli(parse_quantity("1.0001"))) == "1001m"
    assert str(rounded_up_to_milli(parse_quantity("1e-9"))) == "1e-3"


def test_sums_take_the_notation_of_the_first_unless_it_is_zero() -> None:
    gibi, byte = parse_quantity("1Gi"), parse_quantity("1")
    assert str(sum_of(parse_quantity("256Mi"), byte)) == "268435457"
    assert str(sum_of(ZERO, gibi)) == "1Gi"
    assert str(sum_of(parse_quantity("512M"), gibi)) == "1585741824"
    assert str(subtracted(sum_of(gibi, parse_quantity("1G")), gibi)) == "1000000000"
    assert str(subtracted(ZERO, parse_quantity("1e3"))) == "-1e3"


def test_milli_values() -> None:
    assert milli_value(parse_quantity("100u")) == 1
    assert milli_value(parse_quantity("-100u")) == -1
    assert str(from_milli(1500)) == "1500m"
    assert str(from_milli(1048577 * 1000, "binary")) == "1048577"
    assert str(Quantity(3 * 2**80 * NANO, "binary")) == "3"  # beyond Ei the suffix is lost


@pytest.mark.parametrize(
    ("texts", "milli"),
    [
        (["1Gi", "10.5Gi"], 8246196745710),  # held in nanos; only 64 bits of them count
        (["1Gi", "9.5Gi"], -9126805504000),
        (["1Gi", "10Gi"], -9663676416000),  # held in whole numbers
        (["1Gi", "0.000001Ki"], 1073741823999),
        (["0", "0.00001Ki"], -9),  # rounded up, though it is negative
        (["0", "10100u"], -11),  # what 64 bits hold is rounded away from 0
        (["1n", "10G"], 8446744073710),
    ],
)
def test_thousandths_as_kubernetes_reads_them_from_what_it_holds(texts: list[str], milli: int) -> None:
    """Recorded from its own library."""
    item, other = map(parse_quantity, texts)
    assert milli_value(subtracted(item, other)) == milli


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *[("50%", 50), ("-5%", -5), ("+5%", 5), ("150%", 150), ("007%", 7)],
        ("9223372036854775807%", 2**63 - 1),
        ("-9223372036854775808%", -(2**63)),
        (f"{'0' * 5000}7%", 7),
    ],
)
def test_percentages(text: str, number: int) -> None:
    assert percentage(text) == number


@pytest.mark.parametrize(
    "text", ["", "%", "5", "5.5%", "5 %", "5%%", " 5%", "x%", "9223372036854775808%", "9" * 5000 + "%"]
)
def test_what_is_not_a_percentage(text: str) -> None:
    assert percentage(text) is None


def test_shares_are_rounded_up() -> None:
    assert [share(percent, 10) for percent in (-5, 0, 20, 25, 100, 150)] == [0, 0, 2, 3, 10, 15]


def test_shares_that_no_number_of_pods_can_be_are_the_least_number() -> None:
    assert share(2**63 - 1, 99) > 0
    assert share(2**63 - 1, 1000) == -(2**63)


def test_absent_requests_are_taken_from_limits_and_all_is_rounded_up_to_milli() -> None:
    spec: Object = {
        "initContainers": [{"name": "setup", "resources": {"limits": {"cpu": 1}}}],
        "containers": [
            {
                "name": "a",
                "resources": {"limits": {"cpu": "0.5", "memory": "1Gi"}, "requests": {"cpu": "100u"}},
            },
            {"name": "b", "resources": {"requests": {"cpu": "1", "memory": None}, "limits": None}},
            {"name": "c"},
            {"name": "d", "resources": None},
            None,
        ],
    }
    before = deepcopy(spec)
    filled = with_resource_defaults(spec)
    assert filled["initContainers"] == [
        {"name": "setup", "resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}}
    ]
    assert filled["containers"] == [
        {
            "name": "a",
            "resources": {
                "limits": {"cpu": "500m", "memory": "1Gi"},
                "requests": {"cpu": "1m", "memory": "1Gi"},
            },
        },
        {"name": "b", "resources": {"limits": {}, "requests": {"cpu": "1", "memory": "0"}}},
        {"name": "c"},
        {"name": "d", "resources": None},
        None,
    ]
    assert spec == before
    assert with_resource_defaults({"containers": None}) == {"containers": None}
