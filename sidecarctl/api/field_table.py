"""The API's fields, in the API's own order: the one source for types, canonical JSON and unknown fields.

Source: docs/behaviour/api.md, "Quantities", and docs/behaviour/hash-and-revisions.md, "The two hashes".
"""

import json
from collections.abc import Iterable
from functools import cache

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object
from sidecarctl.releases.release import MASTER, Release


class Field(NamedTuple):
    """One field of an API type.

    - `type`: `string`, `bool`, `int32`, `int64`, `quantity`, `int-or-string`, `time`, `object`, `bytes`,
      `[]T`, `map[string]T`, or the name of another type of the table.
    - `omitempty`: an empty value is left out of canonical JSON; no effect on a struct that is no pointer.
    - `pointer`: only null is empty: an explicit 0, false or {} is kept.
    """

    name: str
    type: str
    omitempty: bool
    pointer: bool


def fields_of(type_name: str, release: Release = MASTER) -> tuple[Field, ...] | None:
    """The fields of a type such as `core.Pod` that a release knows, in order; None for what is no struct."""
    return _fields(type_name, release.fields)


def has_field(type_name: str, name: str, release: Release) -> bool:
    """Whether a release knows a field of a struct."""
    return any(field.name == name for field in fields_of(type_name, release) or ())


def item_type(type_name: str) -> str | None:
    """`T` of `[]T`; None for what is no list."""
    return type_name[2:] if type_name.startswith("[]") else None


def value_type(type_name: str) -> str | None:
    """`T` of `map[string]T`; None for what is no map."""
    return type_name.removeprefix("map[string]") if type_name.startswith("map[") else None


@cache
def _fields(type_name: str, known: str) -> tuple[Field, ...] | None:
    rows = _table().get(type_name)
    if rows is None:
        return None
    fields = tuple(Field(row["name"], row["type"], row["omitempty"], row.get("pointer", False)) for row in rows)
    return fields if known == MASTER.fields else _of_older(fields, type_name, known)


def _of_older(fields: Iterable[Field], type_name: str, known: str) -> tuple[Field, ...]:
    from sidecarctl.releases.known_fields import gained, lost

    kept = (field for field in fields if (type_name, field.name) not in lost(known))
    return (*kept, *(Field(name, kind, omitempty=True, pointer=False) for name, kind in gained(known, type_name)))


@cache
def _table() -> dict[str, list[Object]]:
    with open(__file__.replace("field_table.py", "types.json"), "rb") as file:  # noqa: PTH123 - pathlib is for files of users
        table: dict[str, list[Object]] = json.load(file)
    return table
