"""The API's fields, in the API's own order: the one source for types, canonical JSON and unknown fields.

Source: docs/behaviour/api.md, "Quantities", and docs/behaviour/hash-and-revisions.md, "The two hashes".
"""

import json
import pkgutil
from functools import cache
from typing import NamedTuple

from sidecarctl.facts.values import Object


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


@cache
def fields_of(type_name: str) -> tuple[Field, ...] | None:
    """The fields of a type such as `core.Pod`, in order; None when the table has no struct of that name."""
    rows = _table().get(type_name)
    if rows is None:
        return None
    return tuple(Field(row["name"], row["type"], row["omitempty"], row.get("pointer", False)) for row in rows)


def item_type(type_name: str) -> str | None:
    """`T` of `[]T`; None for what is no list."""
    return type_name[2:] if type_name.startswith("[]") else None


def value_type(type_name: str) -> str | None:
    """`T` of `map[string]T`; None for what is no map."""
    return type_name.removeprefix("map[string]") if type_name.startswith("map[") else None


@cache
def _table() -> dict[str, list[Object]]:
    table: dict[str, list[Object]] = json.loads(pkgutil.get_data(__name__, "types.json") or "{}")
    return table
