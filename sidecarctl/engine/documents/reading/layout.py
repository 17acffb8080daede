"""The positions of a document's values in its text: paths to nodes, nodes to characters.

The index in the table of nodes identifies a node.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from sidecarctl.engine.documents.reading.nodes import (
    ALIAS,
    BLOCK,
    BLOCK_SCALARS,
    COLLECTIONS,
    FLOW,
    MAPPINGS,
    PLAIN,
    QUOTES,
    SCALARS,
    SEQUENCES,
    Nodes,
)
from sidecarctl.engine.documents.reading.scalars import MERGE_KEY, TAG, key_text, plain_key, tagged_value
from sidecarctl.engine.documents.reading.text_lines import LINE_BREAK, line_starts
from sidecarctl.engine.facts.findings import Place
from sidecarctl.engine.facts.values import Path

ROOT = 0


class KeyAndValue(NamedTuple):
    """A key of a mapping and its value; the name is None for a merge key."""

    name: str | None
    key: int
    value: int


class Layout:
    """The nodes of one document and their positions; children are found on demand and cached."""

    def __init__(self, text: str, nodes: Nodes, breaks: re.Pattern[str] = LINE_BREAK) -> None:
        self.text = text
        self.nodes = nodes
        self._breaks = breaks
        self._pairs: dict[int, list[KeyAndValue]] = {}
        self._members: dict[int, dict[str, KeyAndValue]] = {}
        self._items: dict[int, Sequence[int]] = {}

    @cached_property
    def _lines(self) -> Sequence[int]:
        return line_starts(self.text, self._breaks)

    @cached_property
    def has_tabs(self) -> bool:
        """Whether a tab is anywhere in the text."""
        return "\t" in self.text

    def last(self, node: int) -> int:
        """The end of a collection; any other node itself."""
        return self.nodes.last(node)

    def start(self, node: int) -> int:
        """The character that a node, with its anchor and tag, begins at."""
        return self.nodes.starts[node]

    def end(self, node: int) -> int:
        """The character behind a node, which is no start of a collection."""
        return self.nodes.ends[node]

    def column(self, node: int) -> int:
        """The number of characters before the node in its line."""
        start = self.start(node)
        return start - self._lines[bisect_right(self._lines, start) - 1]

    def is_mapping(self, node: int) -> bool:
        """Whether the node is a mapping (and no alias of one)."""
        return self.nodes.kinds[node] in MAPPINGS

    def is_sequence(self, node: int) -> bool:
        """Whether the node is a sequence (and no alias of one)."""
        return self.nodes.kinds[node] in SEQUENCES

    def is_collection(self, node: int) -> bool:
        """Whether the node is a mapping or a sequence (and no alias of one)."""
        return self.nodes.kinds[node] in COLLECTIONS

    def is_alias(self, node: int) -> bool:
        """Whether the node is an alias (`*name`)."""
        return self.nodes.kinds[node] == ALIAS

    def is_flow(self, node: int) -> bool:
        """Whether the node is a collection in flow style: `[a]`, `{a: b}`, JSON."""
        return self.nodes.kinds[node] in FLOW

    def is_block(self, node: int) -> bool:
        """Whether the node is a collection in block style."""
        return self.nodes.kinds[node] in BLOCK

    def is_scalar(self, node: int) -> bool:
        """Whether the node is a scalar (and no alias of one)."""
        return self.nodes.kinds[node] in SCALARS

    def is_block_scalar(self, node: int) -> bool:
        """Whether the node is a literal or folded scalar (`|`, `>`)."""
        return self.nodes.kinds[node] in BLOCK_SCALARS

    def is_absent(self, node: int) -> bool:
        """Whether nothing is written for the node: `key:`."""
        return self.nodes.kinds[node] == PLAIN and self.start(node) == self.end(node)

    def has_properties(self, node: int) -> bool:
        """Whether the node has an anchor or a tag."""
        return node in self.nodes.anchors or node in self.nodes.tags

    def quote(self, node: int) -> str:
        """The quotes of a scalar; empty for any other node."""
        kind = self.nodes.kinds[node]
        return chr(kind) if kind in QUOTES else ""

    def value(self, scalar: int) -> str:
        """What a scalar says, before any typing."""
        noted = self.nodes.noted.get(scalar)
        if noted is not None:
            return noted
        quote = len(self.quote(scalar))
        return self.text[self.start(scalar) + quote : self.end(scalar) - quote]

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

    def items(self, sequence: int) -> Sequence[int]:
        """A sequence's items."""
        items = self._items.get(sequence)
        if items is None:
            items = self._items[sequence] = self._children(sequence)
        return items

    def _children(self, node: int) -> Sequence[int]:
        return self._between(node, self.last(node))

    def _between(self, node: int, last: int) -> Sequence[int]:
        """The children of a collection up to a node in it."""
        children = array("I")
        child = node + 1
        while child < last:
            children.append(child)
            child = self.nodes.last(child) + 1
        return children

    def _name(self, key: int) -> str | None:
        scalar = self.aliases[key] if self.is_alias(key) else key
        return key_of_scalar(
            self.value(scalar), self.nodes.tags.get(scalar), is_plain=self.nodes.kinds[scalar] == PLAIN
        )

    @cached_property
    def aliases(self) -> dict[int, int]:
        """For each alias, the node that it refers to."""
        named: dict[str, int] = {}
        aliases: dict[int, int] = {}
        if ALIAS not in self.nodes.kinds:
            return aliases
        for index, name in self.nodes.anchors.items():
            if self.is_alias(index):
                aliases[index] = named.get(name, index)
            else:
                named[name] = index
        return aliases

    def child(self, node: int, step: str | int) -> int | None:
        """The node of one member or item; None if it has no text there."""
        if isinstance(step, str):
            member = self.members(node).get(step) if self.is_mapping(node) else None
            return member.value if member else None
        items = self.items(node) if self.is_sequence(node) else ()
        return items[step] if step < len(items) else None

    def place(self, path: Path) -> Place:
        """Line and column of the value at a path, or of the nearest around it; the file is left empty."""
        if not self.nodes:
            return Place("", 1, 1)
        node = ROOT
        for step in path:
            child = self.child(node, step)
            if child is None:
                break
            node = child
        return Place("", bisect_right(self._lines, self.start(node)), self.column(node) + 1)

    def first_of_last(self) -> int:
        """Where the key begins that the last node is a repetition of; what follows it has not been read."""
        again = len(self.nodes) - 1
        keys = self._between(self.nodes.innermost(), again)[::2]
        return next(self.start(key) for key in keys if self._name(key) == self._name(again))


def key_of_scalar(value: str, tag: str | None, *, is_plain: bool) -> str | None:
    """The key that a scalar becomes; None for null, and for `<<` as a merge key."""
    if tag is None:
        return plain_key(value) if is_plain else value
    if value == MERGE_KEY and tag == f"{TAG}merge":
        return None
    return key_text(tagged_value(tag, value))
