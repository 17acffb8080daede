"""JSON in the annotations of a pod: read as Kruise reads it.

Source: docs/behaviour/injection.md, "Annotations written on the pod".
"""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NoReturn

from sidecarctl.api.times import parse_time, utc_text
from sidecarctl.facts.values import Value

_LONE_SURROGATE = "[\ud800-\udfff]"


def decode(text: str) -> Value:
    """The value of a JSON text; ValueError if it is not JSON (or nested too deeply to be read)."""
    try:
        value = _DECODER.decode(text)
    except RecursionError as problem:
        raise ValueError("nested too deeply") from problem
    return _without_lone_surrogates(value) if "\\u" in text else value


def by_name(mapping: Mapping[str, Value]) -> dict[str, Value]:
    """The same members with sorted keys."""
    return dict(sorted(mapping.items()))


@lru_cache(maxsize=1024)  # a pod has the same time in several places
def time_text(text: str) -> str | None:
    """A time in UTC with whole seconds, None for the zero time; ValueError for what is no time."""
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
        return re.sub(_LONE_SURROGATE, "\ufffd", value)
    if isinstance(value, list):
        return [_without_lone_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_lone_surrogates(key): _without_lone_surrogates(member) for key, member in value.items()}
    return value
