"""Where the values of a document stand in its text: paths to events, events to character offsets."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from sidecarctl.documents.events import (
    COLLECTION_ENDS,
    COLLECTION_STARTS,
    AliasEvent,
    Event,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
)
from sidecarctl.documents.problems import place_at
from sidecarctl.documents.scalars import TAG, key_text, plain_value, tagged_value
from sidecarctl.facts.paths import Path
from sidecarctl.facts.references import Place

MERGE_KEY = "<<"
ROOT = 2  # after the starts of the stream and the document


class Member(NamedTuple):
    """A key of a mapping and its value, as indices of their first events."""

    key: int
    value: int


class Layout:
    """The events of one document, with what stands where; children are found on demand and kept."""

    def __init__(self, text: str, events: list[Event]) -> None:
        self.text = text
        self.events = events
        self._members: dict[int, dict[str, Member]] = {}
        self._items: dict[int, list[int]] = {}

    @cached_property
    def ends(self) -> dict[int, int]:
        """For each collection's first event its last."""
        ends: dict[int, int] = {}
        open_starts: list[int] = []
        for index, event in enumerate(self.events):
            kind = event.__class__
            if kind is ScalarEvent:
                continue
            if kind in COLLECTION_STARTS:
                open_starts.append(index)
            elif kind in COLLECTION_ENDS:
                ends[open_starts.pop()] = index
        return ends

    def is_mapping(self, node: int) -> bool:
        """Whether the node is a mapping (and no alias of one)."""
        return self.events[node].__class__ is MappingStartEvent

    def is_sequence(self, node: int) -> bool:
        """Whether the node is a sequence (and no alias of one)."""
        return self.events[node].__class__ is SequenceStartEvent

    def is_block_scalar(self, node: int) -> bool:
        """Whether the node is a literal or folded scalar (`|`, `>`)."""
        return getattr(self.events[node], "style", None) in ("|", ">")

    def is_flow(self, node: int) -> bool:
        """Whether the node is a collection in flow style: `[a]`, `{a: b}`, JSON."""
        return bool(getattr(self.events[node], "flow_style", False))

    def members(self, node: int) -> dict[str, Member]:
        """A mapping's own members by key, in order; of `<<` only the last is told."""
        if node not in self._members:
            pairs = self.pairs(node)
            self._members[node] = {self.key(member): member for member in pairs}
        return self._members[node]

    def pairs(self, node: int) -> list[Member]:
        """A mapping's own members in order, `<<` among them."""
        children = list(self._children(node))
        return [Member(*pair) for pair in zip(children[::2], children[1::2], strict=True)]

    def key(self, member: Member) -> str:
        """The key as Kubernetes reads it; `<<` for a merge."""
        return own_key(self.events[member.key])

    def items(self, node: int) -> list[int]:
        """A sequence's items."""
        if node not in self._items:
            self._items[node] = list(self._children(node))
        return self._items[node]

    def _children(self, node: int) -> Iterator[int]:
        ends = self.ends
        child, last = node + 1, ends[node]
        while child < last:
            yield child
            child = ends.get(child, child) + 1

    @cached_property
    def aliases(self) -> dict[int, int]:
        """For each alias the node that it stands for."""
        if "*" not in self.text:
            return {}
        anchors: dict[str, int] = {}
        aliases: dict[int, int] = {}
        for index, event in enumerate(self.events):
            if event.__class__ is AliasEvent:
                aliases[index] = anchors[event.anchor]
            elif anchor := getattr(event, "anchor", None):
                anchors[anchor] = index
        return aliases

    def trace(self, path: Path) -> list[int]:
        """The nodes on the way to a path, from the root on, as far as the text has own ones."""
        nodes = [ROOT]
        for step in path:
            child = self.child(nodes[-1], step)
            if child is None:
                break
            nodes.append(child)
        return nodes

    def path_to(self, node: int) -> Path:
        """The path of a node; merge keys stand in it as they are."""
        path: Path = ()
        here = ROOT
        while here != node:
            if self.is_mapping(here):
                member = next(member for member in self.pairs(here) if self._holds(member.value, node))
                path, here = (*path, self.key(member)), member.value
            else:
                index, here = next(pair for pair in enumerate(self.items(here)) if self._holds(pair[1], node))
                path = (*path, index)
        return path

    def _holds(self, outer: int, node: int) -> bool:
        return outer <= node <= self.ends.get(outer, outer)

    def find(self, path: Path) -> int | None:
        """The node at a path; None where the text has none of its own there (absent, aliased or merged)."""
        nodes = self.trace(path)
        return nodes[-1] if len(nodes) > len(path) else None

    def child(self, node: int, step: str | int) -> int | None:
        """The node of one member or item; None where the text has none of its own there."""
        if isinstance(step, str):
            member = self.members(node).get(step) if self.is_mapping(node) else None
            return member.value if member else None
        items = self.items(node) if self.is_sequence(node) else []
        return items[step] if step < len(items) else None

    def place(self, path: Path) -> Place:
        """Line and column of the value at a path, or of the nearest around it; the file is left empty."""
        if len(self.events) <= ROOT:
            return Place("", 1, 1)
        return place_at(self.text, self.events[self.trace(path)[-1]].start_mark.index)

    def is_alias(self, node: int) -> bool:
        """Whether the node is an alias (`*name`)."""
        return self.events[node].__class__ is AliasEvent


def own_key(event: Event) -> str:
    """The text of a key's event as Kubernetes reads it; `<<` for a merge."""
    if event.__class__ is not ScalarEvent:
        return ""
    if event.ctag is not None and str(event.ctag).startswith(TAG):
        value = tagged_value(str(event.ctag), event.value, plain=not event.style)
    else:
        value = event.value if event.style else plain_value(event.value)
    return key_text(value) or ""
