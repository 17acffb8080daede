"""What matches a position, and no character, in Go's regular expressions; positions are 0 to the text's length."""

import re

from sidecarctl.facts.patterns import lazy_pattern

_WORD = lazy_pattern(r"\w", re.ASCII)


def is_start(_text: str, position: int) -> bool:
    """The beginning of the text."""
    return position == 0


def is_end(text: str, position: int) -> bool:
    """Its end."""
    return position == len(text)


def is_line_start(text: str, position: int) -> bool:
    """The beginning of a line."""
    return position == 0 or text[position - 1] == "\n"


def is_line_end(text: str, position: int) -> bool:
    """The end of a line."""
    return position == len(text) or text[position] == "\n"


def is_word_edge(text: str, position: int) -> bool:
    """Between an ASCII letter, digit or underscore and something else."""
    before, after = text[max(position - 1, 0) : position], text[position : position + 1]
    return bool(_WORD.match(before)) != bool(_WORD.match(after))


def is_no_word_edge(text: str, position: int) -> bool:
    """Anywhere else."""
    return not is_word_edge(text, position)


ASSERTIONS = {r"\A": is_start, r"\z": is_end, r"\b": is_word_edge, r"\B": is_no_word_edge}
"""The escapes that match a position."""
