"""Regular expressions as automata: one pass over a text decides whether it has a match.

Python's own engine tries one way after the other, and may take years for `(a+)+$`, which Go answers at once.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.sidecarset.regex.characters import Ranges

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


IsPlace = Callable[[str, int], bool]
"""Whether a position of a text, 0 to its length, is one of a kind."""


class Characters(NamedTuple):
    """One character of these ranges."""

    ranges: Ranges


class Position(NamedTuple):
    """A position, and no character."""

    is_there: IsPlace


class Row(NamedTuple):
    """One part after the other."""

    parts: "Sequence[Part]"


class Alternatives(NamedTuple):
    """One of several parts."""

    parts: "Sequence[Part]"


class Repeat(NamedTuple):
    """A part repeated; `most` is None for any number. A part that can match nothing is optional."""

    part: "Part"
    least: int
    most: int | None


Part: TypeAlias = Characters | Position | Row | Alternatives | Repeat


class _State:
    """A part that may come next, the state behind it, and its progress: parts of a row, or repetitions."""

    __slots__ = ("done", "following", "part", "without_character")

    def __init__(self, part: Part | None, done: int, following: int) -> None:
        self.part = part
        self.done = done
        self.following = following
        self.without_character: list[int] | None = None  # the states that this one represents, once reached


_END = 0
_KEPT_STATES = 500_000


class Automaton:
    """A compiled pattern; `shortest` is the length of the shortest text that it matches.

    Its states are made when they are met first: a pattern may have millions, and a name meets few of them.
    """

    def __init__(self, part: Part, shortest: int = 0) -> None:
        self._shortest = shortest
        self._states = [_State(None, 0, _END)]
        self._numbers: dict[tuple[int, int, int], int] = {}
        self._start = self._state(part, 0, _END)
        self._bounds = _bounds_of(part)
        self._alike: dict[tuple[int, bool, bool], str] = {}
        self._steps: dict[tuple[frozenset[int], str, str], tuple[frozenset[int], bool]] = {}
        self._kept = 0
        self.search = lru_cache(maxsize=4096)(self._search)  # pods repeat the names of their containers
        self._letter = lru_cache(maxsize=4096)(self._like)

    def _search(self, text: str) -> bool:
        """Whether any piece of a text matches."""
        if len(text) < self._shortest:
            return False
        waiting: frozenset[int] = frozenset()
        before = ""
        for character in (*map(self._letter, text), ""):
            waiting, matches = self._step(waiting, before, character)
            if matches:
                return True
            before = character
        return False

    def _like(self, character: str) -> str:
        """The first character seen of those that the pattern does not distinguish."""
        kind = (bisect_right(self._bounds, ord(character)), character == "\n", bool(_WORD.match(character)))
        return self._alike.setdefault(kind, character)

    def _step(self, waiting: frozenset[int], before: str, character: str) -> tuple[frozenset[int], bool]:
        """What `_after` returns, cached because names share beginnings; the number of states is bounded."""
        step = self._steps.get((waiting, before, character))
        if step is None:
            if self._kept > _KEPT_STATES:
                self._steps.clear()
                self._kept = 0
            step = self._steps[waiting, before, character] = self._after(waiting, before, character)
            self._kept += len(step[0]) + 1
        return step

    def _after(self, waiting: frozenset[int], before: str, character: str) -> tuple[frozenset[int], bool]:
        """The states behind a character (empty at the end of the text), and whether a match ends in front of it.

        Positions look at no more than the two characters around them, so the answer holds wherever both meet.
        """
        reached = self._reached({*waiting, self._start}, before + character, len(before))
        if _END in reached or not character:
            return frozenset(), _END in reached
        code = ord(character)
        return frozenset(self._states[state].following for state in reached if self._takes(state, code)), False

    def _reached(self, states: Iterable[int], text: str, position: int) -> set[int]:
        """These states, and all that can be reached from them without a further character."""
        reached = set(states)
        unvisited = sorted(reached, reverse=True)
        fewest: dict[tuple[int, int], int] = {}
        while unvisited:
            state = self._states[unvisited.pop()]
            part = state.part
            if isinstance(part, Position) and not part.is_there(text, position):
                continue
            if isinstance(part, Repeat):
                # Once enough repetitions are done, a state with fewer can do everything that one with more can.
                done = fewest.setdefault((id(part), state.following), state.done)
                if part.least <= done < state.done:
                    continue
            following = state.without_character
            if following is None:
                following = state.without_character = self._without_character(state)
            new = [number for number in following if number not in reached]
            reached.update(new)
            unvisited += new
        return reached

    def _takes(self, state: int, code: int) -> bool:
        part = self._states[state].part
        return isinstance(part, Characters) and any(low <= code <= high for low, high in part.ranges)

    def _without_character(self, state: _State) -> list[int]:
        """The states that one leads to without a character, at a place where its part, if a position, holds."""
        part, done, following = state.part, state.done, state.following
        match part:
            case Position():
                return [following]
            case Row(parts) if done < len(parts):
                behind = following if done + 1 == len(parts) else self._state(part, done + 1, following)
                return [self._state(parts[done], 0, behind)]
            case Row():
                return [following]
            case Alternatives(parts):
                return [self._state(inner, 0, following) for inner in parts]
            case Repeat(inner, least, most):
                if done == most:
                    return [following]
                again = self._state(part, done if done >= least and most is None else done + 1, following)
                first = self._state(inner, 0, again)
                return [first] if done < least else [following, first]
        return []

    def _state(self, part: Part, done: int, following: int) -> int:
        """The number of a state."""
        number = self._numbers.setdefault((id(part), done, following), len(self._states))
        if number == len(self._states):
            self._states.append(_State(part, done, following))
        return number


def _bounds_of(part: Part) -> list[int]:
    """The characters at which any range begins, or behind which it ends; those between two are equivalent."""
    bounds: set[int] = set()
    unvisited = [part]
    while unvisited:
        match unvisited.pop():
            case Characters(ranges):
                bounds.update(bound for low, high in ranges for bound in (low, high + 1))
            case Row(parts) | Alternatives(parts):
                unvisited += parts
            case Repeat(inner):
                unvisited.append(inner)
            case Position():
                pass
    return sorted(bounds)
