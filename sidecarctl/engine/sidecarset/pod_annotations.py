"""The annotations that Kruise writes on pods: their names, and the entries of the two hash annotations.

docs/behavior/injection.md, "Annotations written on the pod"; docs/behavior/rollout.md, "Predicates".
"""

import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from sys import intern
from typing import NamedTuple, NoReturn

from sidecarctl.engine.api.canonical import compact, string_text
from sidecarctl.engine.api.text_forms import parse_time, utc_text
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Value
from sidecarctl.engine.releases.release import DEFAULT, Release

_LONE_SURROGATE = lazy_pattern("[\ud800-\udfff]")


def parsed_annotation(text: str) -> Value:
    """The value of a JSON text; ValueError if it is not JSON (or nested too deeply to be read)."""
    try:
        value = _DECODER.decode(text)
    except RecursionError as problem:
        raise ValueError("nested too deeply") from problem
    return _without_lone_surrogates(value) if "\\u" in text else value


def by_name(mapping: Mapping[str, Value]) -> dict[str, Value]:
    """The members of a mapping by sorted keys."""
    return dict(sorted(mapping.items()))


@lru_cache(maxsize=1024)  # a pod has the same time in several places
def time_text(text: str) -> str | None:
    """A time in UTC with whole seconds, None for the zero time; ValueError for anything that is not a time."""
    time = parse_time(text)
    if time is None:
        raise ValueError(f"{text!r} is not an RFC 3339 time")
    return utc_text(time)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_int=float, parse_constant=_refuse)
"""Integers of any length are JSON; none of these annotations holds a number that counts."""


def _without_lone_surrogates(value: Value) -> Value:
    """Half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD, as in Go."""
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_lone_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_lone_surrogates(key): _without_lone_surrogates(member) for key, member in value.items()}
    return value


_ENTRY = ':{{"updateTimestamp":"{}"'
"""How an entry begins. No JSON string has this text inside, because its quotes would be escaped."""

_TIME = lazy_pattern(
    r':\{"updateTimestamp":"(20[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])'
    r'T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)"'
)
"""The days that every month has, so that each match is a time."""

_STAND_IN = "2000-01-01T00:00:"
_STAND_INS = [f"{_STAND_IN}{second:02}Z" for second in range(60)]
_ENTRIES = [_ENTRY.format(time) for time in _STAND_INS]


def likened(text: str) -> str:
    """The text with all times equal, so that annotations that differ only in times become equal."""
    return _TIME.sub(_ENTRIES[0], text)


def without_times(text: str) -> tuple[str, Mapping[str, str]]:
    """The text with placeholders for its times, and the times by placeholder; unchanged if it has a placeholder."""
    if "updateTimestamp" not in text or _STAND_IN in text:
        return text, {}
    parts = _TIME.split(text)
    number = len(parts) // 2
    if number > len(_STAND_INS):
        return text, {}
    times = dict(zip(_STAND_INS, parts[1::2], strict=False))
    parts[1::2] = _ENTRIES[:number]
    return "".join(parts), times


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
    objects. `strings` are the values of the old format, `""` for any that was no string, none for an
    annotation that is `NEW` alone; `is_plain` says whether all values are strings or null, as of none at all.
    """

    format: HashFormat
    entries: Mapping[str, HashEntry]
    strings: Mapping[str, str]
    is_plain: bool = False

    def recorded(self, set_name: str) -> str:
        """The hash recorded for a set; empty if none is recorded."""
        if self.format is HashFormat.NEW:
            entry = self.entries.get(set_name)
            return entry.hash if entry else ""
        return self.strings.get(set_name, "") if self.format is HashFormat.OLD else ""


@lru_cache(maxsize=4096)  # pods that are patched in the same second share these texts
def read_hashes(text: str | None) -> HashAnnotation:
    """A hash annotation in either format; nothing, an empty text and `null` count as absent. Shared."""
    bare, times = without_times(text or "")
    read = read_alike(bare)
    return HashAnnotation(read.format, _with_times(read.entries, times), *read[2:]) if times else read


@lru_cache(maxsize=4096)  # the pods of a workload share these texts
def read_alike(text: str) -> HashAnnotation:
    """The hash annotation of a text without its times (`entry_times`). Shared, so not to be changed."""
    if not text:
        return HashAnnotation(HashFormat.ABSENT, {}, {})
    try:
        value = parsed_annotation(text)
    except ValueError:
        return HashAnnotation(HashFormat.UNREADABLE, {}, {})
    if value is None:
        return HashAnnotation(HashFormat.ABSENT, {}, {})
    if not isinstance(value, dict):
        return HashAnnotation(HashFormat.UNREADABLE, {}, {})
    return _hashes_of(value)


def write_hashes(entries: Mapping[str, HashEntry], release: Release = DEFAULT) -> str:
    """The annotation's text in the standard form of a release, sets sorted by name."""
    names_any = release.always_names_revision
    members = (f"{string_text(name)}:{_entry_text(entry, names_any)}" for name, entry in sorted(entries.items()))
    return "{" + ",".join(members) + "}"


def injected_sets(text: str | None) -> list[str]:
    """The names in an injected-list annotation, as written between the commas; none when it is empty."""
    return text.split(",") if text else []


def write_injected_sets(present: str | None, names: Iterable[str]) -> str:
    """The injected-list annotation with these names added."""
    return ",".join(sorted({*injected_sets(present), *names}))


@lru_cache(maxsize=1024)  # the pods of a set have one of few texts
def read_working_containers(text: str | None) -> dict[str, str]:
    """Hot container to the name of its working container; a value that is no string is empty.

    The answer is shared: it is not to be changed.
    """
    try:
        value = parsed_annotation(text) if text else None
    except ValueError:
        return {}
    if not isinstance(value, dict):
        return {}
    return {name: _text(working) for name, working in value.items()}


def write_working_containers(working: Mapping[str, str]) -> str:
    """The annotation's text, hot containers sorted by name."""
    return compact(by_name(working))


def _with_times(entries: Mapping[str, HashEntry], times: Mapping[str, str]) -> dict[str, HashEntry]:
    return {name: HashEntry(times.get(entry[0] or "", entry[0]), *entry[1:]) for name, entry in entries.items()}


def _hashes_of(value: dict[str, Value]) -> HashAnnotation:
    entries, all_objects = _lenient_entries(value)
    is_plain = all(member is None or isinstance(member, str) for member in value.values())
    form = HashFormat.NEW if all_objects else HashFormat.OLD if is_plain else HashFormat.MIXED
    strings = {} if all_objects and not is_plain else {name: _text(member) for name, member in value.items()}
    return HashAnnotation(form, entries, strings, is_plain)


def _lenient_entries(value: dict[str, Value]) -> tuple[dict[str, HashEntry], bool]:
    """What Go leaves in a map after decoding errors: wrong types are skipped, a wrong time ends it."""
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
    fields = value if value.keys() <= _FIELDS.keys() else _by_any_case(value)
    time, names = fields.get("updateTimestamp"), fields.get("sidecarList")
    recorded, set_name = fields.get("hash"), fields.get("sidecarSetName")
    revision = fields.get("controllerRevision")
    items = names if isinstance(names, list) else ()
    entry = HashEntry(
        None if time is None else time_text(_text(time)),
        _text(recorded),
        _text(set_name),
        tuple(map(_text, items)) if items is names else None,
        _text(revision),
    )
    is_sound = names is None or items is names
    return entry, is_sound and _TEXT_TYPES.issuperset(map(type, (recorded, set_name, revision, *items)))


_TEXT_TYPES = {str, type(None)}
_FIELDS = {key: key for key in ("updateTimestamp", "hash", "sidecarSetName", "sidecarList", "controllerRevision")}
_FIELDS_BY_ANY_CASE = {key.casefold(): key for key in _FIELDS}


def _by_any_case(value: dict[str, Value]) -> dict[str, Value]:
    """The members with the names of their fields, which Go takes in any case."""
    named = ((_FIELDS_BY_ANY_CASE.get(key.casefold()), member) for key, member in value.items())
    return {key: member for key, member in named if key and member is not None}


def _text(value: Value) -> str:
    return intern(value) if isinstance(value, str) else ""  # shared by all the pods of a set


@lru_cache(maxsize=1024)  # an update writes the same entry on every pod
def _entry_text(entry: HashEntry, names_any_revision: bool) -> str:  # noqa: FBT001 - private
    value: dict[str, Value] = {
        "updateTimestamp": entry.update_timestamp,
        "hash": entry.hash,
        "sidecarSetName": entry.set_name,
        "sidecarList": None if entry.sidecar_list is None else list(entry.sidecar_list),
    }
    if entry.controller_revision or names_any_revision:
        value["controllerRevision"] = entry.controller_revision
    return compact(value)
