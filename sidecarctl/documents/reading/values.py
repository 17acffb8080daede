"""Parser events to plain values, as Kubernetes would decode the same text.

Merge keys and aliases are resolved (in document order: later values win), keys become text, a repeated
key is an error. Values that aliases share are one and the same object.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from typing import NoReturn

from sidecarctl.documents.reading.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    from_events,
    template_or_syntax,
)
from sidecarctl.documents.reading.layout import Layout, key_of_scalar
from sidecarctl.documents.reading.nodes import nodes_of
from sidecarctl.documents.reading.scalars import (
    MAY_BE_TYPED,
    MERGE_KEY,
    key_text,
    plain_key,
    plain_value,
    tagged_value,
)
from sidecarctl.documents.reading.streams import DocumentLimits
from sidecarctl.documents.reading.text_lines import error_at, place_at
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value

_UNFINISHED = object()


def read_value(text: str, events: Iterable[Event], limits: DocumentLimits, first_line: int = 1) -> Value:
    """The value of a document; None for a document without content.

    Raises InputError with line and column within the text. Messages count lines from `first_line`, which is the
    line of the file where the text begins.
    """
    return _Reader(text, events, limits, first_line).read()


def anchored_values(text: str) -> list[Value]:
    """The value of each anchor of a document that has been read, in the order of the anchors."""

    def read(events: Iterator[Event]) -> list[Value]:
        reader = _Reader(text, events, DocumentLimits(depth=sys.maxsize, aliased=sys.maxsize))
        reader.read()
        return [cell[0] for cell in reader.cells]

    return from_events(text, read)


class _Reader:
    """One pass over the events; `anchors` maps each name to the cell that holds its current value."""

    def __init__(self, text: str, events: Iterable[Event], limits: DocumentLimits, first_line: int = 1) -> None:
        self.text = text
        self.first_line = first_line
        self.rest = iter(events)
        self.take: Callable[[], Event] = self.rest.__next__
        self.depth = limits.depth
        self.allowance = limits.aliased
        self.anchors: dict[str, list[Value]] = {}
        self.cells: list[list[Value]] = []
        self.sizes: dict[int, int] = {}
        self.keys: dict[str, str] = {}  # a long list has the same few keys in each of its items
        # Most documents have neither anchors nor tags, so their events need not be asked for them.
        self.is_bare = "&" not in text and "!" not in text

    def read(self) -> Value:
        take = self.take
        take()
        if take().__class__ is not DocumentStartEvent:
            return None
        value = self.node(take(), self.depth)
        take()
        event = take()
        if event.__class__ is DocumentStartEvent:
            self.refuse(Reason.SYNTAX, "a second document begins here", event)
        return value

    def node(self, event: Event, depth: int) -> Value:
        if event.__class__ is AliasEvent:
            return self.alias(event)
        if event.anchor is None:
            return self.content(event, depth)
        cell = self.anchors[event.anchor] = [_UNFINISHED]
        self.cells.append(cell)
        cell[0] = self.content(event, depth)
        return cell[0]

    def content(self, event: Event, depth: int) -> Value:
        if event.__class__ is ScalarEvent:
            return self.scalar(event)
        if depth == 0:
            self.refuse(Reason.TOO_DEEP, f"nested more than {self.depth} levels deep", event)
        if event.__class__ is MappingStartEvent:
            return self.mapping(depth - 1)
        return self.sequence(depth - 1)

    # The two loops below are nearly all of the time that reading takes. So they handle plain and quoted scalars
    # themselves, which are most of what a manifest holds, and call a method only for what is rarer.

    def mapping(self, depth: int) -> Object:
        members: Object = {}
        merged: set[str] = set()  # keys that only came by `<<`: an own one may follow
        rest, is_bare, shared = self.rest, self.is_bare, self.keys.setdefault
        for key_event in rest:
            kind = type(key_event)
            if kind is ScalarEvent and (is_bare or (key_event.anchor is None and key_event.ctag is None)):
                key = key_event.value
                if not key_event.style and (not key or key[0] in MAY_BE_TYPED):
                    key = plain_key(key)
            elif kind is MappingEndEvent:
                break
            else:
                key = self.key(key_event)
            if key is None:
                merged |= self.merge(members, key_event, depth)
                continue
            event = next(rest)
            kind = type(event)
            if kind is ScalarEvent and (is_bare or (event.anchor is None and event.ctag is None)):
                text = event.value
                is_text = event.style or (text and text[0] not in MAY_BE_TYPED)
                content = text if is_text else self.scalar(event)
            elif kind is MappingStartEvent and depth and (is_bare or event.anchor is None):
                content = self.mapping(depth - 1)
            else:
                content = self.node(event, depth)
            if key in members:
                if key not in merged:
                    self.refuse_repeated(key, key_event)
                merged.discard(key)
            members[shared(key, key)] = content
        return members

    def sequence(self, depth: int) -> list[Value]:
        items: list[Value] = []
        is_bare = self.is_bare
        for event in self.rest:
            kind = type(event)
            if kind is SequenceEndEvent:
                break
            if kind is MappingStartEvent and depth and (is_bare or event.anchor is None):
                items.append(self.mapping(depth - 1))
            elif kind is ScalarEvent and (is_bare or (event.anchor is None and event.ctag is None)):
                text = event.value
                is_text = event.style or (text and text[0] not in MAY_BE_TYPED)
                items.append(text if is_text else self.scalar(event))
            else:
                items.append(self.node(event, depth))
        return items

    def scalar(self, event: Event) -> Value:
        try:
            if event.ctag is not None:
                return tagged_value(str(event.ctag), event.value)
            return event.value if event.style else plain_value(event.value)
        except ValueError:
            message = f"{event.value!r} is not a valid value for the tag {event.ctag}"
            if event.ctag is None:
                message = f"{event.value} is not a number that Kubernetes accepts"
            self.refuse(Reason.SYNTAX, message, event)

    def key(self, event: Event) -> str | None:
        """The key that an event becomes; None for null and for a merge key."""
        if event.__class__ is AliasEvent:
            value = self.alias(event)
            if not isinstance(value, dict | list):
                return key_text(value)
        if event.__class__ is not ScalarEvent:
            words = "a key must be a string, not a list or a mapping"
            raise template_or_syntax(words, self.text, event.start_mark.index)
        if event.anchor is not None or event.ctag is not None:
            self.node(event, 0)
        return key_of_scalar(event.value, event.ctag and f"{event.ctag}", is_plain=not event.style)

    def alias(self, event: Event) -> Value:
        cell = self.anchors.get(event.anchor)
        if cell is None:
            self.refuse(Reason.SYNTAX, f"the anchor &{event.anchor} is not defined before this alias", event)
        value = cell[0]
        if value is _UNFINISHED:
            self.refuse(Reason.SYNTAX, f"the alias *{event.anchor} is inside its own anchor", event)
        self.allowance -= self.size(value)
        if self.allowance < 0:
            self.refuse(Reason.EXCESSIVE_ALIASING, "aliases make this document many times larger", event)
        return value

    def size(self, value: Value) -> int:
        """How many values a value holds, itself included."""
        if not isinstance(value, dict | list):
            return 1
        if id(value) not in self.sizes:
            inner = value.values() if isinstance(value, dict) else value
            self.sizes[id(value)] = 1 + sum(map(self.size, inner))
        return self.sizes[id(value)]

    def merge(self, members: Object, key: Event, depth: int) -> set[str]:
        """Merge the value of `<<` into the members; returns the keys that only the merge added."""
        if key.__class__ is AliasEvent or key.value != MERGE_KEY:
            is_number = key.__class__ is not AliasEvent and key.value.lstrip("+")[:1].isdigit()
            what = "a number of 2^63 or more" if is_number else "null"
            self.refuse(Reason.SYNTAX, f"a key must be a string, not {what}", key, hint="quote the key")
        event = self.take()
        value = self.node(event, depth)
        is_list = isinstance(value, list) and event.__class__ is not AliasEvent  # Kubernetes takes no alias of one
        added: set[str] = set()
        for source in reversed(value) if is_list else [value]:
            if not isinstance(source, dict):
                self.refuse(Reason.SYNTAX, "a merge key takes a mapping or a list of mappings", key)
            added |= source.keys() - members.keys()
            members.update(source)
        return added

    def refuse_repeated(self, key: str, again: Event) -> NoReturn:
        at = again.start_mark.index
        nodes = from_events(
            self.text,
            lambda events: nodes_of(self.text, takewhile(lambda event: event.start_mark.index <= at, events)),
        )
        first = Layout(self.text, nodes).first_of_last()
        message = f"duplicate key {key!r} (first defined {self._position(first, at)})"
        self.refuse(Reason.DUPLICATE_KEY, message, again, hint="remove one")

    def _position(self, at: int, seen_from: int) -> str:
        """The line of a character in the file, or its column if that is the same line."""
        place, other = place_at(self.text, at), place_at(self.text, seen_from)
        if place.line == other.line:
            return f"at column {place.column}"
        return f"on line {(place.line or 1) + self.first_line - 1}"

    def refuse(self, reason: Reason, message: str, event: Event, *, hint: str = "") -> NoReturn:
        raise error_at(reason, message, self.text, event.start_mark.index, hint=hint)
