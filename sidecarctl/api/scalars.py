"""Which JSON values the API decodes as which scalar type.

Source: docs/behaviour/api.md.
"""

from collections.abc import Callable

from sidecarctl.api.quantities import QuantityError, parse_quantity
from sidecarctl.api.times import parse_time
from sidecarctl.facts.values import Value

Accepts = Callable[[Value], bool]


def _is_string(value: Value) -> bool:
    return isinstance(value, str)


def _is_bool(value: Value) -> bool:
    return isinstance(value, bool)


def _is_integer_below(limit: int) -> Accepts:
    def is_integer(value: Value) -> bool:
        if isinstance(value, float):  # `8080.0` reaches the API as 8080
            return value.is_integer() and -limit <= value < limit
        return isinstance(value, int) and not isinstance(value, bool) and -limit <= value < limit

    return is_integer


def _is_quantity(value: Value) -> bool:
    try:
        parse_quantity(value)
    except QuantityError:
        return False
    return True


def _is_int_or_string(value: Value) -> bool:
    return isinstance(value, str) or SCALARS["int32"](value)


def _is_time(value: Value) -> bool:
    return isinstance(value, str) and parse_time(value) is not None


def _is_base64(value: Value) -> bool:
    from binascii import Error, a2b_base64

    if not isinstance(value, str):
        return False
    try:
        a2b_base64(value.replace("\r", "").replace("\n", ""), strict_mode=True)
    except (Error, ValueError):
        return False
    return True


def _is_anything(_value: Value) -> bool:
    return True


SCALARS: dict[str, Accepts] = {
    "string": _is_string,
    "bool": _is_bool,
    "int32": _is_integer_below(2**31),
    "int64": _is_integer_below(2**63),
    "quantity": _is_quantity,
    "int-or-string": _is_int_or_string,
    "time": _is_time,
    "bytes": _is_base64,
    "object": _is_anything,
}
"""A test for each scalar type of the field table; null is never asked about, it is the same as absent."""

EXPECTED = {
    "string": "a string",
    "bool": "true or false",
    "int32": "a whole number of 32 bits",
    "int64": "a whole number of 64 bits",
    "quantity": "a quantity such as 100m or 1Gi",
    "int-or-string": "a whole number of 32 bits, or a string",
    "time": "a time such as 2026-01-01T00:00:00Z",
    "bytes": "text in base64",
}
"""What a type asks for, in words."""
