"""Tokens of resource expressions, with the odd ways in which Kruise reads numbers.

Source: docs/behaviour/resources-policy.md, "Expressions".
"""

from collections.abc import Iterator

from sidecarctl.api.quantities import QuantityError, parse_quantity
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.sidecarset.resources.expression_operands import ExpressionError, Operand

# Kruise reads byte by byte, each as the character of that number: a no-break space is the letter C2 and a blank.
_LETTER = r"A-Za-z\xaa\xb5\xba\xc0-\xd6\xd8-\xf6\xf8-\xff"
_NUMBER = (
    r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]*)(?:[eE][+-]?[0-9]*)?(?:%[0-9]*)?"
    rf"(?:(?<![eE])(?![eE])[{_LETTER}]+)?"  # letters end it, but neither right after its `e` nor with another
)
_TOKEN = lazy_pattern(rf"({_NUMBER})|([{_LETTER}][{_LETTER}0-9_]*)|([-+*/(),])|([ \t\n\v\f\r\x85\xa0]+)")
_CONTINUED = lazy_pattern("[\x80-\xbf]")
_QUANTITY = lazy_pattern(r"[0-9.]+(?:[eE][+-]?[0-9]*)?(?:[mkMGTP]|[KMGTP]i)")
_FLOAT = lazy_pattern(r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(%?)")


class Token(NamedTuple):
    """A name, an operator, or a number or quantity with its value; `column` counts from 1."""

    text: str
    column: int
    operand: Operand | None = None
    is_typo: bool = False


def tokens(expression: str) -> Iterator[Token]:
    """The tokens of an expression; ExpressionError at a character that begins none."""
    read = expression.encode(errors="surrogatepass").decode("latin-1")
    position = begun = 0  # bytes read, and characters of the expression that begin among them
    while position < len(read):
        match = _TOKEN.match(read, position)
        column = begun + _characters(read[position])
        if match is None:
            raise ExpressionError(f'unexpected character "{expression[column - 1]}" at column {column}')
        number, name, operator, _blank = match.groups()
        position, begun = match.end(), begun + _characters(match[0])
        text = expression[column - 1 : begun]
        if number:
            yield _literal(number, column)._replace(text=text)
        elif name or operator:
            yield Token(text, column)


def _characters(read: str) -> int:
    """How many characters begin in what was read byte by byte."""
    return len(read) - len(_CONTINUED.findall(read))


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
