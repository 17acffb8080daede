"""A scatter term spreads its pods among the others (docs/behaviour/rollout.md, "Order").

An order is a text with a letter for each pod; pods with the same letter are equal for every term. Terms keep the
order of pods with the same letter, so the letters alone decide, and only the needed beginning is computed: the
beginning of an order determines the beginning of the spread order.
"""

from collections.abc import Iterator
from struct import pack, unpack

from sidecarctl.facts.named_tuples import NamedTuple


class Spread(NamedTuple):
    """The layout of pods: `ahead` others, then `pairs` groups of each, then the rest."""

    ahead: int
    pairs: int
    matched: int
    others: int


def layout(matched: int, others: int, total_matched: int, total_others: int) -> Spread:
    """The layout for these numbers of pods; the last matched pod is not counted.

    If other pods are rarer among all pods than among waiting pods, the surplus goes first.
    """
    if _single(total_others / total_matched) >= _single(others / matched):
        return Spread(0, *_group_sizes(matched, others))
    _, matched_size, others_size = _group_sizes(total_matched, total_others)
    pairs = min(matched // matched_size, others // others_size)
    return Spread(others - pairs * others_size, pairs, matched_size, others_size)


def spread(order: str, letters: str, matched: int, others: int, laid: Spread) -> str:
    """The beginning of the spread order, as far as the given beginning of the order determines it.

    `letters` are those that match; `matched` and `others` are the numbers of pods in the whole order.
    """
    supplies = _Supplies(order, letters, matched, others)
    parts: list[str] = []
    for supply, number in _steps(supplies, matched, others, laid):
        parts.append(supply.take(number))
        if supply.dry:
            break
    return "".join(parts)


class _Supply:
    """A supply of letters, known as far as `text`; `dry` if that was not enough."""

    def __init__(self, text: str, total: int) -> None:
        self._text, self._total, self._taken = text, total, 0
        self.dry = False

    def take(self, number: int) -> str:
        """The next letters, fewer at the end."""
        wanted = min(number, self._total - self._taken)
        part = self._text[self._taken : self._taken + wanted]
        self._taken += wanted
        self.dry = len(part) < wanted
        return part


class _SameLetter(_Supply):
    """A supply of a single letter, whose positions in the order need not be known."""

    def take(self, number: int) -> str:
        wanted = min(number, self._total - self._taken)
        self._taken += wanted
        return self._text * wanted


class _Supplies:
    """The matched pods and the others, each in order."""

    def __init__(self, order: str, letters: str, matched: int, others: int) -> None:
        if len(letters) == 1:
            self.matched: _Supply = _SameLetter(letters, matched)
            self.others = _Supply(order.replace(letters, ""), others)
        else:
            chosen = frozenset(letters)
            self.matched = _Supply("".join(letter for letter in order if letter in chosen), matched)
            self.others = _Supply("".join(letter for letter in order if letter not in chosen), others)


def _steps(supplies: _Supplies, matched: int, others: int, laid: Spread) -> Iterator[tuple[_Supply, int]]:
    """How many letters to take from which supply; the last matched one comes last."""
    yield supplies.others, laid.ahead
    left = matched - 1
    for _ in range(laid.pairs):
        yield supplies.matched, min(laid.matched, left)
        yield supplies.others, laid.others
        left -= min(laid.matched, left)
    yield supplies.matched, left
    yield supplies.others, others
    yield supplies.matched, 1


def _group_sizes(matched: int, others: int) -> tuple[int, int, int]:
    pairs = min(matched, others)
    return pairs, _rounded(matched, pairs), _rounded(others, pairs)


def _rounded(number: int, divisor: int) -> int:
    """The quotient, halves rounded up."""
    return (2 * number + divisor) // (2 * divisor)


def _single(number: float) -> float:
    """The number as a 32-bit float, in which Kruise compares densities."""
    rounded: float = unpack("f", pack("f", number))[0]
    return rounded
