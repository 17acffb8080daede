"""The plain data that a manifest holds."""

import marshal
from typing import Any, TypeAlias

Value: TypeAlias = Any
"""A JSON value: dict, list, str, int, float, bool or None. Foreign data; it is checked where it is used."""

Object: TypeAlias = dict[str, Value]
"""A JSON object: a manifest or a branch of one. Never changed in place; only changed branches are copied."""


def identical(left: Value, right: Value) -> bool:
    """Whether two values are the same, 1, 1.0 and true being different; key order does not count."""
    return marshal.dumps(left, 2) == marshal.dumps(right, 2) or (left == right and _same_types(left, right))


def _same_types(left: Value, right: Value) -> bool:
    """Whether equal values have equal types throughout."""
    if isinstance(left, dict):
        return isinstance(right, dict) and all(_same_types(value, right[key]) for key, value in left.items())
    if isinstance(left, list):
        return isinstance(right, list) and all(map(_same_types, left, right))
    return type(left) is type(right)
