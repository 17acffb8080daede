"""Errors about a text, with line and column."""

from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import Place

LINE_BREAK = lazy_pattern("\r\n|[\n\r\x85\u2028\u2029]")
"""What ends a line for the C parser, and so for everything that counts lines here."""


def place_at(text: str, index: int) -> Place:
    """Line and column, counted from 1, of a character of the text; the file is left empty."""
    line, start = 1, 0
    for line_break in LINE_BREAK.finditer(text, 0, index):
        line, start = line + 1, line_break.end()
    return Place("", line, index - start + 1)


def problem(reason: Reason, message: str, text: str, index: int, *, hint: str = "") -> InputError:
    """The error for a text that cannot be read, at a character of it."""
    place = place_at(text, min(index, len(text)))
    return InputError(Finding(Severity.ERROR, reason, message, place=place, hint=hint))
