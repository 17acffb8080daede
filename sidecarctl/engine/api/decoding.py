"""Whether the API can decode a value as one of its types, and where it cannot.

Source: docs/behavior/api.md: a value of a wrong type anywhere makes the API reject the whole object.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeAlias

from sidecarctl.engine.api.canonical import readable
from sidecarctl.engine.api.field_table import fields_of, item_type, value_type
from sidecarctl.engine.api.quantities import QuantityError, parse_quantity
from sidecarctl.engine.api.text_forms import parse_time
from sidecarctl.engine.facts.findings import Finding, error, first_of
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Path, Value
from sidecarctl.engine.releases.release import DEFAULT, Release

Accepts = Callable[[Value], bool]


def _is_string(value: Value) -> bool:
    return isinstance(value, str)


def _is_bool(value: Value) -> bool:
    return isinstance(value, bool)


def _is_integer_below(limit: int) -> Accepts:
    def is_integer(value: Value) -> bool:
        if isinstance(value, float):  # `8080.0` reaches the API as 8080
            return value.is_integer() and -limit <= value < limit
        return isinstance(value, int) and not isinstance(value, bool) and -limit <= value < limit

    return is_integer


def _is_quantity(value: Value) -> bool:
    try:
        parse_quantity(value)
    except QuantityError:
        return False
    return True


def _is_int_or_string(value: Value) -> bool:
    return isinstance(value, str) or SCALARS["int32"](value)


def _is_time(value: Value) -> bool:
    return isinstance(value, str) and parse_time(value) is not None


def _is_base64(value: Value) -> bool:
    from binascii import Error, a2b_base64

    if not isinstance(value, str):
        return False
    try:
        a2b_base64(value.replace("\r", "").replace("\n", ""), strict_mode=True)
    except (Error, ValueError):
        return False
    return True


def _is_anything(_value: Value) -> bool:
    return True


SCALARS: dict[str, Accepts] = {
    "string": _is_string,
    "bool": _is_bool,
    "int32": _is_integer_below(2**31),
    "int64": _is_integer_below(2**63),
    "quantity": _is_quantity,
    "int-or-string": _is_int_or_string,
    "time": _is_time,
    "bytes": _is_base64,
    "object": _is_anything,
}
"""A test for each scalar type of the field table; null never gets here, it is the same as absent."""

EXPECTED = {
    "string": "a string",
    "bool": "true or false",
    "int32": "a whole number of 32 bits",
    "int64": "a whole number of 64 bits",
    "quantity": "a quantity such as 100m or 1Gi",
    "int-or-string": "a whole number of 32 bits, or a string",
    "time": "a time such as 2026-01-01T00:00:00Z",
    "bytes": "text in base64",
}
"""What a type requires, in words."""


@cache
def decodes(type_name: str, release: Release = DEFAULT) -> Accepts:
    """A test whether a release can decode values as the type, created once per type.

    KeyError for a name that the field table lacks.
    """
    if type_name in SCALARS:
        return SCALARS[type_name]
    if item := item_type(type_name):
        return _list_of(decodes(item, release))
    if member := value_type(type_name):
        return _map_of(decodes(member, release))
    fields = fields_of(type_name, release)
    if fields is None:
        raise KeyError(type_name)
    return _struct_of({field.name: decodes(field.type, release) for field in fields})


# The three tests run for every node of every pod that a set may match: plain loops, no generators.


def _struct_of(fields: dict[str, Accepts]) -> Accepts:
    field, is_string = fields.get, SCALARS["string"]

    def is_struct(value: Value) -> bool:
        if not isinstance(value, dict):
            return False
        for name, member in value.items():
            accepts = field(name)
            if accepts is is_string and member.__class__ is str:  # most are
                continue
            if accepts is not None and member is not None and not accepts(member):
                return False
        return True

    return is_struct


def _list_of(accepts: Accepts) -> Accepts:
    def is_list(value: Value) -> bool:
        if not isinstance(value, list):
            return False
        for item in value:  # noqa: SIM110 - see above
            if item is not None and not accepts(item):
                return False
        return True

    return is_list


def _map_of(accepts: Accepts) -> Accepts:
    def is_map(value: Value) -> bool:
        if not isinstance(value, dict):
            return False
        for member in value.values():  # noqa: SIM110 - see above
            if member is not None and not accepts(member):
                return False
        return True

    return is_map


_SHOWN = 60
"""Characters of a value that a message shows."""

_Wrong: TypeAlias = tuple[Value, str, Path]
"""A value, the type that it must have, and its path."""


def check(value: Value, type_name: str, path: Path = (), release: Release = DEFAULT) -> list[Finding]:
    """The places where a release cannot decode a value as an API type such as `core.Pod`; empty if it can.

    After the first thousand, one finding says how many more there are. Null is the same as absent, unknown fields
    are skipped. Fast when nothing is wrong.
    """
    if value is None or decodes(type_name, release)(value):
        return []
    wrong = _wrong_places(value, type_name, path, release)
    return first_of(wrong, lambda place: _wrong_type(*place), "more values of a wrong type")


def _wrong_places(value: Value, type_name: str, path: Path, release: Release) -> Iterator[_Wrong]:
    """The innermost wrong values, in the API's field order."""
    is_inside = False
    for step, member, member_type in _members(value, type_name, release):
        is_inside = True
        if member is not None and not decodes(member_type, release)(member):
            yield from _wrong_places(member, member_type, (*path, step), release)
    if not is_inside:
        yield value, type_name, path


def _members(value: Value, type_name: str, release: Release) -> Iterator[tuple[str | int, Value, str]]:
    """The members of a value with the shape of the type, each with its required type."""
    if isinstance(value, list) and (item := item_type(type_name)):
        for index, entry in enumerate(value):
            yield index, entry, item
    elif isinstance(value, dict) and (member := value_type(type_name)):
        for key, entry in value.items():
            yield key, entry, member
    elif isinstance(value, dict) and (fields := fields_of(type_name, release)):
        for field in fields:
            if field.name in value:
                yield field.name, value[field.name], field.type


def _wrong_type(value: Value, type_name: str, path: Path) -> Finding:
    if item_type(type_name):
        expected = "a list"
    elif type_name in EXPECTED:
        expected = EXPECTED[type_name]
    else:
        expected = "an object"
    return error(
        Reason.WRONG_TYPE,
        f"expected {expected}, got {described(value)}",
        path,
        hint=_hint(value, type_name, path),
    )


def described(value: Value) -> str:
    """A value as named in messages: its type, and its beginning if it is short."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return f"the string {readable(value if len(value) <= _SHOWN else value[:_SHOWN] + '...')}"
    if isinstance(value, bool):
        return f"the boolean {readable(value)}"
    if not isinstance(value, int | float):  # only a Python program can pass it
        return f"a Python {type(value).__name__}"
    return f"the number {readable(value)}" if _is_short(value) else f"a number of more than {_SHOWN} digits"


def _is_short(number: Value) -> bool:
    return isinstance(number, float) or abs(number) < 10**_SHOWN  # Python refuses to print very long ones


_TYPE = "write {field}: {{type: {value}}}"
_BARE_WORDS = {
    "shareVolumePolicy": f"{_TYPE}; older manuals show the bare word",
    "shareVolumeDevicePolicy": f"{_TYPE}; older manuals show the bare word",
    "updateStrategy": _TYPE,
    "upgradeStrategy": "write {field}: {{upgradeType: {value}}}",
    "injectionStrategy": "in a container write podInjectPolicy: {value}",
}
"""What people mean by a word instead of an object, by field."""


def _hint(value: Value, type_name: str, path: Path) -> str:
    field = path[-1] if path else ""
    if field in _BARE_WORDS and isinstance(value, str):
        return _BARE_WORDS[field].format(field=field, value=value)
    if field == "matchLabels" and isinstance(value, list):
        return "write a map such as matchLabels: {app: web}; older manuals show a list"
    if type_name == "string" and isinstance(value, bool):
        return "quote it; yes, no, on, off, y and n are booleans too"
    if type_name == "string" and isinstance(value, int | float):
        return "quote it"  # not which text: 0644 arrives here as 420
    if type_name in {"int32", "int64"} and isinstance(value, str) and value.isdecimal():
        return f"remove the quotes: {value}"
    return ""
