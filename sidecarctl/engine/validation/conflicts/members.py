"""A SidecarSet as far as conflicts matter, and which of very many to compare with it.

Two SidecarSets that fix a label to disjoint values cannot match the same pod, neither by Kruise's rule nor exactly.
So the candidates are those that share a value of every label that both SidecarSets fix.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from heapq import merge
from itertools import product
from typing import NamedTuple

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.sidecarset.conversion import checked_spec
from sidecarctl.engine.sidecarset.sets import CANARY, SidecarSet, annotated_base_of, base_of
from sidecarctl.engine.validation.conflicts.witnesses import (
    EVERYTHING,
    Namespaces,
    Scope,
    Selector,
    compiled,
    may_overlap,
    may_share,
    scope_of,
)

Kind = str
"""`container`, `initContainer`, `volume` or `annotation`."""

Thing = tuple[Kind, str]
"""A kind and a name."""


class Written(NamedTuple):
    """What a SidecarSet writes under a name: the content of a volume or the policy of an annotation, and its path."""

    content: Value
    path: Path


class Member(NamedTuple):
    """A SidecarSet; `writes` are its things by kind and name, the last one if a name repeats."""

    name: str
    base: str
    """The base that a canary replaces; empty for other SidecarSets."""
    scope: Scope
    selector: Selector | None
    namespaces: Namespaces
    writes: dict[Thing, Written]
    release: Release = DEFAULT
    annotated_base: str = ""
    """The base that its annotation names, even if it is no canary."""
    is_canary: bool = False
    """Whether its annotations say so, whatever the release makes of that."""

    @property
    def may_be_missed(self) -> bool:
        """Whether Kruise's rule misses some overlaps with others.

        It does if some label must exist, with any value, and in releases that compare the current namespaces or only
        one other SidecarSet.
        """
        limits_namespaces = bool(self.namespaces.name or self.namespaces.selector)
        if self.release.last_conflict_only or (limits_namespaces and not self.release.namespace_is_selector):
            return True
        sides = (self.selector, self.namespaces.selector)
        return any(
            operator == "Exists"
            for side in sides
            if side is not None
            for requirement in side.by_key.values()
            for operator, _ in requirement.needs
        )


def member_of(sidecarset: SidecarSet) -> Member:
    """A SidecarSet for comparisons with others."""
    spec = checked_spec(sidecarset)
    selector, namespace_selector = spec.get("selector"), spec.get("namespaceSelector")
    by_name = "" if sidecarset.release.namespace_is_selector else spec.get("namespace", "")
    return Member(
        sidecarset.name,
        base_of(sidecarset),
        scope_of(sidecarset),
        None if selector is None else compiled(selector),
        Namespaces(by_name, None if namespace_selector is None else compiled(namespace_selector)),
        _writes(spec),
        sidecarset.release,
        annotated_base_of(sidecarset),
        (sidecarset.metadata.get("annotations") or {}).get(CANARY) == "true",
    )


def kruise_overlap(member: Member, other: Member, namespaces: Mapping[str, Labels]) -> bool:
    """Whether Kruise assumes that some pod matches both, when it checks the first one (`may_share`)."""
    if not may_share(member.namespaces, other.namespaces, namespaces):
        return False
    return member.selector is None or other.selector is None or may_overlap(member.selector, other.selector)


def clashes(kind: Kind, item: Written, other: Written) -> bool:
    """Whether two things with the same kind and name cannot both be written into a pod."""
    if kind == "volume":
        return bool(item.content != other.content)
    if kind == "annotation":
        return "Overwrite" in {item.content, other.content}
    return True


def _writes(spec: Object) -> dict[Thing, Written]:
    lists = (("container", "containers"), ("initContainer", "initContainers"), ("volume", "volumes"))
    writes = {
        (kind, item.get("name", "")): Written(item if kind == "volume" else None, ("spec", field, index, "name"))
        for kind, field in lists
        for index, item in enumerate(spec.get(field, ()))
    }
    for index, item in enumerate(spec.get("patchPodMetadata", ())):
        for key in item.get("annotations", {}):
            if item.get("patchPolicy") != "Retain":
                path = ("spec", "patchPodMetadata", index, "annotations", key)
                writes["annotation", key] = Written(item.get("patchPolicy"), path)
    return writes


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


class MemberGroup:
    """The SidecarSets that write under a given name, by name; an index finds those that may share pods."""

    def __init__(self, members: Sequence[Member]) -> None:
        self._members = members
        self._positions = {member.name: position for position, member in enumerate(members)}
        self.missable = [member for member in reversed(members) if member.may_be_missed]
        every = [_fixed(member) for member in members]
        uses = Counter(label for fixed in every for label in fixed)
        labels = [label for label, _ in uses.most_common(_INDEXED_LABELS)]
        self._fixed = [_indexed(fixed, labels) for fixed in every]
        self._alike: dict[tuple[Label, ...], list[int]] = defaultdict(list)
        for position, fixed in enumerate(self._fixed):
            self._alike[tuple(fixed)].append(position)
        self._tables: dict[tuple[tuple[Label, ...], tuple[Label, ...]], dict[tuple[str, ...], list[int]]] = {}

    def others(self, member: Member) -> Iterator[Member]:
        """The other SidecarSets that may share pods with a given one, last name first; some may repeat."""
        mine = self._fixed[self._positions[member.name]]
        found = [found for labels in self._alike for found in self._sharing(mine, labels)]
        for position in reversed(found[0]) if len(found) == 1 else merge(*map(reversed, found), reverse=True):
            if self._members[position].name != member.name:
                yield self._members[position]

    def last_other(self, member: Member) -> Member:
        """The last of the others, whether or not they share pods."""
        return self._members[-1] if self._members[-1] is not member else self._members[-2]

    def _sharing(self, mine: Fixed, labels: tuple[Label, ...]) -> Iterator[list[int]]:
        """The positions of the members that fix these labels and share a value of each label that both fix."""
        shared = tuple(label for label in labels if label in mine)
        if not shared:
            yield self._alike[labels]
            return
        table = self._table(labels, shared)
        for values in product(*(mine[label] for label in shared)):
            if values in table:
                yield table[values]

    def _table(self, labels: tuple[Label, ...], shared: tuple[Label, ...]) -> dict[tuple[str, ...], list[int]]:
        """The positions of the members that fix these labels, by their values of some of them."""
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
