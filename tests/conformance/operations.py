"""The operations that recorded cases name, each with the function that runs one case.

A function takes a case and answers the first difference in words, or None when all is as recorded.
"""

from collections.abc import Callable

from tests.conformance import admit, convert, expr, inject, match, order, revisions, rollout
from tests.conformance.cases import Case

Run = Callable[[Case], str | None]

OPERATIONS: dict[str, Run] = {
    "admit": admit.run,
    "convert": convert.run,
    "expr": expr.run,
    "inject": inject.run,
    "match": match.run,
    "order": order.run,
    "revisions": revisions.run,
    "rollout": rollout.run,
}
