"""Literal and folded scalars (`|`, `>`): how far they reach, and what they say."""

from collections.abc import Sequence

from sidecarctl.documents.lines.pattern import is_usual
from sidecarctl.documents.reading.events import Parser, from_events
from sidecarctl.documents.reading.limits import Limits
from sidecarctl.documents.reading.values import read_value
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.values import Value

LONGEST = 16 * 1024
"""Characters of a block scalar: of longer ones the parser makes a single event too, and copies less."""


def margin_of(sources: Sequence[str], start: int, around: int) -> int | None:
    """The blanks before each line of the block scalar whose content begins at a line.

    `around` is the indent of what holds it. None for a content that is empty, begins with blanks, or is not indented.
    """
    first = next((sources[at] for at in range(start, len(sources)) if sources[at]), "")
    margin = len(first) - len(first.lstrip(" "))
    return margin if margin > around and first[margin:] and first[margin] != "\t" else None


def end_of_content(sources: Sequence[str], start: int, margin: int) -> int | None:
    """The line behind a block scalar, with the blank lines at its end; None if that is not plain to see."""
    blanks = " " * margin
    size = 0
    for at in range(start, len(sources)):
        source = sources[at]
        size += len(source) + 1
        if size > LONGEST:
            return None
        if source and not source.startswith(blanks):
            return None if source.isspace() else at
    return len(sources) - (sources[-1] == "")


def block_value(header: str, text: str, margin: int, parser: Parser) -> str | None:
    """What a block scalar says, of the text of its lines and the line above; None if it is not plain to see."""
    lines = [line[margin:] for line in text.rstrip("\n").split("\n")[1:]]
    if not lines or not lines[-1].strip(" ") or not is_usual("".join(lines).replace("\t", "")):
        return None
    if header[0] == ">":
        return _folded(header, lines, parser)
    joined = "\n".join(lines)
    return joined if header == "|-" else f"{joined}\n"


def _folded(header: str, lines: list[str], parser: Parser) -> str | None:
    source = f"- {header}\n" + "".join(f" {line}\n" if line else "\n" for line in lines)
    try:
        value: Value = from_events(source, parser, lambda events: read_value(source, events, Limits()))
    except InputError:
        return None
    return value[0] if isinstance(value, list) and isinstance(value[0], str) else None
