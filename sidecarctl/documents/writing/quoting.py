"""New scalars as text that every YAML reader reads as the same value.

Written plain is only what YAML 1.1, YAML 1.2 and Kubernetes' decoder all take for the string that it is.
"""

import json
from functools import lru_cache

from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.values import Value

# Begins with a letter (after a dash or two), `/`, `_` or `$`, or with a digit where letters follow; has neither
# `: ` nor ` #`. In flow style no colon at all: the parsers differ about it.
_PLAIN = lazy_pattern(
    r"(?:-{0,2}[A-Za-z]|[/_$]|[0-9](?=.*[A-Za-z]))"
    r"(?:[A-Za-z0-9_./$()@%+=~^*&|<>!?;\\-]|,(?! )|:(?=\S)| (?=[^\s#]))*\Z"
)
_PLAIN_IN_FLOW = lazy_pattern(r"[A-Za-z/_$][A-Za-z0-9_./$()@%+=-]*\Z")
_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nil", "none", "nan", "inf"])
_HIDDEN = lazy_pattern("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
# Numbers and dates of any reader: 0644, 1e3, 7403e430, 1_000, 0x1F, 0b1, 0o7, 12:30:45, 2001-01-01.
_NUMBER_LIKE = lazy_pattern(r"[0-9][0-9_,.:]*(?:[eE][-+]?[0-9_]*)?\Z|0[xXbBoO]|[0-9]+-[0-9]")


def is_plain(text: str) -> bool:
    """Whether a string can be unquoted in block style."""
    if not _PLAIN.match(text) or text.lower() in _WORDS:
        return False
    return not _NUMBER_LIKE.match(text.replace("_", ""))


def is_plain_in_flow(text: str) -> bool:
    """Whether a string can be unquoted in flow style."""
    return bool(_PLAIN_IN_FLOW.match(text)) and is_plain(text)


def json_string(text: str) -> str:
    """The string in double quotes, as JSON and as YAML; characters that no line shows are escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    if is_shown(quoted):
        return quoted
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def is_shown(text: str) -> bool:
    """Whether all characters of a string can be written in a line without escapes."""
    return text.isprintable() if text.isascii() else not _HIDDEN.search(text)


@lru_cache(maxsize=4096)
def block_string(text: str, quote: str = "") -> str:
    """The string on one line of block style: plain, or quoted (singly, where it has double quotes itself).

    With a quote it is written between such ones, if it can be.
    """
    if not quote and is_plain(text):
        return text
    if (quote == "'" or (not quote and '"' in text)) and is_shown(text):
        return "'" + text.replace("'", "''") + "'"
    return json_string(text)


def flow_string(text: str) -> str:
    """The string between brackets of flow style."""
    return text if is_plain_in_flow(text) else json_string(text)


def number_text(value: Value) -> str:
    """The text of None, a bool, an int or a float, the same in YAML and JSON."""
    return json.dumps(value)
