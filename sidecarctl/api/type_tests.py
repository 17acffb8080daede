"""Which JSON values the API decodes as which type, compiled for speed from the field table.

Source: docs/behaviour/api.md.
"""

from functools import cache

from sidecarctl.api.field_table import fields_of, item_type, value_type
from sidecarctl.api.scalars import SCALARS, Accepts
from sidecarctl.facts.values import Value
from sidecarctl.releases.release import MASTER, Release


@cache
def decodes(type_name: str, release: Release = MASTER) -> Accepts:
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
