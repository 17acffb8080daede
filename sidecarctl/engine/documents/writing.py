"""Writes new values as text that every YAML reader reads as the same value, in block style.

A string is written plain only if YAML 1.1, YAML 1.2 and Kubernetes' decoder all take it for that string.
"""

import json
from functools import lru_cache
from typing import NamedTuple

from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value

# Begins with a letter (after a dash or two), `/`, `_` or `$`, or with a digit where letters follow; has neither
# `: ` nor ` #`.
_PLAIN = lazy_pattern(
    r"(?:-{0,2}[A-Za-z]|[/_$]|[0-9](?=.*[A-Za-z]))"
    r"(?:[A-Za-z0-9_./$()@%+=~^*&|<>!?;\\-]|,(?! )|:(?=\S)| (?=[^\s#]))*\Z"
)
_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nil", "none", "nan", "inf"])
_HIDDEN = lazy_pattern("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
# Numbers and dates of any reader: 0644, 1e3, 7403e430, 1_000, 0x1F, 0b1, 0o7, 12:30:45, 2001-01-01.
_NUMBER_LIKE = lazy_pattern(r"[0-9][0-9_,.:]*(?:[eE][-+]?[0-9_]*)?\Z|0[xXbBoO]|[0-9]+-[0-9]")


def is_plain(text: str) -> bool:
    """Whether a string can be unquoted in block style."""
    if not _PLAIN.match(text) or text.lower() in _WORDS:
        return False
    bare = text.replace("_", "")
    return not (bare[:1].isdigit() and _NUMBER_LIKE.match(bare))


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


def number_text(value: Value) -> str:
    """The text of None, a bool, an int or a float, the same in YAML and JSON."""
    return json.dumps(value)


_LONGEST_KEY = 1000
"""Characters of a key that all readers take before its colon; YAML itself has them stop at 1,024."""

_UNKEPT = lazy_pattern("[^ -~\xa1-\u2027\u202a-\ud7ff]")
_BLANK_END = lazy_pattern(" (?:\n|\\Z)")


class BlockStyle(NamedTuple):
    """How a file indents: the step of a mapping in a mapping, and of a list in a mapping (often 0 or 2)."""

    step: int = 2
    list_offset: int = 2


def mapping_lines(mapping: Object, indent: int, style: BlockStyle) -> list[str]:
    """The lines of a mapping that is not empty, without line ends."""
    lines: list[str] = []
    _add_mapping(lines, " " * indent, mapping, indent, style)
    return lines


def document_lines(value: Value, style: BlockStyle) -> list[str]:
    """The lines of a whole document."""
    lines: list[str] = []
    if value and isinstance(value, dict):
        _add_mapping(lines, "", value, 0, style)
    elif value and isinstance(value, list):
        for item in value:
            _add_item(lines, "", item, 0, 2, style)
    else:
        lines.append(block_string(value) if isinstance(value, str) else number_text(value))
    return lines


def block_text(value: Value) -> str:
    """A value as YAML in block style, as kubectl prints it."""
    return "".join(f"{line}\n" for line in document_lines(value, BlockStyle(step=2, list_offset=0)))


def value_lines(start: str, value: Value, indent: int, style: BlockStyle, quote: str = "") -> list[str]:
    """The lines of a value behind `start`, the beginning of the first (`key:`, indented by `indent`).

    A string between quotes of the given kind, if one is given.
    """
    if quote and isinstance(value, str):
        return [f"{start} {block_string(value, quote)}"]
    lines: list[str] = []
    _add_value(lines, start, value, indent, style)
    return lines


def item_lines(item: Value, indent: int, width: int, style: BlockStyle) -> list[str]:
    """The lines of one item of a list; `width` columns from its dash to its text."""
    lines: list[str] = []
    _add_item(lines, " " * indent, item, indent, width, style)
    return lines


def with_quoted_end(lines: list[str], value: Value) -> list[str]:
    """The lines of a value with a literal block at their end, if any, as a quoted string.

    For where blank lines or comments follow, which a literal block would take in.
    """
    while value and isinstance(value, dict | list):
        value = value[-1] if isinstance(value, list) else value[next(reversed(value))]
    if not is_literal(value) or len(lines) <= len(_literal_lines(value)):  # it keeps the quotes of an old value
        return lines
    header = -1 - len(_literal_lines(value))
    return [*lines[:header], f"{lines[header].rpartition(' ')[0]} {block_string(value)}"]


def is_literal(value: Value) -> bool:
    """Whether a value is written as a literal block: text of several lines that needs no escape."""
    if not isinstance(value, str) or "\n" not in value or value[0] in " \n" or value.endswith("\n\n"):
        return False
    lines = value.replace("\n", "")
    # Beyond ASCII only what all readers keep: neither U+00A0, which looks like a blank, nor private characters.
    is_kept = lines.isprintable() if lines.isascii() else not _UNKEPT.search(lines)
    return is_kept and not _BLANK_END.search(value)


# The lines go into one list all along, and what a line begins with is handed down: this is a hot path.


def _add_mapping(lines: list[str], start: str, mapping: Object, indent: int, style: BlockStyle) -> None:
    for key, value in mapping.items():
        name = block_string(key)
        if len(name) > _LONGEST_KEY:
            lines.append(f"{start}? {name}")
            name, start = "", " " * indent
        _add_value(lines, f"{start}{name}:", value, indent, style)
        start = " " * indent


def _add_value(lines: list[str], start: str, value: Value, indent: int, style: BlockStyle) -> None:
    if isinstance(value, str) and "\n" not in value:  # by far the most common case
        lines.append(f"{start} {block_string(value)}")
    elif value and isinstance(value, dict):
        lines.append(start)
        indent += style.step
        _add_mapping(lines, " " * indent, value, indent, style)
    elif value and isinstance(value, list):
        lines.append(start)
        indent += style.list_offset
        for item in value:
            _add_item(lines, " " * indent, item, indent, 2, style)
    else:
        _add_scalar(lines, start, value, indent + style.step)


def _add_item(lines: list[str], start: str, item: Value, indent: int, width: int, style: BlockStyle) -> None:
    indent += width
    if item and isinstance(item, dict):
        _add_mapping(lines, start + "-".ljust(width), item, indent, style)
    elif item and isinstance(item, list):
        start += "-".ljust(width)
        for inner in item:
            _add_item(lines, start, inner, indent, 2, style)
            start = " " * indent
    else:
        _add_scalar(lines, f"{start}-", item, indent)


def _add_scalar(lines: list[str], start: str, value: Value, indent: int) -> None:
    if not isinstance(value, str):
        lines.append(f"{start} {number_text(value)}")
    elif not is_literal(value):
        lines.append(f"{start} {block_string(value)}")
    else:
        lines.append(f"{start} |" if value.endswith("\n") else f"{start} |-")
        lines += [" " * indent + line if line else "" for line in _literal_lines(value)]


def _literal_lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")
