"""The scatter strategy: pods with a label value are spread among the others.

An order is a text with a letter for each pod; pods with the same letter are equal for every term. Terms keep the
order of pods with the same letter, so the letters alone decide, and only the needed beginning is computed: the
beginning of an order determines the beginning of the spread order.

Source: docs/behavior/rollout.md, "Order".
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from struct import pack, unpack
from typing import NamedTuple, Protocol

from sidecarctl.engine.facts.values import Object


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


class Labeled(Protocol):
    """Anything with the labels of a pod."""

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels."""


class ScatterTerm(NamedTuple):
    """Spread the pods whose label `key` is `value`; a pod without the label counts as having `""`."""

    key: str
    value: str


class LabelCounts:
    """The number of pods for each value of the labels that a strategy names, maintained incrementally."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._of_key: dict[str, Counter[str | None]] = {key: Counter() for key in keys}
        self.total = 0

    def add(self, labels: Mapping[str, str], number: int = 1) -> None:
        """Count another pod, or with -1 remove one."""
        self.total += number
        for key, counts in self._of_key.items():
            counts[labels.get(key)] += number

    def carrying(self, term: ScatterTerm) -> int:
        """The pods that have the label with the value."""
        return self._of_key[term.key][term.value]

    def matching(self, term: ScatterTerm) -> int:
        """The pods with the value of a term; for the empty value those without the label too."""
        counts = self._of_key[term.key]
        return counts[term.value] + (counts[None] if term.value == "" else 0)


class Scatter:
    """The strategy of a SidecarSet over all its pods: `terms` as written, `*` replaced by the existing values."""

    def __init__(self, strategy: Sequence[Object] | None, pods: Sequence[Labeled]) -> None:
        self.terms = _expanded(strategy or (), pods)
        self._keys = list(dict.fromkeys(term.key for term in self.terms))
        self._all = self.new_counts()
        self._letters: dict[tuple[ScatterTerm, ...], str] = {}
        self._letters_of: dict[ScatterTerm, str] = dict.fromkeys(self.terms, "")
        for pod in pods if self.terms else ():
            self._all.add(pod.labels)
            self.letter_of(pod.labels)
        # A label with a different value on every pod makes as many terms as pods, all without effect.
        self._effective = [term for term in self.terms if self._all.matching(term) > 1]

    @property
    def does_anything(self) -> bool:
        """Whether any term could ever move a pod."""
        return bool(self._effective)

    def new_counts(self) -> LabelCounts:
        """Counts for the labels of this strategy."""
        return LabelCounts(self._keys)

    def letter_of(self, labels: Mapping[str, str]) -> str:
        """The letter of a pod; pods with the same letter are equal for every term."""
        named = (ScatterTerm(key, labels.get(key, "")) for key in self._keys)
        terms = tuple(filter(self._letters_of.__contains__, named))
        letter = self._letters.get(terms)
        if letter is None:
            letter = self._letters[terms] = chr(len(self._letters))
            for term in terms:
                self._letters_of[term] += letter
        return letter

    def order(self, waiting: str, counts: LabelCounts) -> str:
        """The beginning of the scattered order, from the beginning of the order of waiting pods, as letters.

        `counts` are of all waiting pods. Given the whole order, the result is whole too.
        """
        for term in self._terms_for(counts) if counts.total > 1 else ():
            matched = counts.matching(term)
            others = counts.total - matched
            if matched > 1 and others > 1:
                total_matched = self._all.matching(term)
                laid = layout(matched - 1, others, total_matched - 1, self._all.total - total_matched)
                waiting = spread(waiting, self._letters_of[term], matched, others, laid)
        return waiting

    def _terms_for(self, counts: LabelCounts) -> Sequence[ScatterTerm]:
        if len(self.terms) < 2:
            return self._effective
        return sorted(filter(counts.carrying, self._effective), key=counts.carrying, reverse=True)


def _expanded(strategy: Sequence[Object], pods: Sequence[Labeled]) -> list[ScatterTerm]:
    """The terms without duplicates, `*` replaced by every value of the label, in the order of the pods."""
    terms: dict[ScatterTerm, None] = {}
    for term in strategy:
        key, value = term.get("key") or "", term.get("value") or ""
        values = [pod.labels[key] for pod in pods if key in pod.labels] if value == "*" else [value]
        terms.update(dict.fromkeys(ScatterTerm(key, value) for value in values))
    return list(terms)
