"""Lines of a text: where they begin and how they end; errors at a line and column; parts replaced all at once."""

import re
from array import array
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.findings import Finding, Place, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern

LINE_BREAK = lazy_pattern("\r\n|[\n\r\x85\u2028\u2029]")
"""What ends a line for the C parser, and so for everything that counts lines here."""


def line_starts(text: str, breaks: re.Pattern[str] = LINE_BREAK) -> Sequence[int]:
    """Where the lines of a text begin."""
    return array("I", chain((0,), (found.end() for found in breaks.finditer(text))))


def place_at(text: str, index: int) -> Place:
    """Line and column, counted from 1, of a character of the text; the file is left empty."""
    line, start = 1, 0
    for line_break in LINE_BREAK.finditer(text, 0, index):
        line, start = line + 1, line_break.end()
    return Place("", line, index - start + 1)


def error_at(reason: Reason, message: str, text: str, index: int, *, hint: str = "") -> InputError:
    """The error for a text that cannot be read, at one of its characters."""
    place = place_at(text, min(index, len(text)))
    return InputError(Finding(Severity.ERROR, reason, message, place=place, hint=hint))


_LAST_BREAK = lazy_pattern(f"(?:{LINE_BREAK.pattern})\\Z")
_COMMON_BREAK = lazy_pattern("\r\n|[\n\r]")
_OTHER_BREAK = lazy_pattern("[\r\x85\u2028\u2029]")
_COMMON = ("\n", "\r\n", "\r")
_BREAKS = frozenset("\n\r\x85\u2028\u2029")


def with_last_break(text: str) -> str:
    """The text as a whole number of lines; a line break is added to the last if it has none."""
    return text if not text or text[-1] in _BREAKS else text + some_break(text)


def without_last_break(text: str) -> str:
    """The text without the line break that it ends with."""
    last_break = _LAST_BREAK.search(text, max(len(text) - 2, 0))
    return text[: last_break.start()] if last_break else text


def some_break(text: str) -> str:
    """The line break that a text uses, as its first one shows; none that only old YAML knows."""
    found = _COMMON_BREAK.search(text)
    return found[0] if found else "\n"


def next_line(text: str, at: int) -> int:
    """Where the line after this one begins; the text's end, if this is the last."""
    if _has_line_feeds_only(text):
        return text.find("\n", at) + 1 or len(text)
    found = LINE_BREAK.search(text, at)
    return found.end() if found else len(text)


def line_start(text: str, at: int, after: int = 0) -> int:
    """Where the line of this character begins; `after` is returned where no line does from there on."""
    start = max(text.rfind("\n", after, at) + 1, after)
    if _has_line_feeds_only(text):
        return start
    for line_break in _OTHER_BREAK.finditer(text, start, at):
        start = line_break.end()
    return start


def line_break_before(text: str, at: int) -> str:
    """How the line before ends, where a line begins; as the first line does, if that is a break of old YAML."""
    if _has_line_feeds_only(text):
        return "\n"
    before = _LAST_BREAK.search(text, max(at - 2, 0), at)
    return before[0] if before and before[0] in _COMMON else some_break(text)


def _has_line_feeds_only(text: str) -> bool:
    """Whether no other breaks end lines, as in nearly all texts: they can be found without a pattern."""
    return text.isascii() and "\r" not in text


class Splice(NamedTuple):
    """`text` in place of the characters from `start` to `end`; at one place the deeper value comes first."""

    start: int
    end: int
    text: str
    depth: int


class Unchanged(NamedTuple):
    """A part of a text that no splice touches, and where it begins in the text with all splices made."""

    start: int
    end: int
    moved: int

    def before(self, size: int) -> "Unchanged":
        """The part of it that lies in the first `size` characters of the new text."""
        return self._replace(end=max(self.start, min(self.end, self.start + size - self.moved)))


def spliced(text: str, splices: Iterable[Splice]) -> tuple[str, list[Unchanged]]:
    """The text with all splices made, and what they keep.

    Positions are those of the text as given. Deletions may overlap.
    """
    parts: list[str] = []
    kept: list[Unchanged] = []
    done = size = 0
    for start, end, new, _ in [*sorted(splices, key=_order), Splice(len(text), len(text), "", 0)]:
        if start > done:
            parts.append(text[done:start])
            kept.append(Unchanged(done, start, size))
            size += start - done
        parts.append(new)
        size += len(new)
        done = max(done, end)
    return "".join(parts), kept


def _order(splice: Splice) -> tuple[int, bool, int]:
    return splice.start, splice.end > splice.start, -splice.depth


def new_lines(text: str, at: int, lines: list[str], depth: int) -> Splice:
    """Whole lines, inserted where a line begins; they end as the line before does."""
    return Splice(at, at, line_break_before(text, at).join([*lines, ""]), depth)
