"""Resource expressions such as `max(cpu*50%, 50m)` and the quantities that they give.

Source: docs/behavior/resources-policy.md, "Expressions".
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from sidecarctl.engine.api.quantities import NANO, Quantity, QuantityError, parse_quantity
from sidecarctl.engine.facts.findings import Finding, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Path
from sidecarctl.engine.sidecarset.expression_operands import (
    ExpressionError,
    Operand,
    Operation,
    add,
    as_quantity,
    divide,
    is_negative,
    larger,
    multiply,
    negate,
    smaller,
    subtract,
    truncated,
)

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
    """The tokens of an expression; ExpressionError at a character that cannot begin a token."""
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
        return Token(text, column, 0.0, is_typo=True)  # Kruise ignores the error and continues with 0
    number = float(match[1])
    if not match[2]:
        return Token(text, column, number)
    is_finite = number != float("inf")
    return Token(text, column, number / 100 if is_finite else 0.0, is_typo=not is_finite)


Evaluate = Callable[[str, Operand], Operand]
"""What gives the value of a part: the name of the variable and what it is bound to go in."""

_SUMS: dict[str, Operation] = {"+": add, "-": subtract}
_PRODUCTS: dict[str, Operation] = {"*": multiply, "/": divide}
_FUNCTIONS: dict[str, Operation] = {"max": larger, "min": smaller}
_DEEPEST = 60


class Expression(NamedTuple):
    """A parsed expression; `typos` are the tokens that Kruise silently takes for 0."""

    evaluate: Evaluate
    typos: tuple[Token, ...]


@lru_cache(maxsize=1024)  # one text is evaluated for every pod of a set
def parse_expression(text: str) -> Expression:
    """The expression that a text describes; ExpressionError if it is malformed."""
    read = list(tokens(text))
    evaluate = _Parser(read).whole()
    return Expression(evaluate, tuple(token for token in read if token.is_typo))


class _Parser:
    """Reads tokens from left to right; each method takes what belongs to its rule of the grammar."""

    def __init__(self, read: list[Token]) -> None:
        self._tokens = [*read, Token("", 0)]  # ends with a token that fits nowhere
        self._position = 0
        self._depth = 0

    def whole(self) -> Evaluate:
        evaluate = self._expression()
        self._take("")
        return evaluate

    def _expression(self) -> Evaluate:
        return self._chain(_SUMS, self._term)

    def _term(self) -> Evaluate:
        return self._chain(_PRODUCTS, self._factor)

    def _chain(self, operations: dict[str, Operation], part: Callable[[], Evaluate]) -> Evaluate:
        first, rest = part(), []
        while operation := operations.get(self._next.text):
            self._position += 1
            rest.append((operation, part()))
        return _in_a_row(first, rest) if rest else first

    def _factor(self) -> Evaluate:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ExpressionError(f"nested more than {_DEEPEST} levels deep")
        factor = self._nested_factor()
        self._depth -= 1
        return factor

    def _nested_factor(self) -> Evaluate:
        token = self._next
        if token.operand is None and token.text not in {"-", "("} and not token.text.isidentifier():
            raise self._unexpected()
        self._position += 1
        if token.operand is not None:
            return _constant(token.operand)
        if token.text == "-":
            return _negation(self._factor())
        if token.text == "(":
            return self._closed(self._expression())
        if self._next.text == "(":
            return self._call(token.text)
        return _variable(token.text)

    def _call(self, name: str) -> Evaluate:
        self._take("(")
        arguments = [self._expression()]
        if self._next.text == ",":
            self._take(",")
            arguments.append(self._expression())
        self._take(")")
        function = _FUNCTIONS.get(name.lower())
        if function is None:
            raise ExpressionError(f'unknown function "{name}": expected max or min')
        if len(arguments) != 2:
            raise ExpressionError(f"{name} needs exactly two arguments")
        return _in_a_row(arguments[0], [(function, arguments[1])])

    def _closed(self, inner: Evaluate) -> Evaluate:
        self._take(")")
        return inner

    @property
    def _next(self) -> Token:
        return self._tokens[self._position]

    def _take(self, text: str) -> None:
        if self._next.text != text:
            raise self._unexpected()
        self._position += 1

    def _unexpected(self) -> ExpressionError:
        token = self._next
        if not token.text:
            return ExpressionError("unexpected end: expected a value or a closing parenthesis")
        return ExpressionError(f'unexpected "{token.text}" at column {token.column}')


def _constant(operand: Operand) -> Evaluate:
    return lambda _name, _value: operand


def _variable(name: str) -> Evaluate:
    def bound(variable: str, value: Operand) -> Operand:
        if name.lower() != variable:
            raise ExpressionError(f'unknown variable "{name}": expected {variable}')
        return value

    return bound


def _negation(inner: Evaluate) -> Evaluate:
    return lambda name, value: negate(inner(name, value))


def _in_a_row(first: Evaluate, rest: list[tuple[Operation, Evaluate]]) -> Evaluate:
    """Operations from left to right, in a loop: a sum may be as long as it likes."""

    def chained(name: str, value: Operand) -> Operand:
        result = first(name, value)
        for operation, part in rest:
            result = operation(result, part(name, value))
        return result

    return chained


_MEMORY = lazy_pattern(r"\bmemory\b", re.ASCII)


def evaluated(text: str, value: Operand, variable: str = "") -> Quantity | None:
    """The quantity that an expression gives, None if it is empty; ExpressionError if it gives none.

    The variable is bound to `value`. Its name is `memory` where that word occurs, else `cpu`, unless given.
    """
    if not text:
        return None
    has_memory = _MEMORY.search(text) is not None
    result = parse_expression(text).evaluate(variable or ("memory" if has_memory else "cpu"), value)
    if is_negative(result):
        raise ExpressionError(f"the result {result} is negative")
    if has_memory and isinstance(result, float):
        return Quantity(truncated(result) * NANO)
    return as_quantity(result)


def typos(text: str, path: Path = ()) -> Iterator[Finding]:
    """A warning for each token of a well-formed expression that looks like a quantity but counts as 0."""
    for token in parse_expression(text).typos:
        message = f'"{token.text}" at column {token.column} is not a number and counts as 0'
        yield warning(Reason.NOT_A_NUMBER, message, path, hint="units: m k M G T P Ki Mi Gi Ti Pi")
