"""The operations that recorded cases name, each with the function that runs one case.

A function takes a case and answers the first difference in words, or None when all is as recorded.
"""

from collections.abc import Callable

from tests.conformance import admit, convert, expr, inject, match, revisions
from tests.conformance.cases import Case

Run = Callable[[Case], str | None]

OPERATIONS: dict[str, Run] = {
    "admit": admit.run,
    "inject": inject.run,
    "convert": convert.run,
    "match": match.run,
    "revisions": revisions.run,
    "expr": expr.run,
}
