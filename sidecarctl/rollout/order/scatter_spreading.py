"""One scatter term spreads its pods among the others (docs/behaviour/rollout.md, "Order").

An order is a text with a letter for each pod, pods of one letter being alike to every term. Terms keep the
pods of a letter in their order, so that the letters alone say who comes next, and an order need only be known
as far as it is asked for: from the beginning of an order comes the beginning of the spread one.
"""

from collections.abc import Iterator
from struct import pack, unpack
from typing import NamedTuple


class Spread(NamedTuple):
    """How pods are laid out: `ahead` others, then `pairs` times a group of each, then what is left."""

    ahead: int
    pairs: int
    matched: int
    others: int


def layout(matched: int, others: int, total_matched: int, total_others: int) -> Spread:
    """The layout for so many pods of all those in the set; the last matched one is not counted in either.

    Where others are scarcer among all pods than among those that wait, the surplus goes in front.
    """
    if _single(total_others / total_matched) >= _single(others / matched):
        return Spread(0, *_group_sizes(matched, others))
    _, matched_size, others_size = _group_sizes(total_matched, total_others)
    pairs = min(matched // matched_size, others // others_size)
    return Spread(others - pairs * others_size, pairs, matched_size, others_size)


def spread(order: str, letters: str, matched: int, others: int, laid: Spread) -> str:
    """The beginning of the spread order, as far as the given beginning of the order tells it.

    `letters` are those that match; so many matched and other pods there are in the whole order.
    """
    supplies = _Supplies(order, letters, matched, others)
    parts: list[str] = []
    for supply, number in _steps(supplies, matched, others, laid):
        parts.append(supply.take(number))
        if supply.dry:
            break
    return "".join(parts)


class _Supply:
    """Letters to be taken in turn, known as far as `text`; `dry` when that did not suffice."""

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
    """One letter again and again: where it stands in the order need not be known."""

    def take(self, number: int) -> str:
        wanted = min(number, self._total - self._taken)
        self._taken += wanted
        return self._text * wanted


class _Supplies:
    """The matched pods and the others, each in their order."""

    def __init__(self, order: str, letters: str, matched: int, others: int) -> None:
        if len(letters) == 1:
            self.matched: _Supply = _SameLetter(letters, matched)
            self.others = _Supply(order.replace(letters, ""), others)
        else:
            chosen = frozenset(letters)
            self.matched = _Supply("".join(letter for letter in order if letter in chosen), matched)
            self.others = _Supply("".join(letter for letter in order if letter not in chosen), others)


def _steps(supplies: _Supplies, matched: int, others: int, laid: Spread) -> Iterator[tuple[_Supply, int]]:
    """From which supply how many letters are taken; the last matched one comes at the very end."""
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
