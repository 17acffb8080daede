"""Go's regular expressions (RE2).

Only whether there is a match is asked: groups capture nothing, and lazy repetition is like greedy.

Source: docs/behaviour/resources-policy.md, "Targets".
"""

import re
from functools import lru_cache

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.sidecarset.regex.automaton import (
    Alternatives,
    Automaton,
    Characters,
    Part,
    Position,
    RegexError,
    Repeat,
    Row,
)
from sidecarctl.sidecarset.regex.character_classes import complement
from sidecarctl.sidecarset.regex.characters import letter_ranges, read_characters
from sidecarctl.sidecarset.regex.positions import ASSERTIONS, is_end, is_line_end, is_line_start, is_start

Flags = frozenset[str]

_FLAGS = lazy_pattern(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])")
_GROUP = lazy_pattern(r"\((?:\?P?<[0-9A-Za-z_]+>|(?!\?))")
_REPEAT = lazy_pattern(r"(?:[*+?]|\{(0|[1-9][0-9]*)(,(0|[1-9][0-9]*)?)?\})")
_QUOTED = lazy_pattern(r"\\Q(.*?)(?:\\E|\Z)", re.DOTALL)
_MOST_REPEATS = 1000
_DEEPEST = 60


@lru_cache(maxsize=1024)  # one pattern is asked for every container of every pod
def compile_re2(pattern: str) -> Automaton:
    """A pattern for `search`; RegexError if Go would not compile it."""
    reader = _Reader(pattern)
    while reader.at < len(pattern):
        reader.step()
    return Automaton(reader.whole())


class _Atom(NamedTuple):
    """What a repetition applies to, and how many times its parts repeat at most."""

    part: Part
    repeats: int = 1


_OR = _Atom(Alternatives(()))


class _Reader:
    """Walks through a pattern; `_atoms` are those of the innermost open group."""

    def __init__(self, pattern: str) -> None:
        self.at = 0
        self._pattern = pattern
        self._flags = Flags()
        self._atoms: list[_Atom] = []
        self._outer: list[tuple[Flags, list[_Atom]]] = []
        self._end_of_repeat = -1

    def whole(self) -> Part:
        if self._outer:
            raise RegexError("a parenthesis is not closed")
        return _joined(self._atoms).part

    def step(self) -> None:
        character = self._pattern[self.at]
        if repeat := self._skip(_REPEAT):
            self._repeat(repeat)
        elif quoted := self._skip(_QUOTED):
            self._atoms += [_Atom(self._letter(letter)) for letter in quoted[1]]
        elif character in "(|)":
            {"(": self._open, "|": self._alternative, ")": self._close}[character]()
        else:
            self._atoms.append(_Atom(self._part()))

    def _part(self) -> Part:
        """What matches one character, or a place."""
        start, self.at = self.at, self.at + 1
        assertion = ASSERTIONS.get(self._pattern[start : start + 2])
        if assertion is not None:
            self.at += 1
            return Position(assertion)
        match self._pattern[start]:
            case "^":
                return Position(is_line_start if "m" in self._flags else is_start)
            case "$":
                return Position(is_line_end if "m" in self._flags else is_end)
            case ".":
                return Characters(complement([] if "s" in self._flags else [(ord("\n"), ord("\n"))]))
        ranges, self.at = read_characters(self._pattern, start, fold="i" in self._flags)
        return Characters(ranges)

    def _letter(self, letter: str) -> Part:
        return Characters(letter_ranges(letter, fold="i" in self._flags))

    def _open(self) -> None:
        flags = self._skip(_FLAGS)
        if flags is None:
            self._open_plain()
            return
        on, off, end = flags.groups(default="")
        changed = (self._flags | Flags(on)) - Flags(off)
        if end == ":":
            self._push()
        self._flags = changed

    def _open_plain(self) -> None:
        group = self._skip(_GROUP)
        if group is None:
            raise RegexError(f"RE2 does not support {self._pattern[self.at : self.at + 3]} groups")
        self._push()  # Go lets several groups have one name

    def _push(self) -> None:
        if len(self._outer) >= _DEEPEST:
            raise RegexError(f"groups are nested more than {_DEEPEST} levels deep")
        self._outer.append((self._flags, self._atoms))
        self._atoms = []

    def _close(self) -> None:
        if not self._outer:
            raise RegexError(f"unmatched closing parenthesis at column {self.at + 1}")
        self.at += 1
        group = _joined(self._atoms)
        self._flags, self._atoms = self._outer.pop()
        self._atoms.append(group)

    def _alternative(self) -> None:
        self.at += 1
        self._atoms.append(_OR)

    def _repeat(self, match: re.Match[str]) -> None:
        if match.start() == self._end_of_repeat:
            raise RegexError(f"the repetition at column {match.start() + 1} follows another repetition")
        if not self._atoms or self._atoms[-1] is _OR:
            raise RegexError(f"nothing to repeat before column {match.start() + 1}")
        if self._pattern.startswith("?", self.at):
            self.at += 1  # lazy
        self._end_of_repeat = self.at
        atom = self._atoms.pop()
        self._atoms.append(_Atom(Repeat(atom.part, *_bounds(match)), atom.repeats * _times(match)))
        if self._atoms[-1].repeats > _MOST_REPEATS:
            raise RegexError(f"more than {_MOST_REPEATS} repetitions")

    def _skip(self, part: re.Pattern[str]) -> re.Match[str] | None:
        match = part.match(self._pattern, self.at)
        if match:
            self.at = match.end()
        return match


def _joined(atoms: list[_Atom]) -> _Atom:
    rows: list[list[Part]] = [[]]
    for atom in atoms:
        if atom is _OR:
            rows.append([])
        else:
            rows[-1].append(atom.part)
    part = Row(rows[0]) if len(rows) == 1 else Alternatives([Row(row) for row in rows])
    return _Atom(part, max((atom.repeats for atom in atoms), default=1))


def _bounds(repeat: re.Match[str]) -> tuple[int, int | None]:
    """How many times at least and at most; None for any number."""
    least, comma, most = repeat.groups(default="")
    if not least:
        return int(repeat[0] == "+"), 1 if repeat[0] == "?" else None
    return int(least), int(most) if most else None if comma else int(least)


def _times(repeat: re.Match[str]) -> int:
    """How many times a repetition counts against the limit; RegexError if its bounds are impossible."""
    least, has_comma, most = repeat.groups(default="")
    if not least:
        return 1
    if max(len(least), len(most)) > 4 or max(int(least), int(most or 0)) > _MOST_REPEATS:
        raise RegexError(f"{repeat[0]} repeats more than {_MOST_REPEATS} times")
    if most and int(most) < int(least):
        raise RegexError(f"{repeat[0]} has its bounds in the wrong order")
    counted = int(most or least)
    return counted if most or not has_comma else max(counted, 1)
