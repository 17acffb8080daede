"""The API's fields, in the API's own order: the one source for types, canonical JSON and unknown fields.

Source: docs/behavior/api.md, "Quantities", and docs/behavior/hash-and-revisions.md, "The two hashes".
"""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.releases.profiles import gained, lost
from sidecarctl.engine.releases.release import DEFAULT, MASTER, Release


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


def fields_of(type_name: str, release: Release = DEFAULT) -> tuple[Field, ...] | None:
    """The fields of a type such as `core.Pod` that a release knows, in order; None if it is not a struct."""
    return _fields(type_name, release.fields)


def has_field(type_name: str, name: str, release: Release) -> bool:
    """Whether a release knows a field of a struct."""
    return any(field.name == name for field in fields_of(type_name, release) or ())


def item_type(type_name: str) -> str | None:
    """`T` of `[]T`; None for other types."""
    return type_name[2:] if type_name.startswith("[]") else None


def value_type(type_name: str) -> str | None:
    """`T` of `map[string]T`; None for other types."""
    return type_name.removeprefix("map[string]") if type_name.startswith("map[") else None


@cache
def _fields(type_name: str, known: str) -> tuple[Field, ...] | None:
    rows = _table().get(type_name)
    if rows is None:
        return None
    fields = tuple(Field(row["name"], row["type"], row["omitempty"], row.get("pointer", False)) for row in rows)
    return fields if known == MASTER.fields else _of_older(fields, type_name, known)


def _of_older(fields: Iterable[Field], type_name: str, known: str) -> tuple[Field, ...]:
    kept = (field for field in fields if (type_name, field.name) not in lost(known))
    return (*kept, *(Field(name, kind, omitempty=True, pointer=False) for name, kind in gained(known, type_name)))


@cache
def _table() -> dict[str, list[Object]]:
    with open(__file__.replace("field_table.py", "types.json"), "rb") as file:  # noqa: PTH123 - pathlib is for files of users
        table: dict[str, list[Object]] = json.load(file)
    return table


def unknown_fields(
    value: Value, type_name: str, path: Path = (), release: Release = DEFAULT
) -> Iterator[tuple[Path, str]]:
    """The path of each field that a release's type does not have, with the name of the type.

    Field names are case-sensitive. Values of a wrong type are skipped (docs/behavior/api.md).
    """
    if isinstance(value, list) and (item := item_type(type_name)):
        for index, entry in enumerate(value):
            yield from unknown_fields(entry, item, (*path, index), release)
    elif isinstance(value, dict) and (member := value_type(type_name)):
        for key, entry in value.items():
            yield from unknown_fields(entry, member, (*path, key), release)
    elif isinstance(value, dict) and (fields := fields_of(type_name, release)) is not None:
        types = {field.name: field.type for field in fields}
        for name, entry in value.items():
            if name in types:
                yield from unknown_fields(entry, types[name], (*path, name), release)
            else:
                yield (*path, name), type_name


def null_members(value: Value, type_name: str, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """The path of each null member of a map, with the value that Go's decoder reads there: of strings, or quantities.

    Values of a wrong type are skipped.
    """
    if isinstance(value, list) and (item := item_type(type_name)):
        for index, entry in enumerate(value):
            yield from null_members(entry, item, (*path, index))
    elif isinstance(value, dict) and (member := value_type(type_name)):
        for key, entry in value.items():
            if entry is None and member in _ZEROS:
                yield (*path, key), _ZEROS[member]
    elif isinstance(value, dict):
        types = {field.name: field.type for field in fields_of(type_name) or ()}
        for name in value.keys() & types.keys():
            yield from null_members(value[name], types[name], (*path, name))


_ZEROS = {"string": '""', "quantity": '"0"'}


def likely_field(name: str, type_name: str, release: Release = DEFAULT) -> str:
    """The field of a release's type that is most similar to a wrong name; empty if none is close."""
    return did_you_mean(name, [field.name for field in fields_of(type_name, release) or ()])


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The known name that is most similar to a wrong one; empty if none is close."""
    from difflib import get_close_matches

    lower = {candidate.lower(): candidate for candidate in known}
    near = get_close_matches(name.lower(), lower, n=1)
    return lower[near[0]] if near else ""
