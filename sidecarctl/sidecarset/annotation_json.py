"""JSON in the annotations of a pod: read as leniently, and written as strictly, as Kruise does."""

import json
import re
from collections.abc import Mapping
from typing import NoReturn

from sidecarctl.facts.values import Value

_HTML = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def decode(text: str) -> Value:
    """The value of a JSON text; ValueError where it is not JSON (or nested too deep to be read)."""
    try:
        # Integers of any length are JSON; none of these annotations holds a number that counts.
        value = json.loads(text, parse_int=float, parse_constant=_refuse)
    except RecursionError as problem:
        raise ValueError("nested too deep") from problem
    return _without_lone_surrogates(value) if "\\u" in text else value


def compact(value: Value) -> str:
    """The text that Go writes: no blanks, keys in the given order, what HTML would trip over escaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_HTML)


def by_name(mapping: Mapping[str, Value]) -> dict[str, Value]:
    """The same members with sorted keys."""
    return dict(sorted(mapping.items()))


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _without_lone_surrogates(value: Value) -> Value:
    """Half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD, as in Go."""
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_lone_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_lone_surrogates(key): _without_lone_surrogates(member) for key, member in value.items()}
    return value
