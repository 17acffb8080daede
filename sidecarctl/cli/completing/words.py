"""The words of an unfinished command line, and what a shell replaces of the last of them."""

import shlex
from collections.abc import Sequence
from posixpath import basename

_BREAKS = "=:"
"""Where bash lets a word end that all others take for one."""


def words_of_line(line: str) -> list[str]:
    """The words of a line up to the cursor, of its last command; the last word is the one to complete.

    A quotation that is still open ends with the line.
    """
    for closing in ("", '"', "'"):
        try:
            words = shlex.split(line + closing)
        except ValueError:
            continue
        is_begun = closing or (line and not line[-1].isspace()) or line.endswith("\\ ")
        return of_last_command(words if is_begun else [*words, ""])
    return []


def of_last_command(words: Sequence[str]) -> list[str]:
    """The words from the last one on that calls the program: before it there may be a pipe."""
    calls = [index for index, word in enumerate(words) if basename(word) == "sidecarctl"]
    return list(words[calls[-1] if calls else 0 :])


def as_bash_replaces(value: str, incomplete: str) -> str:
    """The part of a completion that bash puts in the place of the part of the word that it knows."""
    kept = max(incomplete.rfind(mark) for mark in _BREAKS) + 1
    quoted = shlex.quote(value[kept:])
    return quoted if quoted == value[kept:] else "".join(map(_escaped, value[kept:]))


def _escaped(letter: str) -> str:
    return letter if letter.isalnum() or letter in "_-./,+=:@%~" or ord(letter) > 0x7F else f"\\{letter}"
