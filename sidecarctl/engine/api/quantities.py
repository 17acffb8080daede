"""Quantities (`100m`, `1.5Gi`, `12e6`) and percentages: exact values, their notation, and the text that is kept.

Source: docs/behavior/resources-policy.md and api.md, "Quantities"; rollout.md, "One round".
"""

import math
import re
from functools import lru_cache
from typing import Literal, NamedTuple

from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value

Notation = Literal["decimal", "binary", "exponent"]

NANO = 10**9
MILLI = 10**6
"""Values of quantities are whole nanos: this many make 1 and 1m."""

LARGEST_BINARY = (2**63 - 1) * NANO
_BITS_64 = range(-(2**63), 2**63)

_LONGEST = 1000
"""Limits for characters and powers of ten, so that numbers stay computable; no sensible quantity exceeds them."""

_POWERS = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY_POWERS = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_SHORT_BINARY_DIGITS = {"Ki": 11, "Mi": 8, "Gi": 5, "Ti": 2}
_DECIMAL_SUFFIXES = {power: suffix for suffix, power in _POWERS.items()}
_BINARY_SUFFIXES = dict(enumerate(("", *_BINARY_POWERS)))

_TEXT = lazy_pattern(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:([KMGTPE]i)|[eE]([+-]?[0-9]{1,9})|([numkMGTPE]?))")
_BLANKS = " \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"


class QuantityError(ValueError):
    """A value is not a quantity."""


class Quantity(NamedTuple):
    """An exact value in nanos (10^-9), its notation, and its text while nothing was computed with it.

    `str` gives the text that Kubernetes writes: the kept one, else the canonical one. The rest is how Kubernetes
    holds the value, which shows in what it computes: as a whole number of `places` decimal places (below 0: of zeros
    that are left out), in 64 bits or, if `wide`, in as many as it takes.
    """

    nanos: int
    notation: Notation = "decimal"
    text: str = ""
    places: int = 0
    wide: bool = False

    def __str__(self) -> str:
        return self.text or _canonical(self.nanos, self.notation)


ZERO = Quantity(0, "decimal", "0")


def parse_quantity(value: Value) -> Quantity:
    """The quantity of a JSON string or number; QuantityError if it is not a quantity."""
    if isinstance(value, str):
        return _parsed(value.strip(_BLANKS))
    if isinstance(value, float):
        return _parsed(float_text(value))
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**_LONGEST:
        return _parsed(str(value))
    raise QuantityError("a quantity must be a string or a number")


def quantity_text(value: Value) -> str:
    """The text in which Kubernetes writes a quantity that was given as `value`; QuantityError as above."""
    return str(parse_quantity(value))


def sum_of(left: Quantity, right: Quantity) -> Quantity:
    """The exact sum, in the notation of the first, or of the second where the first is 0."""
    return _sum_in_64_bits(left, right) or _wide(left.nanos + right.nanos, left, right)


def subtracted(left: Quantity, right: Quantity) -> Quantity:
    """The exact difference; its notation as for the sum.

    But what cannot be turned positive is added, unless Kubernetes leaves 64 bits for the first anyway.
    """
    return _sum_in_64_bits(left, negated(right)) or _wide(left.nanos - right.nanos, left, right)


def negated(quantity: Quantity) -> Quantity:
    """The negated quantity, if it can be negated, without its text."""
    is_least = not quantity.wide and _number(quantity) == _BITS_64[0]
    return quantity._replace(nanos=quantity.nanos if is_least else -quantity.nanos, text="")


def _sum_in_64_bits(left: Quantity, right: Quantity) -> Quantity | None:
    """The sum as Kubernetes computes it as long as 64 bits do; None if they do not."""
    if left.wide or right.wide:
        return None
    places = max(left.places if left.nanos else right.places, right.places if right.nanos else left.places)
    total = Quantity(left.nanos + right.nanos, (left if left.nanos else right).notation, "", places)
    fits = all(_number(part, places) in _BITS_64 for part in (left, right, total))
    return total if fits else None


def _wide(nanos: int, left: Quantity, right: Quantity) -> Quantity:
    return Quantity(nanos, (left if left.nanos else right).notation, "", max(left.places, right.places), wide=True)


def _number(quantity: Quantity, places: int | None = None) -> int:
    """The value as a whole number, scaled by its own number of decimal places or more."""
    power = (quantity.places if places is None else places) - 9
    return quantity.nanos * _power_of_ten(power) if power > 0 else quantity.nanos // _power_of_ten(-power)


def _power_of_ten(power: int) -> int:
    return int(10**power)


def rounded_up_to_milli(quantity: Quantity) -> Quantity:
    """The quantity rounded away from 0 to whole multiples of 1m; unchanged if it already is one."""
    if quantity.nanos % MILLI == 0:
        return quantity
    return from_milli(_divided_away_from_zero(quantity.nanos, MILLI), quantity.notation)


def milli_value(quantity: Quantity) -> int:
    """The value in whole thousandths, rounded away from 0, as Kubernetes reads it from what it holds.

    A wide one that is negative is cut to 64 bits before that, and rounded up.
    """
    if not (quantity.wide and quantity.nanos < 0 and quantity.places > 3):
        return _divided_away_from_zero(quantity.nanos, MILLI)
    held, unit = _cut_to_64_bits(-_cut_to_64_bits(-_number(quantity))), _power_of_ten(quantity.places - 3)
    thousandths = abs(held) // unit * (1 if held > 0 else -1)
    return thousandths + 1 if held % unit else thousandths


def _cut_to_64_bits(number: int) -> int:
    return (number + 2**63) % 2**64 - 2**63


def from_milli(milli: int, notation: Notation = "decimal") -> Quantity:
    """The computed quantity of a number of thousandths."""
    return Quantity(milli * MILLI, notation, "", 3)


def float_text(number: float) -> str:
    """A number as the shortest decimal text that reads back as the same number, plain from 1e-6 up to 1e21."""
    text = repr(number)
    if "e" not in text:
        return text.removesuffix(".0")
    mantissa, _, exponent = text.partition("e")
    power = int(exponent)
    if power < -6 or power >= 21:
        return f"{mantissa}e{power:+d}"
    sign, digits = ("-", mantissa[1:]) if mantissa[0] == "-" else ("", mantissa)
    whole, _, fraction = digits.partition(".")
    if power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{whole}{fraction}"
    return f"{sign}{whole}{fraction.ljust(power, '0')}"


@lru_cache(maxsize=4096)  # manifests repeat a few dozen texts thousands of times
def _parsed(text: str) -> Quantity:
    match = _TEXT.fullmatch(text) if 0 < len(text) <= _LONGEST else None
    if match is None:
        raise QuantityError("a quantity must be a number with an optional suffix such as m or Gi")
    sign, whole, fraction, binary, exponent, suffix = match.groups(default="")
    digits = (whole.lstrip("0") or "0") + fraction
    if binary:
        nanos, notation, short, canonical = _binary(digits, fraction, binary)
        places = len(fraction)
    else:
        places = len(fraction) - int(exponent or _POWERS[suffix])
        nanos, short, canonical = _decimal(digits, -places)
        notation = "exponent" if exponent else "decimal"
    if not short and not whole and not fraction:
        raise QuantityError("a quantity must contain a digit")  # in short ones, such as `m`, no digits mean 0
    if not short and nanos:
        places = 0 if notation == "binary" and nanos == LARGEST_BINARY else 9
    sign_of = -1 if sign == "-" else 1
    return Quantity(sign_of * nanos, notation, text if canonical else "", places, not short)


def _decimal(digits: str, power: int) -> tuple[int, bool, bool]:
    """The nanos, whether Kubernetes computes it in 64 bits, and whether it then passes for canonical."""
    if power > _LONGEST:
        raise QuantityError(f"a quantity of 10^{power} is out of range")
    power = max(power, -3 * _LONGEST)  # all of these are rounded up to 1n
    short = len(digits) <= 18 and power >= -9
    canonical = short and power % 3 == 0 and digits[0] != "0" and not digits.endswith("000")
    if power < -9:
        return _divided_away_from_zero(int(digits), 10 ** (-9 - power)), short, canonical
    return int(digits) * 10 ** (power + 9), short, canonical


def _binary(digits: str, fraction: str, suffix: str) -> tuple[int, Notation, bool, bool]:
    """The nanos, the notation, and the two answers of `_decimal`."""
    number = int(digits)
    short = not fraction and len(digits) <= _SHORT_BINARY_DIGITS.get(suffix, 0)
    exact = number * NANO << _BINARY_POWERS[suffix]
    nanos = min(_divided_away_from_zero(exact, 10 ** len(fraction)), LARGEST_BINARY)
    return nanos, "decimal" if 0 < nanos < NANO else "binary", short, short and number % 8 != 0


def _divided_away_from_zero(number: int, divisor: int) -> int:
    return -(-number // divisor) if number > 0 else number // divisor


def _canonical(nanos: int, notation: Notation) -> str:
    if nanos == 0:
        return "0"
    if notation == "binary" and abs(nanos) >= 1024 * NANO and nanos % NANO == 0:
        number, thousands = _factored(nanos // NANO, 1024)
        return f"{number}{_BINARY_SUFFIXES.get(thousands, '')}"
    number, thousands = _factored(nanos, 1000)
    power = 3 * thousands - 9
    if notation == "exponent":
        return f"{number}e{power}" if power else str(number)
    return f"{number}{_DECIMAL_SUFFIXES.get(power, '')}"  # beyond E Kubernetes loses the suffix


def _factored(number: int, base: int) -> tuple[int, int]:
    """The number with all factors of the base removed, and how many they were."""
    times = 0
    while number % base == 0:
        number, times = number // base, times + 1
    return number, times


_PERCENTAGE = lazy_pattern(r"([+-]?)0*([0-9]{1,19})%")
_LEAST, _BEYOND = -(2**63), 2**63


def percentage(text: str) -> int | None:
    """The whole number before the `%`, also negative or beyond 100; None if the text is no percentage.

    Numbers are those of 64 bits, as for Kruise.
    """
    match = _PERCENTAGE.fullmatch(text)
    number = int(match[1] + match[2]) if match else _BEYOND
    return number if _LEAST <= number < _BEYOND else None


def fraction(text: str) -> float | None:
    """The number before the `%`, which may have decimal places; None if the text is no percentage."""
    match = re.fullmatch(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))%", text)
    return float(match[1]) if match else None


def share(percent: float, total: int, *, up: bool = True) -> int:
    """The percentage of a number, rounded up or down.

    Kruise multiplies floating-point numbers: what no 64 bits hold turns into the least number that they do.
    """
    exact = float(percent) * float(total) / 100
    rounded = math.ceil(exact) if up else math.floor(exact)
    return rounded if rounded < _BEYOND else _LEAST


def scaled(written: int | str, total: int, *, up: bool = True) -> int:
    """A number as it is, a percentage of the total rounded up or down; 0 for any other text."""
    return written if isinstance(written, int) else share(percentage(written) or 0, total, up=up)


def with_resource_defaults(pod_spec: Object) -> Object:
    """The pod spec with requests that are absent taken from limits, and nothing finer than 1m.

    The pod must have passed `decoding.check`. It is a view to compute from, not to be written.
    """
    lists = {name: pod_spec[name] for name in ("initContainers", "containers") if pod_spec.get(name)}
    return pod_spec | {name: [_with_requests(container) for container in lists[name]] for name in lists}


def _with_requests(container: Object | None) -> Object | None:
    resources = container and container.get("resources")
    if not container or not resources:
        return container
    limits, requests = _rounded_up(resources.get("limits")), _rounded_up(resources.get("requests"))
    return container | {"resources": resources | {"limits": limits, "requests": limits | requests}}


def _rounded_up(quantities: Value) -> Object:
    given = {name: "0" if value is None else value for name, value in (quantities or {}).items()}  # null is 0 to Go
    return {name: str(rounded_up_to_milli(parse_quantity(value))) for name, value in given.items()}
