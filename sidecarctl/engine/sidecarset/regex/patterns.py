"""Go's regular expressions (RE2).

The only question is whether there is a match: groups capture nothing, and lazy repetition equals greedy.

Source: docs/behavior/resources-policy.md, "Targets".
"""

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.sidecarset.regex.automaton import (
    ASSERTIONS,
    Alternatives,
    Automaton,
    Characters,
    Part,
    Position,
    Repeat,
    Row,
    is_end,
    is_line_end,
    is_line_start,
    is_start,
)
from sidecarctl.engine.sidecarset.regex.characters import (
    RegexError,
    complement,
    letter_ranges,
    read_characters,
    refused,
)

Flags = frozenset[str]

_FLAGS = lazy_pattern(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])")
_GROUP = lazy_pattern(r"\((?:\?P?<[0-9A-Za-z_]++>|(?!\?))")
_BAD_FLAGS = lazy_pattern(r"[imsU]*+(?:-[imsU]*+)?.?", re.DOTALL)
_NAME = lazy_pattern(r"\(\?P?<(?=.)[^>]*>?", re.DOTALL)
_REPEAT = lazy_pattern(r"(?:[*+?]|\{(0|[1-9][0-9]*)(,(0|[1-9][0-9]*)?)?\})")
_QUOTED = lazy_pattern(r"\\Q(.*?)(?:\\E|\Z)", re.DOTALL)
_MOST_REPEATS = 1000
_DEEPEST = 1000
"""The most levels of groups, rows, alternatives and repetitions that Go accepts."""
_LARGEST = (128 << 20) // 40
"""Instructions of the program that Go makes of a pattern: 128 MB of them."""


@lru_cache(maxsize=1024)  # a pattern is looked up for every container of every pod
def compile_re2(pattern: str) -> Automaton:
    """A pattern for `search`; RegexError if Go would not compile it."""
    reader = _Reader(pattern)
    while reader.at < len(pattern):
        reader.step()
    whole = reader.whole()
    return Automaton(whole.part, whole.shortest)


class _Atom(NamedTuple):
    """What a repetition applies to.

    - `repeats`: how many times its parts repeat at most.
    - `shortest`: the length of the shortest text that it matches; `is_empty`: whether it matches nothing anywhere.
    - `size`, `height`: the instructions that Go compiles it to, and its levels of nesting.
    - `kind`: what it is for Go, if that can become one with what is around it.
    """

    part: Part
    repeats: int = 1
    shortest: int = 0
    size: int = 1
    height: int = 1
    kind: Literal["", "letter", "row", "alternatives", "loop"] = ""
    is_empty: bool = False


_OR = _Atom(Alternatives(()))


def _letter(part: Characters) -> _Atom:
    return _Atom(part, shortest=1, kind="letter")


class _Reader:
    """Walks through a pattern; `_atoms` are those of the innermost open group."""

    def __init__(self, pattern: str) -> None:
        self.at = 0
        self._pattern = pattern
        self._flags = Flags()
        self._atoms: list[_Atom] = []
        self._outer: list[tuple[Flags, list[_Atom], bool]] = []
        self._last_repeat = range(-1, -1)

    def whole(self) -> _Atom:
        if self._outer:
            raise refused("missing closing )", self._pattern)
        return self._checked(_joined(self._atoms))

    def _checked(self, atom: _Atom) -> _Atom:
        if atom.size > _LARGEST:
            raise refused("expression too large", self._pattern)
        if atom.height > _DEEPEST:
            raise refused("expression nests too deeply", self._pattern)
        return atom

    def step(self) -> None:
        character = self._pattern[self.at]
        if repeat := self._skip(_REPEAT):
            self._repeat(repeat)
        elif quoted := self._skip(_QUOTED):
            fold = "i" in self._flags
            self._atoms += [_letter(Characters(letter_ranges(letter, fold=fold))) for letter in quoted[1]]
        elif character in "(|)":
            {"(": self._open, "|": self._alternative, ")": self._close}[character]()
        else:
            part = self._part()
            self._atoms.append(_letter(part) if isinstance(part, Characters) else _Atom(part))

    def _part(self) -> Characters | Position:
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

    def _open(self) -> None:
        flags = self._skip(_FLAGS)
        if flags is None:
            self._open_plain()
            return
        on, off, end = flags.groups(default="")
        changed = (self._flags | Flags(on)) - Flags(off)
        if end == ":":
            self._push(is_captured=False)
        self._flags = changed

    def _open_plain(self) -> None:
        if self._skip(_GROUP) is None:
            raise self._refused_group()
        self._push(is_captured=True)  # Go lets several groups have one name

    def _refused_group(self) -> RegexError:
        if name := self._skip(_NAME):
            closed = name[0].endswith(">")
            return refused("invalid named capture", name[0] if closed else self._pattern[name.start() :])
        start, self.at = self.at, self.at + len("(?")
        read = _BAD_FLAGS.match(self._pattern, self.at)
        end = read.end() if read else self.at
        return refused("invalid or unsupported Perl syntax", self._pattern[start:end])

    def _push(self, *, is_captured: bool) -> None:
        self._outer.append((self._flags, self._atoms, is_captured))
        self._atoms = []

    def _close(self) -> None:
        if not self._outer:
            raise refused("unexpected )", self._pattern)
        self.at += 1
        group = _joined(self._atoms)
        self._flags, self._atoms, is_captured = self._outer.pop()
        if is_captured:
            group = group._replace(size=group.size + 2, height=group.height + 1, kind="")
        self._atoms.append(self._checked(group))

    def _alternative(self) -> None:
        self.at += 1
        self._atoms.append(_OR)

    def _repeat(self, match: re.Match[str]) -> None:
        times = _times(match)
        if self._pattern.startswith("?", self.at):
            self.at += 1  # lazy
        written = self._pattern[match.start() : self.at]
        if match.start() == self._last_repeat.stop:
            start = self._last_repeat.start
            raise refused("invalid nested repetition operator", self._pattern[start : self.at])
        if not self._atoms or self._atoms[-1] is _OR:
            raise refused("missing argument to repetition operator", written)
        self._last_repeat = range(match.start(), self.at)
        atom = _repeated(self._atoms.pop(), match, times)
        if atom.repeats > _MOST_REPEATS:
            raise refused("invalid repeat count", written)
        self._atoms.append(self._checked(atom))

    def _skip(self, part: re.Pattern[str]) -> re.Match[str] | None:
        match = part.match(self._pattern, self.at)
        if match:
            self.at = match.end()
        return match


def _joined(atoms: list[_Atom]) -> _Atom:
    """Alternatives of rows; a single row, or a single part, adds no level."""
    rows: list[list[_Atom]] = [[]]
    for atom in atoms:
        if atom is _OR:
            rows.append([])
        else:
            rows[-1].append(atom)
    if len(rows) == 1:
        return _row(rows[0])
    choices = [_row(row) for row in rows]
    is_letter = all(choice.kind == "letter" and choice.size == 1 for choice in choices)
    return _Atom(
        Alternatives([choice.part for choice in choices]),
        max(choice.repeats for choice in choices),
        min(choice.shortest for choice in choices),
        1 if is_letter else sum(choice.size for choice in choices) + len(choices) - 1,
        1 if is_letter else _around(choices, "alternatives"),
        "alternatives",
        any(choice.is_empty for choice in choices),
    )


def _row(atoms: list[_Atom]) -> _Atom:
    if len(atoms) == 1:
        return atoms[0]
    is_word = all(atom.kind == "letter" for atom in atoms)
    return _Atom(
        Row([atom.part for atom in atoms]),
        max((atom.repeats for atom in atoms), default=1),
        sum(atom.shortest for atom in atoms),
        max(1, sum(atom.size for atom in atoms)),
        1 if is_word else _around(atoms, "row"),
        "letter" if is_word and atoms else "row",
        all(atom.is_empty for atom in atoms),
    )


def _around(atoms: list[_Atom], kind: str) -> int:
    """The height of a node with these parts; a part of the same kind is merged into it."""
    return 1 + max((atom.height - (atom.kind == kind and atom.height > 1) for atom in atoms), default=0)


def _repeated(atom: _Atom, match: re.Match[str], times: int) -> _Atom:
    least, most = _bounds(match)
    size = max(least, 1) * atom.size + 1 + (least == 0) if most is None else most * atom.size + most - least
    is_loop = match[0] in {"*", "+", "?"}
    return _Atom(
        Repeat(atom.part, 0 if atom.is_empty else least, most),
        atom.repeats * times,
        atom.shortest * least,
        max(size, 1),
        atom.height + (not (is_loop and atom.kind == "loop")),
        "loop" if is_loop else "",
        least == 0 or atom.is_empty,
    )


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
        raise refused("invalid repeat count", repeat[0])
    if most and int(most) < int(least):
        raise refused("invalid repeat count", repeat[0])
    counted = int(most or least)
    return counted if most or not has_comma else max(counted, 1)
