"""Parser events to plain values, as Kubernetes would decode the same text.

Merge keys and aliases are resolved (in document order: later values win), keys become text, a repeated
key is an error. Values that aliases share are one and the same object.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import takewhile
from typing import NoReturn

from sidecarctl.engine.documents.reading.events import from_events, template_or_syntax
from sidecarctl.engine.documents.reading.layout import Layout, key_of_scalar
from sidecarctl.engine.documents.reading.libyaml import (
    ALIAS,
    DOCUMENT_START,
    MAPPING_END,
    MAPPING_STARTS,
    PLAIN,
    SEQUENCE_END,
    Event,
)
from sidecarctl.engine.documents.reading.nodes import nodes_of
from sidecarctl.engine.documents.reading.scalars import (
    MAY_BE_TYPED,
    MERGE_KEY,
    key_text,
    plain_key,
    plain_value,
    tagged_value,
)
from sidecarctl.engine.documents.reading.streams import DocumentLimits
from sidecarctl.engine.documents.reading.text_lines import error_at, place_at
from sidecarctl.engine.facts.memory import LARGE
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value, identical

_UNFINISHED = object()
_SHARED = 1024
"""How many distinct keys of a large text are shared as one object: keys that occur only once gain nothing."""


def read_value(
    text: str, events: Iterable[Event], limits: DocumentLimits, first_line: int = 1, like: Value = None
) -> Value:
    """The value of a document; None for a document without content.

    Of a large one the parts that equal those of `like`, which it should be, are the very same objects.
    Raises InputError with line and column within the text. Messages count lines from `first_line`, which is the
    line of the file where the text begins.
    """
    if like is None or len(text) < LARGE:
        return _Reader(text, events, limits, first_line).read()
    reader = _Comparing(text, events, limits, first_line)
    reader.like = like
    return reader.read()


def anchored_values(text: str) -> list[Value]:
    """The value of each anchor of a document that has been read, in the order of the anchors."""

    def read(events: Iterator[Event]) -> list[Value]:
        reader = _Reader(text, events, DocumentLimits(depth=sys.maxsize, aliased=sys.maxsize))
        reader.read()
        return reader.anchored

    return from_events(text, read)


class _Reader:
    """One pass over the events; `anchors` are the places in `anchored` of the latest values of names."""

    def __init__(self, text: str, events: Iterable[Event], limits: DocumentLimits, first_line: int = 1) -> None:
        self.text = text
        self.first_line = first_line
        self.rest = iter(events)
        self.take: Callable[[], Event] = self.rest.__next__
        self.depth = limits.depth
        self.allowance = limits.aliased
        self.anchors: dict[str, int] = {}
        self.anchored: list[Value] = []
        self.sizes: dict[int, int] = {}
        self.shared = lru_cache(maxsize=_SHARED)(str) if len(text) >= LARGE else sys.intern

    def read(self) -> Value:
        take = self.take
        take()
        if take()[0] != DOCUMENT_START:
            return None
        value = self.node(take(), self.depth)
        take()
        event = take()
        if event[0] == DOCUMENT_START:
            self.refuse(Reason.SYNTAX, "a second document begins here", event)
        return value

    def node(self, event: Event, depth: int) -> Value:
        anchor = event[2]
        if event[0] == ALIAS:
            return self.alias(event)
        if anchor is None:
            return self.content(event, depth)
        place = self.anchors[anchor] = len(self.anchored)
        self.anchored.append(_UNFINISHED)
        value = self.anchored[place] = self.content(event, depth)
        return value

    def content(self, event: Event, depth: int) -> Value:
        if event[1] is not None:
            return self.scalar(event)
        if depth == 0:
            self.refuse(Reason.TOO_DEEP, f"nested more than {self.depth} levels deep", event)
        return self.mapping(depth - 1) if event[0] in MAPPING_STARTS else self.sequence(depth - 1)

    # The two loops below are nearly all of the time that reading takes. So they handle plain and quoted scalars
    # themselves, which are most of what a manifest holds, and call a method only for what is rarer.

    def mapping(self, depth: int) -> Object:
        members: Object = {}
        merged: set[str] = set()  # keys that only came by `<<`: an own one may follow
        rest, shared = self.rest, self.shared
        for key_event in rest:
            kind, text, anchor, tag, _, _ = key_event
            key: str | None
            if text is not None and anchor is None and tag is None:
                key = text
                if kind == PLAIN and (not text or text[0] in MAY_BE_TYPED):
                    key = plain_key(text)
            elif kind == MAPPING_END:
                break
            else:
                key = self.key(key_event)
            if key is None:
                merged |= self.merge(members, key_event, depth)
                continue
            event = next(rest)
            kind, text, anchor, tag, _, _ = event
            content: Value
            if anchor is not None:
                content = self.node(event, depth)
            elif text is not None:
                is_text = tag is None and (kind != PLAIN or (text and text[0] not in MAY_BE_TYPED))
                content = text if is_text else self.scalar(event)
            elif kind in MAPPING_STARTS and depth:
                content = self.mapping(depth - 1)
            else:
                content = self.content(event, depth)
            if key in members:
                self.replace_merged(key, merged, key_event)
            members[shared(key)] = content
        return members

    def sequence(self, depth: int) -> list[Value]:
        items: list[Value] = []
        for event in self.rest:
            kind, text, anchor, tag, _, _ = event
            if anchor is not None:
                items.append(self.node(event, depth))
            elif text is not None:
                is_text = tag is None and (kind != PLAIN or (text and text[0] not in MAY_BE_TYPED))
                items.append(text if is_text else self.scalar(event))
            elif kind == SEQUENCE_END:
                break
            elif kind in MAPPING_STARTS and depth:
                items.append(self.mapping(depth - 1))
            else:
                items.append(self.content(event, depth))
        return items

    def scalar(self, event: Event) -> Value:
        kind, text, _, tag, _, _ = event
        text = text or ""
        try:
            if tag is not None:
                return tagged_value(tag, text)
            return plain_value(text) if kind == PLAIN else text
        except ValueError:
            message = f"{text!r} is not a valid value for the tag {tag}"
            if tag is None:
                message = f"{text} is not a number that Kubernetes accepts"
            self.refuse(Reason.SYNTAX, message, event)

    def key(self, event: Event) -> str | None:
        """The key that an event becomes; None for null and for a merge key."""
        kind, text, anchor, tag, start, _ = event
        if kind == ALIAS:
            value = self.alias(event)
            if not isinstance(value, dict | list):
                return key_text(value)
        if text is None:
            words = "a key must be a string, not a list or a mapping"
            raise template_or_syntax(words, self.text, start)
        if anchor is not None or tag is not None:
            self.node(event, 0)
        return key_of_scalar(text, tag, is_plain=kind == PLAIN)

    def alias(self, event: Event) -> Value:
        name = str(event[2])
        if name not in self.anchors:
            self.refuse(Reason.SYNTAX, f"the anchor &{name} is not defined before this alias", event)
        value = self.anchored[self.anchors[name]]
        if value is _UNFINISHED:
            self.refuse(Reason.SYNTAX, f"the alias *{name} is inside its own anchor", event)
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
        text = key[1]
        if text != MERGE_KEY:
            is_number = text is not None and text.lstrip("+")[:1].isdigit()
            what = "a number of 2^63 or more" if is_number else "null"
            self.refuse(Reason.SYNTAX, f"a key must be a string, not {what}", key, hint="quote the key")
        event = self.take()
        value = self.node(event, depth)
        is_list = isinstance(value, list) and event[0] != ALIAS  # Kubernetes accepts no alias of it
        added: set[str] = set()
        for source in reversed(value) if is_list else [value]:
            if not isinstance(source, dict):
                self.refuse(Reason.SYNTAX, "a merge key takes a mapping or a list of mappings", key)
            added |= source.keys() - members.keys()
            members.update(source)
        return added

    def replace_merged(self, key: str, merged: set[str], again: Event) -> None:
        """A repeated key; after a merge it is allowed."""
        if key not in merged:
            self.refuse_repeated(key, again)
        merged.discard(key)

    def refuse_repeated(self, key: str, again: Event) -> NoReturn:
        at = again[4]
        nodes = from_events(
            self.text,
            lambda events: nodes_of(self.text, takewhile(lambda event: event[4] <= at, events)),
        )
        first = Layout(self.text, nodes).first_of_last()
        message = f"duplicate key {key!r} (first defined {self._position(first, at)})"
        self.refuse(Reason.DUPLICATE_KEY, message, again, hint=self._mend(key, at))

    def _mend(self, key: str, at: int) -> str:
        """How to fix a repeated key; at the root another document may begin there."""
        is_root = at == 0 or self.text[at - 1] == "\n"
        if glued := _GLUED.search(self.text, 0, at) if is_root else None:
            return (
                f"put a line break after --- on line {self._line(glued.start())}: it is taken for a part of the key"
            )
        if is_root and key in _FIRST_KEYS:
            return f"write --- above line {self._line(at)}, if another document begins there; else remove one"
        return "remove one"

    def _line(self, at: int) -> int:
        return (place_at(self.text, at).line or 1) + self.first_line - 1

    def _position(self, at: int, seen_from: int) -> str:
        """The line of a character in the file, or its column if that is the same line."""
        place, other = place_at(self.text, at), place_at(self.text, seen_from)
        if place.line == other.line:
            return f"at column {place.column}"
        return f"on line {self._line(at)}"

    def refuse(self, reason: Reason, message: str, event: Event, *, hint: str = "") -> NoReturn:
        raise error_at(reason, message, self.text, event[4], hint=hint)


_FIRST_KEYS = ("apiVersion", "kind")
_GLUED = lazy_pattern(r"^---(?=[\"']?(?:apiVersion|kind|metadata|spec)\b)", re.MULTILINE)


class _Comparing(_Reader):
    """Reads a text that should have a known value, and reuses the equal parts of that value."""

    like: Value = None  # at the place that is read

    def node(self, event: Event, depth: int) -> Value:
        like = self.like
        kind, text, anchor, tag, _, _ = event
        if text and text == like and (anchor or tag) is None and (kind != PLAIN or text[0] not in MAY_BE_TYPED):
            return like
        value = super().node(event, depth)
        return like if identical(value, like) else value

    def mapping(self, depth: int) -> Object:
        members: Object = {}
        merged: set[str] = set()
        like = self.like if isinstance(self.like, dict) else {}
        names = iter(like)
        for key_event in self.rest:
            if key_event[0] == MAPPING_END:
                break
            key = self.key(key_event)
            if key is None:
                merged |= self.merge(members, key_event, depth)
                continue
            self.like = like.get(key)
            content = self.node(self.take(), depth)
            if key in members:
                self.replace_merged(key, merged, key_event)
            name = next(names, None)  # mostly in the same order
            members[name if name == key else key] = content
        return members

    def sequence(self, depth: int) -> list[Value]:
        items: list[Value] = []
        like = self.like if isinstance(self.like, list) else []
        for event in self.rest:
            if event[0] == SEQUENCE_END:
                break
            self.like = like[len(items)] if len(items) < len(like) else None
            items.append(self.node(event, depth))
        return items
