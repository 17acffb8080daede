"""What resource expressions compute with: plain numbers and quantities, and how the two mix.

Source: docs/behavior/resources-policy.md, "Expressions", Types.
"""

from collections.abc import Callable
from typing import TypeAlias

from sidecarctl.engine.api.quantities import Quantity, from_milli, milli_value, negated, subtracted, sum_of

Operand: TypeAlias = float | Quantity
Operation: TypeAlias = Callable[[Operand, Operand], Operand]

_BEYOND_64_BITS = 2.0**63


class ExpressionError(ValueError):
    """An expression is malformed, or has no value."""


def truncated(number: float) -> int:
    """A number cut to a signed 64-bit integer; what does not fit, or is not a number, gives -2^63."""
    return int(number) if -_BEYOND_64_BITS <= number < _BEYOND_64_BITS else -(2**63)


def as_quantity(operand: Operand) -> Quantity:
    """A quantity unchanged, or a number as thousandths."""
    return operand if isinstance(operand, Quantity) else from_milli(truncated(operand * 1000))


def add(left: Operand, right: Operand) -> Operand:
    """The sum: exact as soon as one side is a quantity."""
    if isinstance(left, float) and isinstance(right, float):
        return left + right
    return sum_of(as_quantity(left), as_quantity(right))


def subtract(left: Operand, right: Operand) -> Operand:
    """The difference: exact as soon as one side is a quantity."""
    if isinstance(left, float) and isinstance(right, float):
        return left - right
    return subtracted(as_quantity(left), as_quantity(right))


def multiply(left: Operand, right: Operand) -> Operand:
    """The product of two numbers, or of a number and a quantity; ExpressionError for two quantities."""
    if isinstance(left, Quantity):
        if isinstance(right, Quantity):
            raise ExpressionError("cannot multiply two quantities")
        return from_milli(truncated(_milli(left) * right), left.notation)
    return multiply(right, left) if isinstance(right, Quantity) else left * right


def divide(left: Operand, right: Operand) -> Operand:
    """A number or a quantity divided by a number; ExpressionError for 0 and for a quantity."""
    if isinstance(right, Quantity):
        raise ExpressionError("cannot divide by a quantity")
    if right == 0:
        raise ExpressionError("division by zero")
    if isinstance(left, Quantity):
        return from_milli(truncated(_milli(left) / right), left.notation)
    return left / right


def negate(operand: Operand) -> Operand:
    """The negated operand; a quantity loses its text."""
    return negated(operand) if isinstance(operand, Quantity) else -operand


def larger(left: Operand, right: Operand) -> Operand:
    """The larger one, the left of equals; a quantity as soon as one side is one."""
    left, right = _alike(left, right)
    return right if _size(right) > _size(left) else left


def smaller(left: Operand, right: Operand) -> Operand:
    """The smaller one, the left of equals; a quantity as soon as one side is one."""
    left, right = _alike(left, right)
    return right if _size(right) < _size(left) else left


def is_negative(operand: Operand) -> bool:
    """Whether the operand is below 0; -0 is not."""
    return _size(operand) < 0


def _alike(left: Operand, right: Operand) -> tuple[Operand, Operand]:
    if isinstance(left, float) and isinstance(right, float):
        return left, right
    return as_quantity(left), as_quantity(right)


def _size(operand: Operand) -> float:
    return operand.nanos if isinstance(operand, Quantity) else operand


def _milli(quantity: Quantity) -> int:
    milli = milli_value(quantity)
    if not -_BEYOND_64_BITS <= milli < _BEYOND_64_BITS:
        raise ExpressionError(f"{quantity} is too large to be multiplied or divided")
    return milli
