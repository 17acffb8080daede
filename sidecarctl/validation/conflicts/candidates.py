"""Which of very many SidecarSets to compare with one of them: an index by the values that selectors fix.

Two SidecarSets that fix a label to disjoint values cannot match the same pod, neither by Kruise's rule nor exactly.
So the candidates are those that share a value of every label that both SidecarSets fix.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import product

from sidecarctl.validation.conflicts.kruise_overlap import EVERYTHING
from sidecarctl.validation.conflicts.members import Member

_INDEXED_LABELS = 4
"""The number of labels to index, the most used first: each may double the number of tables."""
_COMBINATIONS = 64
"""The most combinations of values to index a SidecarSet by, unless a single label has more values."""

Label = tuple[bool, str]
"""A key of namespaces (True) or of pods."""
Fixed = dict[Label, frozenset[str]]
"""The values to which labels are fixed, in the order of the index."""

_BY_NAME: Label = (True, "")
"""The name of a namespace that is compared as text."""


class Candidates:
    """The members of a group that may share pods with a given member; positions follow the order of the group."""

    def __init__(self, members: Sequence[Member]) -> None:
        every = [_fixed(member) for member in members]
        uses = Counter(label for fixed in every for label in fixed)
        labels = [label for label, _ in uses.most_common(_INDEXED_LABELS)]
        self._fixed = [_indexed(fixed, labels) for fixed in every]
        self._alike: dict[tuple[Label, ...], list[int]] = defaultdict(list)
        for position, fixed in enumerate(self._fixed):
            self._alike[tuple(fixed)].append(position)
        self._tables: dict[tuple[tuple[Label, ...], tuple[Label, ...]], dict[tuple[str, ...], list[int]]] = {}

    def of(self, position: int) -> Iterable[int]:
        """The positions of the candidates, last first; may include the member itself and repeat some."""
        mine = self._fixed[position]
        found = [found for labels in self._alike for found in self._sharing(mine, labels)]
        return reversed(found[0]) if len(found) == 1 else merge(*map(reversed, found), reverse=True)

    def _sharing(self, mine: Fixed, labels: tuple[Label, ...]) -> Iterator[list[int]]:
        """The members that fix these labels and share a value of each label that both fix."""
        shared = tuple(label for label in labels if label in mine)
        if not shared:
            yield self._alike[labels]
            return
        table = self._table(labels, shared)
        for values in product(*(mine[label] for label in shared)):
            if values in table:
                yield table[values]

    def _table(self, labels: tuple[Label, ...], shared: tuple[Label, ...]) -> dict[tuple[str, ...], list[int]]:
        """The members that fix these labels, by their values of some of them."""
        table = self._tables.get((labels, shared))
        if table is None:
            table = self._tables[labels, shared] = defaultdict(list)
            for position in self._alike[labels]:
                for values in product(*(self._fixed[position][label] for label in shared)):
                    table[values].append(position)
        return table


def _indexed(fixed: Fixed, labels: Sequence[Label]) -> Fixed:
    """The labels to find a member by: those with the fewest values, unless they make too many combinations."""
    chosen: set[Label] = set()
    combinations = 1
    for label in sorted((label for label in labels if label in fixed), key=lambda label: len(fixed[label])):
        combinations *= len(fixed[label])
        if combinations > _COMBINATIONS and chosen:
            break
        chosen.add(label)
    return {label: fixed[label] for label in labels if label in chosen}


def _fixed(member: Member) -> Fixed:
    """The values that a member fixes for each label, unless Kruise's rule treats them as any value."""
    sides = ((False, member.selector), (True, member.namespaces.selector))
    fixed: dict[Label, frozenset[str]] = {
        (is_namespace, key): requirement.fixed
        for is_namespace, selector in sides
        if selector is not None
        for key, requirement in selector.by_key.items()
        if requirement.fixed and EVERYTHING not in requirement.fixed
    }
    if member.namespaces.name:
        fixed[_BY_NAME] = frozenset((member.namespaces.name,))
    return fixed
