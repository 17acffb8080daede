"""The positions of a document's values in its text: paths to events, events to character offsets.

The index of its first event identifies a node.
"""

from functools import cached_property

from sidecarctl.documents.reading.events import (
    COLLECTION_STARTS,
    AliasEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from sidecarctl.documents.reading.scalars import MERGE_KEY, TAG, key_text, plain_key, tagged_value
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.references import Place

ROOT = 2  # after the starts of the stream and the document


class KeyAndValue(NamedTuple):
    """A key of a mapping and its value; the name is None for a merge key."""

    name: str | None
    key: int
    value: int


class Layout:
    """The events of one document and their positions; children are found on demand and cached."""

    def __init__(self, text: str, events: list[Event]) -> None:
        self.text = text
        self.events = events
        self._pairs: dict[int, list[KeyAndValue]] = {}
        self._members: dict[int, dict[str, KeyAndValue]] = {}
        self._items: dict[int, list[int]] = {}

    @cached_property
    def ends(self) -> dict[int, int]:
        """For each collection's first event its last."""
        ends: dict[int, int] = {}
        open_starts: list[int] = []
        for index, kind in enumerate(map(type, self.events)):
            if kind is ScalarEvent:  # most of them
                continue
            if kind is MappingStartEvent or kind is SequenceStartEvent:
                open_starts.append(index)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                ends[open_starts.pop()] = index
        return ends

    def last(self, node: int) -> int:
        """A node's last event: its first, if it is no collection."""
        return self.ends.get(node, node)

    def start(self, node: int) -> int:
        """The character that a node, with its anchor and tag, begins at."""
        return int(self.events[node].start_mark.index)

    def column(self, node: int) -> int:
        """The number of characters before the node in its line."""
        return int(self.events[node].start_mark.column)

    def is_mapping(self, node: int) -> bool:
        """Whether the node is a mapping (and no alias of one)."""
        return self.events[node].__class__ is MappingStartEvent

    def is_sequence(self, node: int) -> bool:
        """Whether the node is a sequence (and no alias of one)."""
        return self.events[node].__class__ is SequenceStartEvent

    def is_collection(self, node: int) -> bool:
        """Whether the node is a mapping or a sequence (and no alias of one)."""
        return self.events[node].__class__ in COLLECTION_STARTS

    def is_alias(self, node: int) -> bool:
        """Whether the node is an alias (`*name`)."""
        return self.events[node].__class__ is AliasEvent

    def is_flow(self, node: int) -> bool:
        """Whether the node is a collection in flow style: `[a]`, `{a: b}`, JSON."""
        return self.is_collection(node) and bool(self.events[node].flow_style)

    def is_block(self, node: int) -> bool:
        """Whether the node is a collection in block style."""
        event = self.events[node]
        return type(event) in COLLECTION_STARTS and not event.flow_style

    def is_block_scalar(self, node: int) -> bool:
        """Whether the node is a literal or folded scalar (`|`, `>`)."""
        event = self.events[node]
        return event.__class__ is ScalarEvent and event.style in ("|", ">")

    def is_absent(self, node: int) -> bool:
        """Whether nothing is written for the node: `key:`."""
        event = self.events[node]
        return event.__class__ is ScalarEvent and event.start_mark.index == event.end_mark.index

    def pairs(self, mapping: int) -> list[KeyAndValue]:
        """A mapping's own members in order, `<<` among them."""
        pairs = self._pairs.get(mapping)
        if pairs is None:
            children = self._children(mapping)
            keys = zip(children[::2], children[1::2], strict=True)
            pairs = self._pairs[mapping] = [KeyAndValue(self._name(key), key, value) for key, value in keys]
        return pairs

    def members(self, mapping: int) -> dict[str, KeyAndValue]:
        """A mapping's own members by name, without `<<`."""
        members = self._members.get(mapping)
        if members is None:
            members = {pair.name: pair for pair in self.pairs(mapping) if pair.name is not None}
            self._members[mapping] = members
        return members

    def items(self, sequence: int) -> list[int]:
        """A sequence's items."""
        items = self._items.get(sequence)
        if items is None:
            items = self._items[sequence] = self._children(sequence)
        return items

    def _children(self, node: int) -> list[int]:
        ends = self.ends
        children = []
        child, last = node + 1, ends[node]
        while child < last:
            children.append(child)
            child = ends.get(child, child) + 1
        return children

    def _name(self, key: int) -> str | None:
        event = self.events[key]
        return key_of(event if type(event) is ScalarEvent else self.events[self.aliases[key]])

    @cached_property
    def aliases(self) -> dict[int, int]:
        """For each alias, the node that it refers to."""
        if "*" not in self.text:
            return {}
        anchors: dict[str, int] = {}
        aliases: dict[int, int] = {}
        for index, event in enumerate(self.events):
            if event.__class__ is AliasEvent:
                aliases[index] = anchors.get(event.anchor, index)
            elif anchor := getattr(event, "anchor", None):
                anchors[anchor] = index
        return aliases

    def child(self, node: int, step: str | int) -> int | None:
        """The node of one member or item; None if the text has none of its own there."""
        if isinstance(step, str):
            member = self.members(node).get(step) if self.is_mapping(node) else None
            return member.value if member else None
        items = self.items(node) if self.is_sequence(node) else []
        return items[step] if step < len(items) else None

    def place(self, path: Path) -> Place:
        """Line and column of the value at a path, or of the nearest around it; the file is left empty."""
        if len(self.events) <= ROOT:
            return Place("", 1, 1)
        node = ROOT
        for step in path:
            child = self.child(node, step)
            if child is None:
                break
            node = child
        mark = self.events[node].start_mark
        return Place("", mark.line + 1, mark.column + 1)

    def first_of(self, again: Event) -> Event:
        """The key that a repeated key of the same mapping is a repetition of."""
        at = self.events.index(again)
        around = max(start for start, end in self.ends.items() if start < at < end)
        # The rest has not been read: it need not be valid.
        return next(self.events[key] for key in self._children(around)[::2] if self._name(key) == self._name(at))


def key_of(event: Event) -> str | None:
    """The key that a scalar becomes; None for null, and for `<<` as a merge key."""
    if event.ctag is None:
        return event.value if event.style else plain_key(event.value)
    tag = str(event.ctag)
    if event.value == MERGE_KEY and tag == f"{TAG}merge":
        return None
    return key_text(tagged_value(tag, event.value))
