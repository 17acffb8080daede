"""Whether an expectation about a part of a pod can hold at all: its fields exist, and limits are quantities.

A misspelled field would make `absent` hold for ever.
"""

from collections.abc import Iterator

from sidecarctl.api.decoding import described
from sidecarctl.api.field_table import did_you_mean, fields_of, item_type, value_type
from sidecarctl.api.quantities import QuantityError, parse_quantity
from sidecarctl.expectations.matching import ABSENT, OPERATORS, is_operator
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Path, Value
from sidecarctl.releases.release import Release


def pattern_problems(expected: Value, type_name: str, release: Release, path: Path = ()) -> Iterator[Finding]:
    """What is wrong with the expected value of a type such as `core.Container`, with paths in it."""
    if is_operator(expected):
        yield from _operator_problems(expected, path)
    elif isinstance(expected, dict) and expected.keys() & OPERATORS:
        wrong = next(key for key in expected if key not in OPERATORS)
        message = f"{wrong} cannot stand beside {', '.join(sorted(expected.keys() & OPERATORS))}"
        yield error(Reason.UNKNOWN_FIELD, message, (*path, wrong))
    elif item := item_type(type_name):
        members = (
            expected.items()
            if isinstance(expected, dict)
            else enumerate(expected or ())
            if _is_list(expected)
            else ()
        )
        for step, value in members:
            yield from pattern_problems(value, item, release, (*path, step))
    elif isinstance(expected, dict):
        yield from _member_problems(expected, type_name, release, path)


def _is_list(value: Value) -> bool:
    return isinstance(value, list)


def _member_problems(expected: Object, type_name: str, release: Release, path: Path) -> Iterator[Finding]:
    if member := value_type(type_name):
        for key, value in expected.items():
            yield from pattern_problems(value, member, release, (*path, key))
        return
    types = {field.name: field.type for field in fields_of(type_name, release) or ()}
    for key, value in expected.items():
        if key in types:
            yield from pattern_problems(value, types[key], release, (*path, key))
        elif types:
            meant = did_you_mean(key, types)
            hint = f"did you mean {meant}?" if meant else ""
            yield error(Reason.UNKNOWN_FIELD, f"unknown field {key}", (*path, key), hint=hint)


def _operator_problems(expected: Object, path: Path) -> Iterator[Finding]:
    for operator, value in expected.items():
        if operator == ABSENT:
            if not isinstance(value, bool):
                yield error(Reason.WRONG_TYPE, f"expected true or false, got {described(value)}", (*path, operator))
            continue
        try:
            parse_quantity(value)
        except QuantityError:
            message = f"expected a number or a quantity such as 256Mi, got {described(value)}"
            yield error(Reason.WRONG_TYPE, message, (*path, operator))
