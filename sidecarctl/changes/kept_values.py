"""A value that replaces another without changing the text of what is equal to the API.

Source: docs/behaviour/injection.md, "What is written", on typed form: `0.5` and `500m`, `{}` and nothing, are equal.
"""

from sidecarctl.api.canonical import typed
from sidecarctl.api.field_table import fields_of, item_type, value_type
from sidecarctl.changes.list_items import identifying_key
from sidecarctl.facts.values import Object, Value

_ABSENT = object()


def kept(existing: Value, wanted: Value, type_name: str) -> Value:
    """`wanted`, a value in typed form, made of as much of an existing value of the type as is equal to it.

    The existing value itself, the same object, when all of it is. Null and unknown members of it stay.
    """
    if existing is wanted or existing == wanted:
        return existing
    if existing is None:
        return wanted
    if isinstance(existing, dict) and isinstance(wanted, dict):
        return _kept_members(existing, wanted, type_name)
    if isinstance(existing, list) and isinstance(wanted, list):
        return _kept_items(existing, wanted, item_type(type_name) or "object")
    return existing if typed(existing, type_name) == wanted else wanted


def _kept_members(existing: Object, wanted: Object, type_name: str) -> Object:
    written = typed(existing, type_name)
    if written == wanted:
        return existing
    fields = fields_of(type_name)
    types = {field.name: field.type for field in fields} if fields else dict.fromkeys(wanted, value_type(type_name))
    result = {}
    for name, member in existing.items():
        value = wanted.get(name, _ABSENT)
        if written.get(name, _ABSENT) == value:
            result[name] = member
        elif value is not _ABSENT:
            result[name] = kept(member, value, types[name] or "object")
    added = {name: member for name, member in wanted.items() if name not in existing}
    return result | {name: member for name, member in added.items() if written.get(name, _ABSENT) != member}


def _kept_items(existing: list[Value], wanted: list[Value], item: str) -> list[Value]:
    rest = list(zip(existing, typed(existing, f"[]{item}"), strict=True))
    result = []
    for value in wanted:
        place = _place_of(value, [written for _, written in rest])
        entry, written = (None, None) if place is None else rest.pop(place)
        result.append(entry if written == value else kept(entry, value, item))
    unchanged = len(result) == len(existing) and all(map(_same, result, existing))
    return existing if unchanged else result


def _place_of(value: Value, candidates: list[Value]) -> int | None:
    """The place of an equal item, else of one of the same identity."""
    for place, candidate in enumerate(candidates):
        if candidate == value:
            return place
    if isinstance(value, dict):
        field = identifying_key(value)
        for place, candidate in enumerate(candidates):
            if field and candidate.get(field) == value[field]:
                return place
    return None


def _same(before: Value, after: Value) -> bool:
    return before is after or (not isinstance(before, dict | list) and before == after)
