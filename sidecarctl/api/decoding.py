"""Whether the API can decode a value as one of its types, and where it cannot.

Source: docs/behaviour/api.md: a value of a wrong type anywhere makes the API reject the whole object.
"""

from collections.abc import Iterator

from sidecarctl.api.field_table import fields_of, item_type, value_type
from sidecarctl.api.go_json import readable
from sidecarctl.api.scalars import EXPECTED
from sidecarctl.api.type_tests import decodes
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Value
from sidecarctl.releases.release import MASTER, Release

_SHOWN = 60
"""Characters of a value that a message shows."""


def check(value: Value, type_name: str, path: Path = (), release: Release = MASTER) -> list[Finding]:
    """Every place where a release cannot decode a value as an API type such as `core.Pod`; empty if it can.

    Null is the same as absent, unknown fields are skipped. Fast when nothing is wrong.
    """
    if value is None or decodes(type_name, release)(value):
        return []
    return list(_problems(value, type_name, path, release))


def _problems(value: Value, type_name: str, path: Path, release: Release) -> Iterator[Finding]:
    """The innermost places that are wrong, in the API's field order."""
    if value is None or decodes(type_name, release)(value):
        return
    inner = list(_members(value, type_name, release))
    if not inner:
        yield _wrong_type(value, type_name, path)
    for step, member, member_type in inner:
        yield from _problems(member, member_type, (*path, step), release)


def _members(value: Value, type_name: str, release: Release) -> Iterator[tuple[str | int, Value, str]]:
    """The members of a value that has the type's own shape, each with the type that it must have."""
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
    """A value as messages name it: its type, and its beginning where it is short."""
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
    return f"the number {readable(value)}" if _is_short(value) else f"a number of more than {_SHOWN} digits"


def _is_short(number: Value) -> bool:
    return isinstance(number, float) or abs(number) < 10**_SHOWN  # Python refuses to write the longest


_TYPE = "write {field}: {{type: {value}}}"
_BARE_WORDS = {
    "shareVolumePolicy": f"{_TYPE}; older manuals show the bare word",
    "shareVolumeDevicePolicy": f"{_TYPE}; older manuals show the bare word",
    "updateStrategy": _TYPE,
    "upgradeStrategy": "write {field}: {{upgradeType: {value}}}",
    "injectionStrategy": "in a container write podInjectPolicy: {value}",
}
"""What people mean by a word where an object belongs, by field."""


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
