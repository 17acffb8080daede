"""The scatter strategy: pods that carry a label value are spread among the others.

docs/behaviour/rollout.md, "Order". The order is drawn lazily, so that a round which updates ten pods of ten
thousand looks at about as many as it updates.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import filterfalse, islice, tee
from struct import pack, unpack
from typing import NamedTuple, Protocol, TypeVar

from sidecarctl.facts.values import Object


class Labelled(Protocol):
    """Anything with the labels of a pod."""

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels."""


_Pod = TypeVar("_Pod", bound=Labelled)


class ScatterTerm(NamedTuple):
    """Spread the pods whose label `key` is `value`; a pod without the label counts as having `""`."""

    key: str
    value: str


class Groups(NamedTuple):
    """How one term lays out pods: `ahead` others, then `pairs` times a group of each, then what is left."""

    ahead: int
    pairs: int
    matched: int
    others: int


class LabelCounts:
    """How many pods carry which value of the labels that a strategy names, kept up while pods come and go."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._of_key: dict[str, Counter[str | None]] = {key: Counter() for key in keys}
        self.total = 0

    def add(self, labels: Mapping[str, str], number: int = 1) -> None:
        """Count one more pod, or with -1 one fewer."""
        self.total += number
        for key, counts in self._of_key.items():
            counts[labels.get(key)] += number

    def carrying(self, term: ScatterTerm) -> int:
        """The pods that carry the label with the value."""
        return self._of_key[term.key][term.value]

    def matching(self, term: ScatterTerm) -> int:
        """The same, and for the empty value those without the label too."""
        counts = self._of_key[term.key]
        return counts[term.value] + (counts[None] if term.value == "" else 0)


class Scatter:
    """The strategy of a set over all its pods: `terms` as written, `*` replaced by the values there are."""

    def __init__(self, strategy: Sequence[Object] | None, pods: Sequence[Labelled]) -> None:
        self.terms = _expanded(strategy or (), pods)
        self._all = self.new_counts()
        for pod in pods if self.terms else ():
            self._all.add(pod.labels)

    def new_counts(self) -> LabelCounts:
        """Counts for the labels of this strategy."""
        return LabelCounts({term.key for term in self.terms})

    def order(self, waiting: Iterable[_Pod], counts: LabelCounts) -> Iterator[_Pod]:
        """The pods that wait, scattered; `counts` are theirs."""
        order = iter(waiting)
        if counts.total < 2:
            return order
        depth = 0
        for term in self._terms_for(counts):
            groups = self._groups(term, counts)
            if groups is None:
                continue
            depth += 1
            if depth % _LAZY_TERMS == 0:
                order = iter(list(order))
            order = _spread(order, term, counts.matching(term), groups)
        return order

    def _terms_for(self, counts: LabelCounts) -> Sequence[ScatterTerm]:
        if len(self.terms) < 2:
            return self.terms
        return sorted(filter(counts.carrying, self.terms), key=counts.carrying, reverse=True)

    def _groups(self, term: ScatterTerm, counts: LabelCounts) -> Groups | None:
        matched = counts.matching(term)
        others = counts.total - matched
        if matched < 2 or others < 2:
            return None
        total_matched = self._all.matching(term)
        return _layout(matched - 1, others, total_matched - 1, self._all.total - total_matched)


_LAZY_TERMS = 50
"""Iterators over iterators are drawn by recursion; after so many the order is put into a list."""


def _expanded(strategy: Sequence[Object], pods: Sequence[Labelled]) -> list[ScatterTerm]:
    """The terms without duplicates, `*` replaced by every value of the label, in the order of the pods."""
    terms: dict[ScatterTerm, None] = {}
    for term in strategy:
        key, value = term.get("key") or "", term.get("value") or ""
        values = [pod.labels[key] for pod in pods if key in pod.labels] if value == "*" else [value]
        terms.update(dict.fromkeys(ScatterTerm(key, value) for value in values))
    return list(terms)


def _layout(matched: int, others: int, total_matched: int, total_others: int) -> Groups:
    """The groups for these numbers, the matched one that comes last not among them.

    Where others are scarcer among all pods than among those that wait, the surplus goes in front.
    """
    if _single(total_others / total_matched) >= _single(others / matched):
        return Groups(0, *_group_sizes(matched, others))
    _, matched_size, others_size = _group_sizes(total_matched, total_others)
    count = min(matched // matched_size, others // others_size)
    return Groups(others - count * others_size, count, matched_size, others_size)


def _group_sizes(matched: int, others: int) -> tuple[int, int, int]:
    count = min(matched, others)
    return count, _rounded(matched, count), _rounded(others, count)


def _rounded(number: int, divisor: int) -> int:
    """The quotient, halves rounded up."""
    return (2 * number + divisor) // (2 * divisor)


def _single(number: float) -> float:
    """The number as a 32-bit float, in which Kruise compares densities."""
    rounded: float = unpack("f", pack("f", number))[0]
    return rounded


def _spread(order: Iterator[_Pod], term: ScatterTerm, count: int, groups: Groups) -> Iterator[_Pod]:
    """The order with one term applied; `count` pods in it match."""
    matches = _test(term)
    one, other = tee(order)
    all_matched, others = filter(matches, one), filterfalse(matches, other)
    matched = islice(all_matched, count - 1)
    yield from islice(others, groups.ahead)
    for _ in range(groups.pairs):
        yield from islice(matched, groups.matched)
        yield from islice(others, groups.others)
    yield from matched
    yield from others
    yield from all_matched


def _test(term: ScatterTerm) -> Callable[[Labelled], bool]:
    key, value = term
    return lambda pod: pod.labels.get(key, "") == value
