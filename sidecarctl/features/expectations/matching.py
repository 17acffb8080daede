"""The vocabulary of expectations: whether an expected value is possible at all, and how it is compared.

A misspelled field would make `absent` hold forever, so fields have to exist, and limits to be quantities.

Source: docs/expectations.md.
"""

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecarctl.engine.api.decoding import described
from sidecarctl.engine.api.field_table import did_you_mean, fields_of, item_type, value_type
from sidecarctl.engine.api.quantities import QuantityError, parse_quantity
from sidecarctl.engine.facts.findings import Finding, error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, Value, identical
from sidecarctl.engine.releases.release import Release

AT_MOST, AT_LEAST, ABSENT = "atMost", "atLeast", "absent"
OPERATORS = frozenset((AT_MOST, AT_LEAST, ABSENT))
"""The keys of a map that is compared with a scalar or list instead of a map."""

NOTHING = "nothing"
_QUANTITIES = ("limits", "requests", "sizeLimit")


class Mismatch(NamedTuple):
    """A failed expectation: its path below `expect`, and both values as texts.

    `new` has the value with which it would hold, if there is one.
    """

    path: Path
    expected: str
    actual: str
    new: tuple[Value, ...] = ()


def mismatches(expected: Value, actual: Value, path: Path = ()) -> Iterator[Mismatch]:
    """The differences between an actual value and the expected one; an absent value is None.

    A map compares the members that it names, a list of things with names those that it names, any other list item by
    item. Texts are globs with `*` and `?`.
    """
    if is_operator(expected):
        yield from _by_operators(expected, actual, path)
    elif expected is None:
        if actual is not None:
            yield Mismatch(path, NOTHING, text_of(actual))
    elif isinstance(expected, dict):
        yield from _members(expected, actual, path)
    elif isinstance(expected, list):
        yield from _items(expected, actual, path)
    elif not _is_same(expected, actual, path):
        yield Mismatch(path, text_of(expected), text_of(actual), _new(actual))


def _new(actual: Value) -> tuple[Value, ...]:
    """A scalar or a list of scalars can be written instead of what was expected."""
    parts = actual if isinstance(actual, list) else [actual]
    return () if any(part is None or isinstance(part, dict | list) for part in parts) else (actual,)


def is_operator(expected: Value) -> bool:
    """Whether an expected map says how to compare: `{atMost: 256Mi}`."""
    return isinstance(expected, dict) and bool(expected) and expected.keys() <= OPERATORS


def _by_operators(expected: Object, actual: Value, path: Path) -> Iterator[Mismatch]:
    if ABSENT in expected:
        is_absent = actual is None
        if is_absent is not bool(expected[ABSENT]):
            said = NOTHING if expected[ABSENT] else "any value"
            yield Mismatch((*path, ABSENT), said, text_of(actual))
    for operator, word in ((AT_MOST, "at most"), (AT_LEAST, "at least")):
        if operator in expected and not _is_within(operator, expected[operator], actual):
            said = f"{word} {text_of(expected[operator])}"
            yield Mismatch((*path, operator), said, text_of(actual), () if _nanos(actual) is None else _new(actual))


def _is_within(operator: str, limit: Value, actual: Value) -> bool:
    """Whether a number or quantity is within a limit; an absent one never is."""
    given, allowed = _nanos(actual), _nanos(limit)
    if given is None or allowed is None:
        return False
    return given <= allowed if operator == AT_MOST else given >= allowed


def _nanos(value: Value) -> int | None:
    """A number or quantity; None for what is none."""
    try:
        return parse_quantity(value).nanos
    except QuantityError:
        return None


def _members(expected: Object, actual: Value, path: Path) -> Iterator[Mismatch]:
    if isinstance(actual, list):
        for name, value in expected.items():
            yield from _one_named(name, value, actual, (*path, name))
    elif isinstance(actual, dict):
        for key, value in expected.items():
            yield from mismatches(value, actual.get(key), (*path, key))
    elif not expected or not all(map(_allows_absence, expected.values())):
        yield Mismatch(path, text_of(expected), text_of(actual))


def _allows_absence(expected: Value) -> bool:
    return expected is None or (is_operator(expected) and expected.get(ABSENT) is True)


def _items(expected: list[Value], actual: Value, path: Path) -> Iterator[Mismatch]:
    if not isinstance(actual, list):
        yield Mismatch(path, text_of(expected), text_of(actual))
    elif expected and all(_name_of(item) for item in expected):
        for index, item in enumerate(expected):
            yield from _one_named(str(item["name"]), item, actual, (*path, index))
    elif len(expected) != len(actual):
        yield Mismatch(path, text_of(expected), text_of(actual), _new(actual))
    else:
        for index, (item, other) in enumerate(zip(expected, actual, strict=True)):
            yield from mismatches(item, other, (*path, index))


def _one_named(name: str, expected: Value, actual: Sequence[Value], path: Path) -> Iterator[Mismatch]:
    """The differences of items with a name; if a glob names several, each must be as expected.

    Of several things with this very name, such as two mounts of a volume, one must be.
    """
    found = [item for item in actual if is_like(name, _name_of(item))]
    if not found:
        if not _allows_absence(expected):
            there = ", ".join(filter(None, map(_name_of, actual)))
            yield Mismatch(path, name, f"only {there}" if there else NOTHING)
        return
    tried = [list(mismatches(expected, item, path)) for item in found]
    if len({_name_of(item) for item in found}) == 1:
        yield from min(tried, key=len)
    else:
        for different in tried:
            yield from different


def _name_of(item: Value) -> str:
    name = item.get("name") if isinstance(item, dict) else None
    return name if isinstance(name, str) else ""


def _is_same(expected: Value, actual: Value, path: Path) -> bool:
    if isinstance(expected, str) and isinstance(actual, str) and is_like(expected, actual):
        return True
    if identical(expected, actual):
        return True
    is_quantity = any(step in _QUANTITIES for step in path[-2:]) and _nanos(expected) is not None
    return is_quantity and _nanos(expected) == _nanos(actual)


def is_like(glob: str, text: str) -> bool:
    """Whether a text matches a glob, in which `*` stands for any characters and `?` for one."""
    return glob == text or (("*" in glob or "?" in glob) and _pattern(glob).fullmatch(text) is not None)


@lru_cache(maxsize=4096)
def _pattern(glob: str) -> re.Pattern[str]:
    parts = (".*" if character == "*" else "." if character == "?" else re.escape(character) for character in glob)
    return re.compile("".join(parts), re.DOTALL)  # noqa: TID251 - the glob is the user's


def is_subsequence(globs: Sequence[str], names: Sequence[str]) -> bool:
    """Whether names come in an order, possibly with others in between."""
    left = iter(names)
    return all(any(is_like(glob, name) for name in left) for glob in globs)


def is_complete(globs: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a list has exactly these names, in any order."""
    return all(any(is_like(glob, name) for name in names) for glob in globs) and all(
        any(is_like(glob, name) for glob in globs) for name in names
    )


def text_of(value: Value) -> str:
    """A value as a failure shows it: texts as they are, the rest as JSON."""
    if value is None:
        return NOTHING
    if isinstance(value, str):
        return value or '""'
    return json.dumps(value, ensure_ascii=False)


def pattern_problems(expected: Value, type_name: str, release: Release, path: Path = ()) -> Iterator[Finding]:
    """What is wrong with the expected value of a type such as `core.Container`, with paths in it."""
    if is_operator(expected):
        yield from _operator_problems(expected, path)
    elif isinstance(expected, dict) and expected.keys() & OPERATORS:
        wrong = next(key for key in expected if key not in OPERATORS)
        message = f"{wrong} cannot be combined with {', '.join(sorted(expected.keys() & OPERATORS))}"
        yield error(Reason.UNKNOWN_FIELD, message, (*path, wrong))
    elif item := item_type(type_name):
        listed = expected if isinstance(expected, list) else ()
        for step, value in expected.items() if isinstance(expected, dict) else enumerate(listed):
            yield from pattern_problems(value, item, release, (*path, step))
    elif isinstance(expected, dict):
        yield from _member_problems(expected, type_name, release, path)


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
        if _nanos(value) is None:
            message = f"expected a number or a quantity such as 256Mi, got {described(value)}"
            yield error(Reason.WRONG_TYPE, message, (*path, operator))
