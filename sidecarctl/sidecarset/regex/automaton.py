"""Regular expressions as automata: one pass over a text decides whether it has a match.

Python's own engine tries one way after the other, and may take years for `(a+)+$`, which Go answers at once.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.sidecarset.regex.character_classes import Ranges

IsPlace = Callable[[str, int], bool]
"""Whether a position of a text, 0 to its length, is one of a kind."""


class RegexError(ValueError):
    """A pattern that Go's regexp package would not compile."""


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
    """A part so many times; `most` is None for any number."""

    part: "Part"
    least: int
    most: int | None


Part: TypeAlias = Characters | Position | Row | Alternatives | Repeat


class _State(NamedTuple):
    """What may be met next: a character or a place, or nothing when `part` is None; then the states that follow."""

    part: Characters | Position | None
    following: list[int]


_END = 0
_MOST_STATES = 100_000


class Automaton:
    """A compiled pattern; RegexError if it is too large to be compiled."""

    def __init__(self, part: Part) -> None:
        self._states = [_State(None, [])]
        self._start = self._before(part, _END)
        self.search = lru_cache(maxsize=4096)(self._search)  # pods repeat the names of their containers

    def _search(self, text: str) -> bool:
        """Whether any piece of a text matches."""
        waiting: set[int] = set()
        for position, character in enumerate(text):
            reached = self._reached({*waiting, self._start}, text, position)
            if _END in reached:
                return True
            waiting = {self._states[state].following[0] for state in reached if self._takes(state, ord(character))}
        return _END in self._reached({*waiting, self._start}, text, len(text))

    def _reached(self, states: Iterable[int], text: str, position: int) -> set[int]:
        """These states, and all that can be had from them without a further character."""
        reached = set(states)
        unvisited = list(reached)
        while unvisited:
            part, following = self._states[unvisited.pop()]
            if part is None or (isinstance(part, Position) and part.is_there(text, position)):
                new = [state for state in following if state not in reached]
                reached.update(new)
                unvisited += new
        return reached

    def _takes(self, state: int, code: int) -> bool:
        part = self._states[state].part
        return isinstance(part, Characters) and any(low <= code <= high for low, high in part.ranges)

    def _before(self, part: Part, following: int) -> int:
        """The state from which a part leads to a state that follows it."""
        match part:
            case Row(parts):
                for inner in reversed(parts):
                    following = self._before(inner, following)
                return following
            case Alternatives(parts):
                return self._state(None, [self._before(inner, following) for inner in parts])
            case Repeat(inner, least, most):
                return self._repeated(inner, least, most, following)
            case _:
                return self._state(part, [following])

    def _repeated(self, part: Part, least: int, most: int | None, following: int) -> int:
        if most is None:
            loop = self._state(None, [following])
            self._states[loop].following.append(self._before(part, loop))
            state = loop
        else:
            state = following
            for _ in range(most - least):
                state = self._state(None, [following, self._before(part, state)])
        for _ in range(least):
            state = self._before(part, state)
        return state

    def _state(self, part: Characters | Position | None, following: list[int]) -> int:
        if len(self._states) >= _MOST_STATES:
            raise RegexError("the pattern is too large")
        self._states.append(_State(part, following))
        return len(self._states) - 1
