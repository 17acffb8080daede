"""Tokens of resource expressions, with the odd ways in which Kruise reads numbers.

Source: docs/behaviour/resources-policy.md, "Expressions".
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sidecarctl.api.quantities import QuantityError, parse_quantity
from sidecarctl.sidecarset.resources.expression_operands import ExpressionError, Operand

_NUMBER = (
    r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]*)(?:[eE][+-]?[0-9]*)?(?:%[0-9]*)?"
    r"(?:(?<![eE])(?![eE])[A-Za-z]+)?"  # letters end it, but neither right after its `e` nor with another
)
_TOKEN = re.compile(rf"({_NUMBER})|([A-Za-z][A-Za-z0-9_]*)|([-+*/(),])|([ \t\n\v\f\r]+)")
_QUANTITY = re.compile(r"[0-9.]+(?:[eE][+-]?[0-9]*)?(?:[mkMGTP]|[KMGTP]i)")
_FLOAT = re.compile(r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(%?)")


class Token(NamedTuple):
    """A name, an operator, or a number or quantity with what it stands for; `column` counts from 1."""

    text: str
    column: int
    operand: Operand | None = None
    is_typo: bool = False


def tokens(expression: str) -> Iterator[Token]:
    """The tokens of an expression; ExpressionError at a character that begins none."""
    position = 0
    while position < len(expression):
        match = _TOKEN.match(expression, position)
        if match is None:
            raise ExpressionError(f'unexpected character "{expression[position]}" at column {position + 1}')
        number, name, operator, _blank = match.groups()
        if number:
            yield _literal(number, position + 1)
        elif name or operator:
            yield Token(match[0], position + 1)
        position = match.end()


def _literal(text: str, column: int) -> Token:
    if _QUANTITY.fullmatch(text):
        try:
            return Token(text, column, parse_quantity(text))
        except QuantityError as error:
            raise ExpressionError(f'"{text}" is not a quantity: {error}') from error
    match = _FLOAT.fullmatch(text)
    if match is None:
        return Token(text, column, 0.0, is_typo=True)  # Kruise drops the error and goes on with 0
    number = float(match[1])
    if not match[2]:
        return Token(text, column, number)
    is_finite = number != float("inf")
    return Token(text, column, number / 100 if is_finite else 0.0, is_typo=not is_finite)
