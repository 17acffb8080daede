"""How Kubernetes types a plain scalar: neither YAML 1.1 nor 1.2 but what its Go decoder makes of it.

The same rules hold for keys, which then become text again.
"""

import math
from functools import lru_cache

from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Value

TAG = "tag:yaml.org,2002:"
MERGE_KEY = "<<"

MAY_BE_TYPED = frozenset(["", *"0123456789+-.yYnNtTfFoO~<"])
"""What plain scalars begin with that may be something else than a string: these characters, or nothing."""

_WORDS: dict[str, Value] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
for _words, _meaning in (("y yes true on", True), ("n no false off", False)):
    for _word in _words.split():
        _WORDS.update(dict.fromkeys((_word, _word.capitalize(), _word.upper()), _meaning))

_NOT_FINITE: dict[str, str] = {}
for _word in ("inf", "Inf", "INF"):
    _NOT_FINITE.update({f".{_word}": ".inf", f"+.{_word}": ".inf", f"-.{_word}": "-.inf"})
for _word in ("nan", "NaN", "NAN"):
    _NOT_FINITE[f".{_word}"] = ".nan"

_INTEGER = lazy_pattern(
    r"([-+]?)(?:0[xX](?P<x>[0-9a-fA-F]+)|0[bB](?P<b>[01]+)|0[oO]?(?P<o>[0-7]+)|(?P<d>[1-9][0-9]*|0))\Z"
)
_BASES = {"x": 16, "b": 2, "o": 8, "d": 10}
_FLOAT = lazy_pattern(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_DATE = lazy_pattern(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(\Z|[Tt ])")
_BETWEEN_DIGITS = lazy_pattern(r"(?<=[0-9])_(?=[0-9])")
_WHOLE_LIMIT = 1e21
_EXACT_LIMIT = 2.0**53
_FIRST_EXPONENT = 6


@lru_cache(maxsize=4096)
def plain_value(text: str) -> Value:
    """The value of an unquoted scalar: None, bool, int, float or the text itself.

    A whole float below 1e21 comes out as an int, as it does on the way through JSON. ValueError for infinity
    and `.nan`, which no JSON holds.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text in _NOT_FINITE:
        raise ValueError(text)
    if text[0] == ".":
        number = float_value(_BETWEEN_DIGITS.sub("", text))
        return text if number is None else number
    if text[0] not in "0123456789+-":
        return text
    digits = text.replace("_", "")
    number = _integer(digits)
    if number is None and (number := float_value(digits)) is None:
        return text
    return number


def _integer(text: str) -> int | float | None:
    if len(text) < 19 and text.isascii() and text.isdigit() and (text[0] != "0" or text == "0"):
        return int(text)  # the usual case, and it fits
    found = _INTEGER.match(text)
    if not found or found.lastgroup is None:
        return None
    digits = found[found.lastgroup]
    if len(digits) > 64:  # beyond every 64-bit number, and perhaps beyond what int() takes
        return None
    number = int(found[1] + digits, _BASES[found.lastgroup])
    return number if -(2**63) <= number < 2**64 else None


def float_value(text: str) -> int | float | None:
    """The number that a decimal text writes, a whole one as an int; None for another text or beyond a float."""
    if text[-1:] not in "0123456789." or not _FLOAT.match(text):
        return None
    number = float(text)
    if math.isinf(number):
        return None
    return _whole(number) if number.is_integer() and abs(number) < _WHOLE_LIMIT else number


def _whole(number: float) -> int:
    """The whole number in the fewest digits that identify the float, as Go writes it: 2^60 is ...847000."""
    if abs(number) < _EXACT_LIMIT:
        return int(number)
    digits, _, exponent = f"{number!r}".partition("e")
    whole, _, places = digits.partition(".")
    places = places if places != "0" else ""
    return int(whole + places) * int(10 ** (int(exponent or 0) - len(places)))


@lru_cache(maxsize=4096)
def plain_key(text: str) -> str | None:
    """The key that an unquoted scalar becomes; None for what can be none (null, 2^63 and more) and for `<<`."""
    if text == MERGE_KEY:
        return None
    if text in _NOT_FINITE:
        return _NOT_FINITE[text]
    value = plain_value(text)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return key_text(value)
    number = None if text[0] == "." else _integer(text.replace("_", ""))
    if number is None:
        return _float_key(float(text.replace("_", "")))
    return str(number) if number < 2**63 else None


def _float_key(number: float) -> str:
    """The key that a float becomes: Kubernetes' reader of YAML writes it with 32 bits, as Go's %g does."""
    import struct

    try:
        held = struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return ".inf" if number > 0 else "-.inf"
    texts = (f"{held:.{places}e}" for places in range(9))
    shortest = next(
        (text for text in texts if struct.pack("<f", float(text)) == struct.pack("<f", held)), f"{held:.8e}"
    )
    if -4 <= int(shortest.partition("e")[2]) < _FIRST_EXPONENT:
        from decimal import Decimal

        return format(Decimal(shortest), "f")
    return shortest


def key_text(value: Value) -> str | None:
    """The key that a typed scalar becomes; None if it can be no key (null)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float_key(value)
    return None if value is None else f"{value}"


def tagged_value(tag: str, text: str) -> Value:
    """The value of a scalar with an explicit tag; ValueError if the text does not fit it.

    Tags of the user's own (`!foo`) mean nothing to Kubernetes: the text counts.
    """
    kind = tag.removeprefix(TAG)
    if kind == "binary":
        import base64

        return base64.b64decode(text.replace("\n", ""), validate=True).decode(errors="replace")
    if kind not in _TYPES or kind == tag:
        return text
    value = _integer(text.replace("_", "")) if kind == "int" else plain_value(text)
    if not isinstance(value, _TYPES[kind]) or (kind == "float" and isinstance(value, bool)):
        raise ValueError(text)
    if kind == "timestamp" and not _DATE.match(text):
        raise ValueError(text)
    return value


_TYPES: dict[str, type | tuple[type, ...]] = {
    "null": type(None),
    "bool": bool,
    "int": int,
    "float": (int, float),
    "timestamp": str,
}
