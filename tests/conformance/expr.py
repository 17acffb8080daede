"""Recorded cases of `expr`: what each expression gives for a value of its variable."""

from sidecarctl.engine.api.quantities import parse_quantity
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.expression_operands import ExpressionError
from sidecarctl.engine.sidecarset.expressions import evaluated
from tests.conformance.cases import Case
from tests.conformance.difference import first_difference


def run(case: Case) -> str | None:
    expected = [_without_wording(recorded) for recorded in case.expect["results"]]
    return first_difference(expected, [_result(given) for given in case.params["exprs"]])


def _result(given: Object) -> Object:
    try:
        quantity = evaluated(given["expr"], parse_quantity(given["value"]))
    except ExpressionError:
        return given | {"error": True}
    nothing = None if given["limit"] else "0"  # what an empty expression gives by itself
    return given | {"result": nothing if quantity is None else str(quantity)}


def _without_wording(recorded: Object) -> Object:
    return recorded | {"error": True} if "error" in recorded else recorded
