"""Resource expressions such as `max(cpu*50%, 50m)` and the quantities that they give.

Source: docs/behaviour/resources-policy.md, "Expressions".
"""

import re
from collections.abc import Iterator

from sidecarctl.api.quantities import NANO, Quantity
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.paths import Path
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.reasons import Reason
from sidecarctl.sidecarset.resources.expression_operands import (
    ExpressionError,
    Operand,
    as_quantity,
    is_negative,
    truncated,
)
from sidecarctl.sidecarset.resources.expression_syntax import parse_expression

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
