"""The plain data that a manifest holds."""

import marshal
from typing import Any, TypeAlias

Value: TypeAlias = Any
"""A JSON value: dict, list, str, int, float, bool or None. Foreign data; it is checked where it is used."""

Object: TypeAlias = dict[str, Value]
"""A JSON object: a manifest or a branch of one. Never changed in place; only changed branches are copied."""


def identical(one: Value, other: Value) -> bool:
    """Whether two values are the same, 1, 1.0 and true being different; key order does not count."""
    return marshal.dumps(one, 2) == marshal.dumps(other, 2) or (one == other and _same_types(one, other))


def _same_types(one: Value, other: Value) -> bool:
    """Whether equal values are of equal types throughout."""
    if isinstance(one, dict):
        return isinstance(other, dict) and all(_same_types(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return isinstance(other, list) and all(map(_same_types, one, other))
    return type(one) is type(other)
