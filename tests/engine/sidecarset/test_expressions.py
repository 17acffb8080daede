"""Resource expressions; the recorded cases of `expr` show the rest."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.api.quantities import Quantity, parse_quantity
from sidecarctl.engine.sidecarset.expression_operands import ExpressionError, Operand, truncated
from sidecarctl.engine.sidecarset.expressions import evaluated, tokens, typos


def result(text: str, value: str = "1500m") -> str:
    return str(evaluated(text, parse_quantity(value)))


def failure(text: str, value: Operand = 1.0, variable: str = "") -> str:
    with pytest.raises(ExpressionError) as raised:
        evaluated(text, value, variable)
    return str(raised.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1e3", ["1e3"]), ("5e-1", ["5e-1"]), (".5", [".5"]), ("5.", ["5."]), ("12.5%", ["12.5%"]),
        ("1e2%", ["1e2%"]), ("100Mi", ["100Mi"]), ("0.5cpu", ["0.5cpu"]), ("50%x", ["50%x"]),
        ("5%5", ["5%5"]),
        ("1Ei", ["1E", "i"]), ("1.2.3", ["1.2", ".3"]), ("3E+cpu", ["3E+cpu"]), ("1e5e5", ["1e5", "e5"]),
        ("50%e", ["50%", "e"]), ("1e%x", ["1e%x"]), ("1e3.5", ["1e3", ".5"]), ("100em", ["100e", "m"]),
        ("2e+e", ["2e+", "e"]), ("5%.5", ["5%", ".5"]), ("12me", ["12me"]), ("a_1b", ["a_1b"]),
        ("..", [".", "."]),
        ("max(1,-x)", ["max", "(", "1", ",", "-", "x", ")"]), ("\t1 \n+\r2", ["1", "+", "2"]),
    ],
)  # a table, a case a line  # fmt: skip
def test_tokens(text: str, expected: list[str]) -> None:
    assert [token.text for token in tokens(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1\N{NO-BREAK SPACE}+ 2", ["1\N{NO-BREAK SPACE}", "+", "2"]),
        ("cpu\N{NO-BREAK SPACE}* µ", ["cpu\N{NO-BREAK SPACE}", "*", "µ"]),
        ("1 \N{NO-BREAK SPACE}", ["1", "\N{NO-BREAK SPACE}"]),
    ],
)
def test_bytes_of_a_character_are_tokens_of_their_own(text: str, expected: list[str]) -> None:
    """A no-break space is a letter and a blank to Kruise, which reads byte by byte."""
    found = list(tokens(text))
    assert [token.text for token in found] == expected
    assert [text[token.column - 1 :].startswith(token.text) for token in found] == [True] * len(found)


def test_a_number_before_a_no_break_space_is_not_a_number() -> None:
    assert result("1\N{NO-BREAK SPACE}+ 2") == "2"
    [finding] = typos("1\N{NO-BREAK SPACE}+ 2")
    assert "counts as 0" in finding.message
    assert "unknown variable" in failure("cpu\N{NO-BREAK SPACE}*2") or "unexpected" in failure(
        "cpu\N{NO-BREAK SPACE}*2"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max((memory - 10.5Gi)/2, 100Mi)", "4123098372855m"),
        ("max((memory - 10Gi)/2, 100Mi)", "100Mi"),
        ("max((memory - 10.5Gi)*0.5, 100Mi)", "4123098372855m"),
        ("max((memory - 9.5Gi)/2, 100Mi)", "100Mi"),  # -9,126,805,504 still fits
        ("max((-49465.78Mi)/1e3, 1m)", "3471602491m"),
    ],
)
def test_a_negative_quantity_that_64_bits_of_nanos_do_not_hold(text: str, expected: str) -> None:
    """Recorded with the quantities of Kubernetes: what is finer than they count in 64 bits is cut to 64 bits."""
    assert result(text, "1Gi") == expected


@pytest.mark.parametrize("text", ["1_0", "50%%", "$", "_cpu", "é", "5é", "1\N{EN SPACE}", "5€", "a.b~"])
def test_characters_that_belong_to_no_expression(text: str) -> None:
    assert "unexpected character" in failure(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (" ", "unexpected end: expected a value or a closing parenthesis"),
        ("(1", "unexpected end: expected a value or a closing parenthesis"),
        ("1)", 'unexpected ")" at column 2'),
        ("1 2", 'unexpected "2" at column 3'),
        ("+1", 'unexpected "+" at column 1'),
        (
            "1e3m",
            '"1e3m" is not a quantity: a quantity must be a number with an optional suffix such as m or Gi',
        ),
        ("foo(1)", 'unknown function "foo": expected max or min'),
        ("max(1)", "max needs exactly two arguments"),
        ("foo", 'unknown variable "foo": expected cpu'),
        ("Memory", 'unknown variable "Memory": expected cpu'),
        ("1m*1m", "cannot multiply two quantities"),
        ("1/1m", "cannot divide by a quantity"),
        ("1/0", "division by zero"),
        ("1m/5x", "division by zero"),
        ("-0.0001", "the result -0.0001 is negative"),
        ("1m-2m", "the result -1m is negative"),
        ("10000P*2", "10E is too large to be multiplied or divided"),
    ],
)
def test_errors_say_what_is_wrong(text: str, message: str) -> None:
    assert failure(text) == message


def test_nesting_has_a_limit_but_length_has_none() -> None:
    assert result("(" * 50 + "1" + ")" * 50) == "1"
    assert "nested" in failure("(" * 100_000)
    assert "nested" in failure("-" * 100_000)
    assert result("+".join(["1"] * 20_000)) == "20k"


def test_an_empty_expression_gives_nothing() -> None:
    assert evaluated("", 1.0) is None


def test_the_variable_may_be_named() -> None:
    assert str(evaluated("memory*2", 1.0, "memory")) == "2"
    assert failure("memory*2", 1.0, "cpu") == 'unknown variable "memory": expected cpu'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-0", "0"),
        ("5%memory", "0"),
        ("5%memory + 2.5", "2"),
        ("3-2", "1"),
        ("3*cpu", "4500m"),
        ("cpu/2", "750m"),
        ("2*3/4", "1500m"),
        ("1e400%", "0"),
        ("0.5m", "500u"),
        (".Mi", "0"),
    ],
)
def test_odd_results(text: str, expected: str) -> None:
    assert result(text) == expected


def test_numbers_beyond_64_bits_give_the_smallest_integer() -> None:
    assert truncated(2.0**63) == truncated(math.inf) == truncated(math.nan) == -(2**63)
    assert truncated(-(2.0**63)) == -(2**63)
    assert truncated(-1.9) == -1


@pytest.mark.parametrize("text", ["cpu-1e16", "-(0m+1e16)", "0m-1e16", "1k-(cpu*1e16)", "min(cpu-1e18, 0m)"])
def test_the_smallest_integer_stays_negative_whatever_takes_it_away(text: str) -> None:
    assert "is negative" in failure(text, parse_quantity("1500m"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("max(cpu-1e16, 5m)", "5m"), ("1.5m-1e16", "9223372036854775809500u"), ("10P-1e16", "19223372036854775808m")],
)
def test_the_smallest_integer_is_taken_away_exactly_beyond_64_bits(text: str, expected: str) -> None:
    assert result(text) == expected


def test_typos_are_warned_about_by_token() -> None:
    path = ("spec", "containers", 0, "resourcesPolicy", "resourcesExpr", "limits", "cpu")
    assert [str(finding) for finding in typos("cpu + 512MiB*1e400%", path)] == [
        "spec.containers[0].resourcesPolicy.resourcesExpr.limits.cpu: "
        f'"{token}" at column {column} is not a number and counts as 0 (units: m k M G T P Ki Mi Gi Ti Pi)'
        for token, column in (("512MiB", 7), ("1e400%", 14))
    ]
    assert list(typos("cpu*50% + 100Mi")) == []


@given(st.text(st.sampled_from("01259.eE%+-*/(), \tcpumemoryaxinMiGkKP_$é"), max_size=30))
def test_any_text_gives_a_quantity_or_an_error(text: str) -> None:
    for value in (1.0, parse_quantity("1.5Gi")):
        try:
            quantity = evaluated(text, value)
        except ExpressionError as error:
            assert str(error)  # noqa: PT017 - failing is one of two right answers
        else:
            assert quantity is None or str(quantity)


amounts = st.integers(0, 10**7).map(lambda milli: f"{milli}m")


@given(amounts, amounts, amounts)
def test_quantities_add_up_exactly(item: str, two: str, three: str) -> None:
    def nanos(text: str) -> int:
        return parse_quantity(text).nanos

    quantity = evaluated(f"{item} + max({two}, {three}) + min({two}, {three})", 1.0)
    assert quantity is not None
    assert quantity.nanos == nanos(item) + nanos(two) + nanos(three)


@given(amounts)
def test_what_is_only_passed_on_keeps_its_text(amount: str) -> None:
    value = parse_quantity(amount)
    assert evaluated("min((cpu), cpu)", value) == value
    assert isinstance(value, Quantity)
