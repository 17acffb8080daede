"""Values as the API writes them, and their JSON: fields in order, empty ones left out, quantities rewritten.

Hashes, revision data and annotations depend on every byte.

Source: docs/behavior/hash-and-revisions.md, "The two hashes", and api.md.
"""

import re
from collections.abc import Callable
from functools import cache
from json.encoder import encode_basestring
from typing import TypeAlias

from sidecarctl.engine.api.field_table import Field, fields_of, item_type, value_type
from sidecarctl.engine.api.quantities import float_text, quantity_text
from sidecarctl.engine.api.text_forms import parse_time, utc_text
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.releases.release import DEFAULT, Release

Write = Callable[[Value], Value]

_ZERO: dict[str, Value] = {
    "string": "",
    "bool": False,
    "int32": 0,
    "int64": 0,
    "int-or-string": 0,
    "quantity": "0",
}
"""How an absent scalar is written, if it is written at all; null for all other types except structs."""

_LEFT_OUT = object()


def encoded(value: Value, type_name: str, release: Release = DEFAULT) -> Value:
    """A value of an API type exactly as the API of a release writes it in JSON, with `{}` for absent structs.

    The value must have passed `decoding.check`. Unknown fields and null are dropped, maps are sorted.
    """
    return _writer(type_name, _EXACT, release)(value)


def typed(value: Value, type_name: str, release: Release = DEFAULT) -> Value:
    """As `encoded`, but without null times and the empty structs, such as `resources: {}`, that the API adds.

    An empty `metadata` or `spec` stays.
    """
    return _writer(type_name, _TIDY, release)(value)


_EXACT, _TIDY = "exact", "tidy"


@cache
def _writer(type_name: str, form: str, release: Release) -> Write:
    if item := item_type(type_name):
        return _list_writer(_writer(item, form, release), _absent(item, form, release))
    if member := value_type(type_name):
        return _map_writer(_writer(member, form, release), _absent(member, form, release))
    fields = fields_of(type_name, release)
    if fields is not None:
        return _struct_writer([_member(field, form, release) for field in fields])
    return _SCALAR_WRITERS.get(type_name, _as_it_is)


def _later_writer(type_name: str, form: str, release: Release) -> Write:
    """A writer that is made for the first value, since structs set only few of their many fields."""
    if type_name in _SCALAR_WRITERS or type_name in _ZERO:
        return _SCALAR_WRITERS.get(type_name, _as_it_is)
    made: list[Write] = []

    def write(value: Value) -> Value:
        if not made:
            made.append(_writer(type_name, form, release))
        return made[0](value)

    return write


_Member: TypeAlias = tuple[str, Write, Value, bool]
"""How a field of a struct is written: its name, its writer, its absent value, whether it is left out if empty."""


def _member(field: Field, form: str, release: Release) -> _Member:
    if field.pointer:
        absent = _LEFT_OUT if field.omitempty else None
        return field.name, _later_writer(field.type, form, release), absent, False
    # To the API's encoder a struct is never empty: only the tidy form leaves it out.
    tidied = form == _TIDY and field.name not in {"metadata", "spec"}
    omitted = field.omitempty and (tidied or not _is_go_struct(field.type))
    leaves_out_empty = omitted and field.type not in {"quantity", "int-or-string"}
    absent = _absent(field.type, form, release)
    return field.name, _later_writer(field.type, form, release), absent, leaves_out_empty


def _is_go_struct(type_name: str) -> bool:
    return fields_of(type_name) is not None or type_name in {"quantity", "int-or-string", "time", "object"}


def _absent(type_name: str, form: str, release: Release) -> Value:
    return _ZERO.get(type_name) if fields_of(type_name, release) is None else _writer(type_name, form, release)({})


def _struct_writer(members: list[_Member]) -> Write:
    def write_struct(value: Object) -> Object:
        result = {}
        for name, write, absent, leaves_out_empty in members:
            given = value.get(name)
            written = absent if given is None else write(given)
            if written is not _LEFT_OUT and (written or not leaves_out_empty):
                result[name] = written
        return result

    return write_struct


def _list_writer(write: Write, absent: Value) -> Write:
    return lambda value: [absent if item is None else write(item) for item in value]


def _map_writer(write: Write, absent: Value) -> Write:
    # A null member is the zero value to Go's decoder, not an absent one.
    return lambda value: {key: absent if value[key] is None else write(value[key]) for key in sorted(value)}


def _as_it_is(value: Value) -> Value:
    return value


def _whole_number(value: Value) -> Value:
    return value if isinstance(value, str) else int(value)  # `8080.0` reaches the API as 8080


def _time(value: str) -> str | None:
    time = parse_time(value)
    return None if time is None else utc_text(time)


_SCALAR_WRITERS: dict[str, Write] = {
    "int32": _whole_number,
    "int64": _whole_number,
    "int-or-string": _whole_number,
    "quantity": quantity_text,
    "time": _time,
}


_SPECIAL_IN_ASCII = lazy_pattern("[<>&]")
_SPECIAL = lazy_pattern("[<>&\u2028\u2029\ud800-\udfff]")
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
_MARKUP = {"\\u003c": "<", "\\u003e": ">", "\\u0026": "&"}


def compact(value: Value, *, sort_keys: bool = False) -> str:
    """A JSON value as compact text, keys in their order, or sorted by bytes at every level.

    Source: docs/behavior/hash-and-revisions.md, "The two hashes".
    """
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, dict):
        members = sorted(value.items()) if sort_keys else value.items()
        written = (string_text(key) + ":" + compact(item, sort_keys=sort_keys) for key, item in members)
        return "{" + ",".join(written) + "}"
    if isinstance(value, list):
        return "[" + ",".join([compact(item, sort_keys=sort_keys) for item in value]) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return float_text(value) if isinstance(value, float) else str(value)


def readable(value: Value) -> str:
    """The canonical JSON for people: without the escapes that only HTML needs."""
    return re.sub(r"\\(?:u003[ce]|u0026|.)", lambda found: _MARKUP.get(found[0], found[0]), compact(value))


def string_text(text: str) -> str:
    """A string in quotes; `<`, `>`, `&`, U+2028 and U+2029 are escaped, as for embedding in HTML."""
    special = _SPECIAL_IN_ASCII if text.isascii() else _SPECIAL
    return special.sub(_escaped, encode_basestring(text))


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"  # half a surrogate pair is not a character; the API's decoder replaces it
    return f"\\u{ord(character):04x}"


def escaped(text: str) -> str:
    """JSON text with `<`, `>`, `&`, U+2028 and U+2029 as Go writes them, which occur only in its strings."""
    return text.translate(_ESCAPES)


def is_stable(text: str) -> bool:
    """Whether every version of Go writes a string in the same way: the escapes of backspace and form feed changed."""
    return "\b" not in text and "\f" not in text
