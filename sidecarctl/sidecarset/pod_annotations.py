"""The annotations that Kruise writes on pods: their names, and the entries of the two hash annotations.

docs/behaviour/injection.md, "Annotations written on the pod"; docs/behaviour/rollout.md, "Predicates".
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from sidecarctl.api import timestamps
from sidecarctl.facts.values import Value
from sidecarctl.sidecarset.annotation_json import by_name, compact, decode

HASH = "kruise.io/sidecarset-hash"
HASH_WITHOUT_IMAGE = "kruise.io/sidecarset-hash-without-image"
INJECTED_LIST = "kruise.io/sidecarset-injected-list"
INPLACE_UPDATE_STATE = "kruise.io/sidecarset-inplace-update-state"
WORKING_CONTAINERS = "kruise.io/sidecarset-working-hotupgrade-container"
VERSION_PREFIX = "version.sidecarset.kruise.io/"
VERSION_ALT_PREFIX = "versionalt.sidecarset.kruise.io/"


class HashEntry(NamedTuple):
    """What a hash annotation records of one set; the time is UTC with whole seconds, None for no time."""

    update_timestamp: str | None = None
    hash: str = ""
    set_name: str = ""
    sidecar_list: tuple[str, ...] | None = None
    controller_revision: str = ""


class HashFormat(StrEnum):
    """How a hash annotation was written; only `NEW` and `OLD` record anything."""

    ABSENT = "absent"
    NEW = "an object for every set"
    OLD = "a plain hash for every set"
    MIXED = "values of several kinds"
    UNREADABLE = "not a JSON object"


class HashAnnotation(NamedTuple):
    """A hash annotation as read.

    `entries` are those that a rewrite keeps: all for `NEW`, for `MIXED` with nothing in those that were no
    objects. `strings` are the values of the old format, `""` for any that was no string.
    """

    format: HashFormat
    entries: Mapping[str, HashEntry]
    strings: Mapping[str, str]

    def recorded(self, set_name: str) -> str:
        """The hash recorded for a set; empty when there is none."""
        if self.format is HashFormat.NEW:
            entry = self.entries.get(set_name)
            return entry.hash if entry else ""
        return self.strings.get(set_name, "") if self.format is HashFormat.OLD else ""


@lru_cache(maxsize=4096)  # the pods of a workload share these texts
def read_hashes(text: str | None) -> HashAnnotation:
    """A hash annotation in either format; nothing, an empty text and `null` count as absent."""
    if not text:
        return HashAnnotation(HashFormat.ABSENT, {}, {})
    try:
        value = decode(text)
    except ValueError:
        return HashAnnotation(HashFormat.UNREADABLE, {}, {})
    if value is None:
        return HashAnnotation(HashFormat.ABSENT, {}, {})
    if not isinstance(value, dict):
        return HashAnnotation(HashFormat.UNREADABLE, {}, {})
    return _hashes_of(value)


def write_hashes(entries: Mapping[str, HashEntry]) -> str:
    """The annotation's text in the standard form, sets sorted by name."""
    return compact(by_name({name: _entry_value(entry) for name, entry in entries.items()}))


def injected_sets(text: str | None) -> list[str]:
    """The names in an injected-list annotation, as written between the commas; none when it is empty."""
    return text.split(",") if text else []


def write_injected_sets(present: str | None, names: Iterable[str]) -> str:
    """The injected-list annotation with these names added."""
    return ",".join(sorted({*injected_sets(present), *names}))


def read_working_containers(text: str | None) -> dict[str, str]:
    """Hot container to the name of its working container; a value that is no string is empty."""
    try:
        value = decode(text) if text else None
    except ValueError:
        return {}
    if not isinstance(value, dict):
        return {}
    return {name: working if isinstance(working, str) else "" for name, working in value.items()}


def write_working_containers(working: Mapping[str, str]) -> str:
    """The annotation's text, hot containers sorted by name."""
    return compact(by_name(working))


def _hashes_of(value: dict[str, Value]) -> HashAnnotation:
    entries, all_objects = _lenient_entries(value)
    strings = {name: member if isinstance(member, str) else "" for name, member in value.items()}
    if all_objects:
        return HashAnnotation(HashFormat.NEW, entries, strings)
    if all(member is None or isinstance(member, str) for member in value.values()):
        return HashAnnotation(HashFormat.OLD, entries, strings)
    return HashAnnotation(HashFormat.MIXED, entries, strings)


def _lenient_entries(value: dict[str, Value]) -> tuple[dict[str, HashEntry], bool]:
    """What Go leaves in a map after decoding errors: wrong types are passed over, a wrong time ends it."""
    entries: dict[str, HashEntry] = {}
    sound = True
    for name, member in value.items():
        try:
            entries[name], entry_is_sound = _entry(member)
        except ValueError:
            return entries, False
        sound = sound and entry_is_sound
    return entries, sound


def _entry(value: Value) -> tuple[HashEntry, bool]:
    if not isinstance(value, dict):
        return HashEntry(), value is None
    fields: dict[str, Any] = {}
    sound = True
    for key, member in value.items():
        field = _FIELDS.get(key.casefold())  # Go takes keys in any case
        if field is None or member is None:
            continue
        if field == "update_timestamp":
            fields[field] = _time(member)
        elif field == "sidecar_list":
            sound = isinstance(member, list) and all(isinstance(item, str | None) for item in member) and sound
            fields[field] = _names(member)
        else:
            sound = isinstance(member, str) and sound
            fields[field] = member if isinstance(member, str) else ""
    return HashEntry(**fields), sound


_FIELDS = {
    "updatetimestamp": "update_timestamp",
    "hash": "hash",
    "sidecarsetname": "set_name",
    "sidecarlist": "sidecar_list",
    "controllerrevision": "controller_revision",
}


def _time(value: Value) -> str | None:
    return timestamps.utc_text(value if isinstance(value, str) else "")


def _names(value: Value) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        return None
    return tuple(item if isinstance(item, str) else "" for item in value)


def _entry_value(entry: HashEntry) -> dict[str, Value]:
    value: dict[str, Value] = {
        "updateTimestamp": entry.update_timestamp,
        "hash": entry.hash,
        "sidecarSetName": entry.set_name,
        "sidecarList": entry.sidecar_list,
    }
    if entry.controller_revision:
        value["controllerRevision"] = entry.controller_revision
    return value
