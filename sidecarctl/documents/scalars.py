"""How Kubernetes types a plain scalar: neither YAML 1.1 nor 1.2 but what its Go decoder makes of it.

The same rules hold for keys, which then become text again.
"""

import base64
import binascii
import math
import re
from functools import lru_cache

from sidecarctl.facts.values import Value

TAG = "tag:yaml.org,2002:"

MAY_BE_TYPED = frozenset(["", *"0123456789+-.yYnNtTfFoO~"])
"""What plain scalars begin with that may be something else than a string: these characters, or nothing."""

_WORDS: dict[str, Value] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
for _words, _meaning in (("y yes true on", True), ("n no false off", False)):
    for _word in _words.split():
        _WORDS.update(dict.fromkeys((_word, _word.capitalize(), _word.upper()), _meaning))
for _word in ("inf", "Inf", "INF"):
    _WORDS.update({f".{_word}": math.inf, f"+.{_word}": math.inf, f"-.{_word}": -math.inf})
for _word in ("nan", "NaN", "NAN"):
    _WORDS[f".{_word}"] = math.nan

_INTEGER = re.compile(
    r"([-+]?)(?:0[xX](?P<x>[0-9a-fA-F]+)|0[bB](?P<b>[01]+)|0[oO]?(?P<o>[0-7]+)|(?P<d>[1-9][0-9]*|0))\Z"
)
_BASES = {"x": 16, "b": 2, "o": 8, "d": 10}
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(\Z|[Tt ])")
_WHOLE_LIMIT = 1e21


@lru_cache(maxsize=4096)
def plain_value(text: str) -> Value:
    """The value of an unquoted scalar: None, bool, int, float or the text itself.

    A whole float below 1e21 comes out as an int, as it does on the way through JSON.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] == ".":
        number = _float(text)
        return text if number is None else number
    if text[0] not in "0123456789+-":
        return text
    digits = text.replace("_", "")
    number = _integer(digits)
    if number is None and (number := _float(digits)) is None:
        return text
    return number


def _integer(text: str) -> int | float | None:
    found = _INTEGER.match(text)
    if not found or found.lastgroup is None:
        return None
    digits = found[found.lastgroup]
    if len(digits) > 64:  # beyond every 64-bit number, and perhaps beyond what int() takes
        return None
    number = int(found[1] + digits, _BASES[found.lastgroup])
    return number if -(2**63) <= number < 2**64 else None


def _float(text: str) -> int | float | None:
    if not _FLOAT.match(text):
        return None
    number = float(text)
    if math.isinf(number):
        return None
    return int(number) if number.is_integer() and abs(number) < _WHOLE_LIMIT else number


def tagged_value(tag: str, text: str, *, plain: bool) -> Value:
    """The value of a scalar with an explicit tag; ValueError where the text does not fit it.

    Tags of the user's own (`!foo`) mean nothing to Kubernetes: the text counts.
    """
    kind = tag.removeprefix(TAG)
    if kind == "binary":
        try:
            return base64.b64decode(text, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise ValueError(text) from None
    if kind not in _TYPES or not tag.startswith(TAG):
        return text
    if kind == "timestamp":
        if plain and _DATE.match(text):
            return text
        raise ValueError(text)
    value = plain_value(text)
    if not isinstance(value, _TYPES[kind]) or (kind in ("int", "float") and isinstance(value, bool)):
        raise ValueError(text)
    return value


_TYPES: dict[str, type | tuple[type, ...]] = {
    "null": type(None),
    "bool": bool,
    "int": int,
    "float": (int, float),
    "timestamp": str,
}


def key_text(value: Value) -> str | None:
    """The key that a typed scalar becomes; None where it can be no key (null)."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else f"{'-' if value < 0 else ''}.inf"
    return None if value is None else f"{value}"
