"""New values as text: lines of block style, or flow style."""

import re
from typing import NamedTuple

from sidecarctl.documents.quoting import block_string, flow_string, json_string, number_text
from sidecarctl.facts.values import Object, Value

# What a literal block shows as it is: no characters that need an escape, no blanks at the ends of its lines.
_LITERAL = re.compile("[!-~\xa1-\ud7ff][ -~\xa1-\ud7ff]*(?:\n+[ -~\xa1-\ud7ff]+)*\n?\\Z")
_BLANK_END = re.compile("[ \xa0](?:\n|\\Z)")


class BlockStyle(NamedTuple):
    """How a file indents: the step of a mapping in a mapping, and of a list in a mapping (often 0 or 2)."""

    step: int = 2
    list_offset: int = 2


def mapping_lines(mapping: Object, indent: int, style: BlockStyle) -> list[str]:
    """The lines of a mapping that is not empty, without line ends."""
    lines: list[str] = []
    for key, value in mapping.items():
        lines += member_lines(key, value, indent, style)
    return lines


def member_lines(key: str, value: Value, indent: int, style: BlockStyle) -> list[str]:
    """The lines of one member of a mapping."""
    return value_lines(" " * indent + block_string(key) + ":", value, indent, style)


def value_lines(start: str, value: Value, indent: int, style: BlockStyle) -> list[str]:
    """The lines of a value; `start` (`key:`, indented by `indent`) is the beginning of the first."""
    if value and isinstance(value, dict):
        return [start, *mapping_lines(value, indent + style.step, style)]
    if value and isinstance(value, list):
        return [start, *sequence_lines(value, indent + style.list_offset, style)]
    return scalar_lines(start, value, indent + style.step)


def sequence_lines(items: list[Value], indent: int, style: BlockStyle) -> list[str]:
    """The lines of a list that is not empty."""
    lines: list[str] = []
    for item in items:
        lines += item_lines(item, indent, 2, style)
    return lines


def item_lines(item: Value, indent: int, width: int, style: BlockStyle) -> list[str]:
    """The lines of one item of a list; `width` columns from its dash to its text."""
    dash = " " * indent + "-".ljust(width)
    inner = indent + width
    if item and isinstance(item, dict | list):
        lines = mapping_lines(item, inner, style) if isinstance(item, dict) else sequence_lines(item, inner, style)
        return [dash + lines[0][inner:], *lines[1:]]
    return scalar_lines(dash.rstrip(), item, inner)


def scalar_lines(start: str, value: Value, indent: int) -> list[str]:
    """The lines of a scalar or empty collection behind `start`; text of several lines as a literal block."""
    if isinstance(value, str) and "\n" in value and _LITERAL.match(value) and not _BLANK_END.search(value):
        lines = value.removesuffix("\n").split("\n")
        header = f"{start} |" if value.endswith("\n") else f"{start} |-"
        return [header, *(" " * indent + line if line else "" for line in lines)]
    return [f"{start} {scalar_text(value)}"]


def scalar_text(value: Value) -> str:
    """A scalar or an empty collection on one line of block style."""
    if isinstance(value, str):
        return block_string(value)
    return number_text(value)


class FlowStyle(NamedTuple):
    """How flow text looks.

    Quoted like JSON or not; what follows a colon and a comma; the line break, with its indentation, that each
    level of nesting begins with (none: all on one line), and by how many blanks more the next level does.
    """

    quoted: bool = True
    after_colon: str = " "
    after_comma: str = " "
    line_break: str = ""
    step: int = 2


def flow_text(value: Value, style: FlowStyle) -> str:
    """A value in flow style; over several lines when the style has a line break."""
    if isinstance(value, dict) and value:
        inner = style._replace(line_break=_deeper(style))
        text = [flow_member(key, member, inner) for key, member in value.items()]
        return _bracketed("{", text, "}", style, inner)
    if isinstance(value, list) and value:
        inner = style._replace(line_break=_deeper(style))
        return _bracketed("[", [flow_text(item, inner) for item in value], "]", style, inner)
    if isinstance(value, str):
        return json_string(value) if style.quoted else flow_string(value)
    return number_text(value)


def flow_member(key: str, value: Value, style: FlowStyle) -> str:
    """One member of a flow mapping."""
    name = json_string(key) if style.quoted else flow_string(key)
    return f"{name}:{style.after_colon}{flow_text(value, style)}"


def _deeper(style: FlowStyle) -> str:
    return style.line_break and style.line_break + " " * style.step


def _bracketed(opening: str, parts: list[str], closing: str, style: FlowStyle, inner: FlowStyle) -> str:
    comma = f",{inner.line_break or style.after_comma}"
    return f"{opening}{inner.line_break}{comma.join(parts)}{style.line_break}{closing}"
