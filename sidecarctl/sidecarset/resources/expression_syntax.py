"""The grammar of resource expressions.

Source: docs/behaviour/resources-policy.md, "Expressions".
"""

from collections.abc import Callable
from functools import lru_cache

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.sidecarset.resources.expression_operands import (
    ExpressionError,
    Operand,
    Operation,
    add,
    divide,
    larger,
    multiply,
    negate,
    smaller,
    subtract,
)
from sidecarctl.sidecarset.resources.expression_tokens import Token, tokens

Evaluate = Callable[[str, Operand], Operand]
"""What gives the value of a part: the name of the variable and what it is bound to go in."""

_SUMS: dict[str, Operation] = {"+": add, "-": subtract}
_PRODUCTS: dict[str, Operation] = {"*": multiply, "/": divide}
_FUNCTIONS: dict[str, Operation] = {"max": larger, "min": smaller}
_DEEPEST = 60


class Expression(NamedTuple):
    """A parsed expression; `typos` are the tokens that Kruise takes for 0 without a word."""

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
