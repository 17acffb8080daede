"""Fields of a SidecarSet or a pod that differ, in words: `log-agent 2.8.0 → 2.9.1`, `env LEVEL added to proxy`."""

from collections.abc import Iterable, Iterator, Sequence

from sidecarctl.engine.api.canonical import readable
from sidecarctl.engine.changes import identifying_key
from sidecarctl.engine.facts.values import Value, path_text
from sidecarctl.engine.field_changes import FieldChange, field_changes
from sidecarctl.engine.sidecarset.pod_annotations import (
    INJECTED_LIST,
    VERSION_ALT_PREFIX,
    VERSION_PREFIX,
    WORKING_CONTAINERS,
    injected_sets,
)

_MOST = 8
_SHOWN = 40
_DIGEST = 12
_CONTAINERS = {"containers": "container", "initContainers": "init container"}
_LISTS = {**_CONTAINERS, "volumes": "volume", "imagePullSecrets": "pull secret"}
_OF_HOT_UPGRADES = (WORKING_CONTAINERS, VERSION_PREFIX, VERSION_ALT_PREFIX)
_MEMBERS = {"env": "env", "volumeMounts": "mount", "ports": "port", "volumeDevices": "device"}


def changed_words(fields: Iterable[FieldChange]) -> str:
    """The first differences, separated by semicolons, and how many more there are."""
    said = list(dict.fromkeys(words for field in fields for words in _words(field)))
    more = [f"and {len(said) - _MOST:,} more"] if len(said) > _MOST else []
    return "; ".join([*said[:_MOST], *more])


def _words(field: FieldChange) -> Iterator[str]:
    match field.path:
        case _ if field.is_order:
            yield f"another order of {_without_spec(field.path[:-1]) or 'the'} {field.path[-1]}"
        case ("metadata", "annotations") if isinstance(field.before or field.after, dict):
            for each in field_changes(field.before or {}, field.after or {}):
                yield from _words(each._replace(path=(*field.path, *each.path)))
        case ("metadata", "annotations", str(key)) if key.startswith(_OF_HOT_UPGRADES):
            return  # the containers say it
        case ("metadata", "annotations", key) if key == INJECTED_LIST:
            yield from _sets(field)
        case ("spec", str(among)) if among in _LISTS:
            yield from _items(_LISTS[among], field, "")
        case ("spec", str(among), name, *rest) if among in _CONTAINERS and rest:
            yield from _in_container(str(name), rest, field)
        case ("spec", str(among), name, *rest) if among in _LISTS:
            yield f"{_LISTS[among]} {name} {'changed' if rest else _happened(field)}"
        case path:
            yield _value(_without_spec(path), field)


def _sets(field: FieldChange) -> Iterator[str]:
    before, after = (injected_sets(value if isinstance(value, str) else "") for value in (field.before, field.after))
    yield from (f"{name} no longer injected" for name in before if name not in after)
    yield from (f"{name} newly injected" for name in after if name not in before)


def _in_container(name: str, rest: Sequence[str | int], field: FieldChange) -> Iterator[str]:
    match rest:
        case ["image"]:
            before, after = _images(str(field.before), str(field.after))
            yield f"{name} {before} → {after}"
        case [str(member)] if member in _MEMBERS:
            yield from _items(_MEMBERS[member], field, name)
        case [str(member), item] if member in _MEMBERS and None in (field.before, field.after):
            yield _come_or_gone(f"{_MEMBERS[member]} {item}", _happened(field), name)
        case [str(member), item, *further] if member in _MEMBERS:
            what = "" if further == ["value"] else f" {path_text(tuple(further))}"
            yield _value(f"{_MEMBERS[member]} {item} of {name}{what}", field)
        case _:
            yield _value(f"{name} {path_text(tuple(rest))}", field)


def _items(word: str, field: FieldChange, container: str) -> Iterator[str]:
    """The items of a list that only one version has."""
    for value, happened in ((field.before, "removed"), (field.after, "added")):
        for item in value if isinstance(value, list) else ():
            key = identifying_key(item) if isinstance(item, dict) else None
            name = item[key] if key and isinstance(item, dict) else readable(item)
            yield _come_or_gone(f"{word} {name}", happened, container)


def _come_or_gone(what: str, happened: str, container: str) -> str:
    return (
        f"{what} {happened} {'to' if happened == 'added' else 'from'} {container}"
        if container
        else f"{what} {happened}"
    )


def _happened(field: FieldChange) -> str:
    return "added" if field.before is None else "removed" if field.after is None else "changed"


def _value(what: str, field: FieldChange) -> str:
    values = [_shown(value) for value in (field.before, field.after)]
    if None in values:
        return f"{what} {_happened(field)}"
    return f"{what} {values[0]} → {values[1]}"


def _shown(value: Value) -> str | None:
    """A short value; None for one that is long, or has members."""
    if value is None:
        return "none"
    text = value if isinstance(value, str) else readable(value)
    return None if isinstance(value, dict | list) or len(text) > _SHOWN else text or '""'


def _images(before: str, after: str) -> tuple[str, str]:
    """The tags if only these differ, and digests in short."""
    (old_name, old_tag), (new_name, new_tag) = _parts(before), _parts(after)
    if old_name == new_name and old_tag and new_tag:
        return old_tag, new_tag
    return before, after


def _parts(image: str) -> tuple[str, str]:
    name, at, digest = image.partition("@")
    if at:
        kind, _, number = digest.partition(":")
        return name, f"{kind}:{number[:_DIGEST]}"
    name, colon, tag = image.rpartition(":")
    return (image, "") if not colon or "/" in tag else (name, tag)


def _without_spec(path: Sequence[str | int]) -> str:
    return path_text(tuple(path[1:] if path[:1] == ("spec",) else path))
