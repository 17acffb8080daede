"""The elements of Go's regular expressions that match one character: letters, escapes, bracketed classes.

Each function reads at a position of the pattern and answers the characters and the position behind.
"""

import re

from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.sidecarset.regex.automaton import RegexError
from sidecarctl.sidecarset.regex.character_classes import (
    LAST,
    PERL,
    POSIX,
    Ranges,
    complement,
    folded,
    unicode_property,
)

_ESCAPE = lazy_pattern(
    r"\\(?:x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})|(0[0-7]{0,2}|[1-7][0-7]{1,2})|([afnrtv])|([\x00-/:-@\[-`{-\x7f]))"
)
_CONTROL = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_PERL = lazy_pattern(r"\\([dswDSW])")
_PROPERTY = lazy_pattern(r"\\([pP])(?:\{(\^?)([^}]*)\}|([^{]))", re.DOTALL)
_POSIX = lazy_pattern(r"\[:(\^?)(.*?):\]", re.DOTALL)


def read_characters(pattern: str, at: int, *, fold: bool) -> tuple[Ranges, int]:
    """The characters that a letter, escape or bracketed class matches, in any case if `fold`."""
    if pattern[at] == "[":
        return _read_brackets(pattern, at + 1, fold=fold)
    named = _read_named(pattern, at, fold=fold)
    if named is not None:
        return named
    code, at = _read_letter(pattern, at)
    return letter_ranges(chr(code), fold=fold), at


def letter_ranges(letter: str, *, fold: bool) -> Ranges:
    """The characters that one letter matches."""
    return _folded_if([(ord(letter), ord(letter))], fold=fold)


def _read_brackets(pattern: str, at: int, *, fold: bool) -> tuple[Ranges, int]:
    start, is_negated = at, pattern.startswith("^", at)
    at += is_negated
    first, ranges = at, Ranges()
    while at == first or not pattern.startswith("]", at):
        if at >= len(pattern):
            raise RegexError(f"the bracket at column {start} is not closed")
        more, at = _read_item(pattern, at, fold=fold)
        ranges += more
    return complement(ranges) if is_negated else ranges, at + 1


def _read_item(pattern: str, at: int, *, fold: bool) -> tuple[Ranges, int]:
    named = _read_named(pattern, at, fold=fold) or _read_posix(pattern, at, fold=fold)
    if named is not None:
        return named
    low, at = _read_letter(pattern, at)
    high = low
    if pattern.startswith("-", at) and at + 1 < len(pattern) and pattern[at + 1] != "]":
        high, at = _read_letter(pattern, at + 1)
    if high < low:
        raise RegexError(f"the character range at column {at} is in the wrong order")
    return _folded_if([(low, high)], fold=fold), at


def _read_named(pattern: str, at: int, *, fold: bool) -> tuple[Ranges, int] | None:
    """Classes that one letter names, and Unicode properties."""
    if match := _PERL.match(pattern, at):
        name = match[1]
        return _signed(PERL[name.lower()], fold=fold, is_negated=name.isupper()), match.end()
    if match := _PROPERTY.match(pattern, at):
        sign, caret, braced, single = match.groups(default="")
        ranges = unicode_property(braced or single)
        if ranges is None:
            raise RegexError(f"unknown Unicode property {braced or single}")
        return _signed(ranges, fold=fold, is_negated=(sign == "P") != (caret == "^")), match.end()
    return None


def _read_posix(pattern: str, at: int, *, fold: bool) -> tuple[Ranges, int] | None:
    match = _POSIX.match(pattern, at)
    if match is None:
        return None
    if match[2] not in POSIX:
        raise RegexError(f"unknown character class {match[0]}")
    return _signed(POSIX[match[2]], fold=fold, is_negated=bool(match[1])), match.end()


def _read_letter(pattern: str, at: int) -> tuple[int, int]:
    """The code of a character, or of an escape for a character."""
    if pattern[at] != "\\":
        return ord(pattern[at]), at + 1
    match = _ESCAPE.match(pattern, at)
    if match is None:
        raise RegexError(f"unknown escape {pattern[at : at + 2]} at column {at + 1}")
    braced, hexadecimal, octal, control, itself = match.groups()
    if braced or hexadecimal:
        code = int(braced or hexadecimal, 16)
    else:
        code = int(octal, 8) if octal else _CONTROL[control] if control else ord(itself)
    if code > LAST:
        raise RegexError(f"invalid character {match[0]}")
    return code, match.end()


def _signed(ranges: Ranges, *, fold: bool, is_negated: bool) -> Ranges:
    ranges = _folded_if(ranges, fold=fold)
    return complement(ranges) if is_negated else ranges


def _folded_if(ranges: Ranges, *, fold: bool) -> Ranges:
    return folded(ranges) if fold else ranges
