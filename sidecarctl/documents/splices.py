"""Replacing parts of a text, all at once."""

import re
from collections.abc import Iterable
from typing import NamedTuple

LINE_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_BREAKS = "\n\r\x85\u2028\u2029"


class Splice(NamedTuple):
    """`text` in place of the characters from `start` to `end`; at one place the deeper value comes first."""

    start: int
    end: int
    text: str
    depth: int


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """The text with all splices made; positions are those of the text as given.

    Parts that are deleted may overlap. Deleting the last lines of a text without a final line break leaves a
    text without one.
    """
    parts: list[str] = []
    done = 0
    for splice in sorted(splices, key=lambda splice: (splice.start, splice.end > splice.start, -splice.depth)):
        if splice.start > done:
            parts.append(text[done : splice.start])
        parts.append(splice.text)
        done = max(done, splice.end)
    if done == len(text) > 0 and not parts[-1] and text[-1] not in _BREAKS:
        return _without_last_break("".join(parts))
    parts.append(text[done:])
    return "".join(parts)


def _without_last_break(text: str) -> str:
    return text[: -len(found[0])] if (found := re.search(f"(?:{LINE_BREAK.pattern})\\Z", text)) else text


def next_line(text: str, at: int) -> int:
    """Where the line after this one begins; the text's end, if this is the last."""
    found = LINE_BREAK.search(text, at)
    return found.end() if found else len(text)


def line_start(text: str, at: int) -> int:
    """Where the line of this character begins."""
    return max(text.rfind(line_break, 0, at) for line_break in _BREAKS) + 1


def rest_of_line(text: str, at: int) -> str:
    """What follows in the line, without its break."""
    found = LINE_BREAK.search(text, at)
    return text[at : found.start()] if found else text[at:]


def new_lines(text: str, at: int, lines: list[str], depth: int) -> Splice:
    """Whole lines, put in where a line begins or, behind a text without a final line break, at its end.

    They end as the line before ends.
    """
    before = re.search(f"(?:{LINE_BREAK.pattern})\\Z", text[max(at - 2, 0) : at])
    if before or at == 0:
        end = before[0] if before else _any_break(text)
        return Splice(at, at, "".join(line + end for line in lines), depth)
    end = _any_break(text)
    return Splice(at, at, "".join(end + line for line in lines), depth)


def _any_break(text: str) -> str:
    found = LINE_BREAK.search(text)
    return found[0] if found else "\n"
