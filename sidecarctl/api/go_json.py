"""JSON text as the API writes it: hashes, revision data and annotations depend on every byte."""

import re

from sidecarctl.facts.start_up import lazy_pattern
from sidecarctl.facts.values import Value

_SPECIAL_IN_ASCII = lazy_pattern('[\x00-\x1f"\\\\<>&]')
_SPECIAL = lazy_pattern('[\x00-\x1f"\\\\<>&\u2028\u2029\ud800-\udfff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
_MARKUP = {"\\u003c": "<", "\\u003e": ">", "\\u0026": "&"}


def compact(value: Value, *, sort_keys: bool = False) -> str:
    """A JSON value as compact text, keys in their order, or sorted by bytes at every level.

    Source: docs/behavior/hash-and-revisions.md, "The two hashes".
    """
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, dict):
        members = sorted(value.items()) if sort_keys else value.items()
        written = (string_text(key) + ":" + compact(item, sort_keys=sort_keys) for key, item in members)
        return "{" + ",".join(written) + "}"
    if isinstance(value, list):
        return "[" + ",".join([compact(item, sort_keys=sort_keys) for item in value]) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return float_text(value) if isinstance(value, float) else str(value)


def readable(value: Value) -> str:
    """The same for people: without the escapes that only HTML needs."""
    return re.sub(r"\\(?:u003[ce]|u0026|.)", lambda found: _MARKUP.get(found[0], found[0]), compact(value))


def string_text(text: str) -> str:
    """A string in quotes; `<`, `>`, `&`, U+2028 and U+2029 are escaped, as for embedding in HTML."""
    special = _SPECIAL_IN_ASCII if text.isascii() else _SPECIAL
    return '"' + special.sub(_escaped, text) + '"'


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"  # half a surrogate pair is not a character; the API's decoder replaces it
    return _SHORT.get(character) or f"\\u{ord(character):04x}"


def escaped(text: str) -> str:
    """JSON text with `<`, `>`, `&`, U+2028 and U+2029 as Go writes them, which can only stand in its strings."""
    return text.translate(_ESCAPES)


def is_stable(text: str) -> bool:
    """Whether every version of Go writes a string in the same way: the escapes of backspace and form feed changed."""
    return "\b" not in text and "\f" not in text


def float_text(number: float) -> str:
    """A number as the shortest decimal text that reads back as the same number, plain from 1e-6 up to 1e21."""
    text = repr(number)
    if "e" not in text:
        return text.removesuffix(".0")
    mantissa, _, exponent = text.partition("e")
    power = int(exponent)
    if power < -6 or power >= 21:
        return f"{mantissa}e{power:+d}"
    sign, digits = ("-", mantissa[1:]) if mantissa[0] == "-" else ("", mantissa)
    whole, _, fraction = digits.partition(".")
    if power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{whole}{fraction}"
    return f"{sign}{whole}{fraction.ljust(power, '0')}"
