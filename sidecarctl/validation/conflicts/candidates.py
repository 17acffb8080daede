"""Which of very many SidecarSets need comparing with one: an index by the values that their selectors fix.

Two SidecarSets that fix one label to values of which they share none cannot match one pod, by Kruise's rule and in
truth. So only those are candidates that share a value of the label that leaves the fewest, or do not fix it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from heapq import merge

from sidecarctl.validation.conflicts.kruise_overlap import EVERYTHING
from sidecarctl.validation.conflicts.members import Member

_INDEXED_LABELS = 4
"""Labels for which an index is made, the most used first: each costs a list of those that do not fix it."""

Label = tuple[bool, str]
"""A key of namespaces (True) or of pods."""


class Candidates:
    """The members of a group that may share pods with one of them; positions count in the group's order."""

    def __init__(self, members: Sequence[Member]) -> None:
        self._fixed = [_fixed(member) for member in members]
        uses = Counter(label for fixed in self._fixed for label in fixed)
        self._labels = [label for label, _ in uses.most_common(_INDEXED_LABELS)]
        self._by_value: dict[Label, dict[str, list[int]]] = {label: defaultdict(list) for label in self._labels}
        self._loose: dict[Label, list[int]] = {label: [] for label in self._labels}
        for position, fixed in enumerate(self._fixed):
            for label in self._labels:
                if label not in fixed:
                    self._loose[label].append(position)
                for value in fixed.get(label, ()):
                    self._by_value[label][value].append(position)

    def of(self, position: int) -> Iterable[int]:
        """The positions that are left for one, last first, perhaps itself and some more than once."""
        fixed = self._fixed[position]
        choices = [self._buckets(label, fixed[label]) for label in self._labels if label in fixed]
        if not choices:
            return range(len(self._fixed) - 1, -1, -1)
        fewest = min(choices, key=lambda buckets: sum(map(len, buckets)))
        return merge(*map(reversed, fewest), reverse=True)

    def _buckets(self, label: Label, values: frozenset[str]) -> list[list[int]]:
        return [self._loose[label], *(self._by_value[label][value] for value in values)]


def _fixed(member: Member) -> dict[Label, frozenset[str]]:
    """The values of each label that a member fixes, where no rule of Kruise's counts them as everything."""
    sides = ((False, member.selector), (True, member.namespace_selector))
    return {
        (is_namespace, key): requirement.fixed
        for is_namespace, selector in sides
        if selector is not None
        for key, requirement in selector.by_key.items()
        if requirement.fixed and EVERYTHING not in requirement.fixed
    }
