"""Fields that the API does not have, and which one was likely meant."""

from collections.abc import Iterable, Iterator

from sidecarctl.api.field_table import fields_of, item_type, value_type
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Value
from sidecarctl.releases.release import MASTER, Release


def unknown_fields(
    value: Value, type_name: str, path: Path = (), release: Release = MASTER
) -> Iterator[tuple[Path, str]]:
    """The path of each field that a release's type does not have, with the likely name, empty if there is none.

    Field names are case-sensitive. Values of a wrong type are skipped (docs/behaviour/api.md).
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
                yield (*path, name), did_you_mean(name, types)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The known name that is most like a wrong one; empty if none is near."""
    from difflib import get_close_matches

    lower = {candidate.lower(): candidate for candidate in known}
    near = get_close_matches(name.lower(), lower, n=1)
    return lower[near[0]] if near else ""
