"""Parser events to plain values, as Kubernetes would decode the same text.

Merge keys and aliases are resolved (in document order: what stands later wins), keys become text, a repeated
key is an error. Values that aliases share are one and the same object.
"""

import math
from collections.abc import Callable
from itertools import islice
from typing import NoReturn

from sidecarctl.documents.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
)
from sidecarctl.documents.layout import MERGE_KEY, ROOT, Layout
from sidecarctl.documents.limits import Limits
from sidecarctl.documents.problems import place_at, problem
from sidecarctl.documents.scalars import MAY_BE_TYPED, key_text, plain_value, tagged_value
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value

_UNFINISHED = object()


def read_value(text: str, events: list[Event], limits: Limits) -> Value:
    """The value of a document; None for one without content.

    Raises InputError with line and column within the text.
    """
    if events[1].__class__ is not DocumentStartEvent:
        return None
    return _Reader(text, events, limits).read()


class _Reader:
    """One pass over the events; `anchors` holds what aliases stand for and how many values that is."""

    def __init__(self, text: str, events: list[Event], limits: Limits) -> None:
        self.text = text
        self.events = events
        self.depth = limits.depth
        self.allowance = limits.aliased
        self.anchors: dict[str, Value] = {}
        self.sizes: dict[int, int] = {}

    def read(self) -> Value:
        self.next: Callable[[], Event] = islice(self.events, ROOT, None).__next__
        return self.node(self.next(), self.depth)

    def node(self, event: Event, depth: int) -> Value:
        if event.__class__ is AliasEvent:
            return self.alias(event)
        if event.anchor is None:
            return self.content(event, depth)
        self.anchors[event.anchor] = _UNFINISHED
        value = self.anchors[event.anchor] = self.content(event, depth)
        return value

    def content(self, event: Event, depth: int) -> Value:
        if event.__class__ is ScalarEvent:
            return self.scalar(event)
        if depth == 0:
            self.refuse(Reason.TOO_DEEP, f"nested more than {self.depth} levels deep", event)
        if event.__class__ is MappingStartEvent:
            return self.mapping(event, depth - 1)
        return self.sequence(depth - 1)

    def sequence(self, depth: int) -> list[Value]:
        items = []
        take = self.next
        while (event := take()).__class__ is not SequenceEndEvent:
            items.append(self.node(event, depth))
        return items

    def mapping(self, start: Event, depth: int) -> Object:
        members: Object = {}
        merged: set[str] = set()
        take = self.next
        while True:
            event = take()
            if event.__class__ is MappingEndEvent:
                return members
            if event.__class__ is not ScalarEvent:
                self.refuse_key(event)
            key = event.value
            if key[:1] in MAY_BE_TYPED or event.anchor or event.ctag:
                key = self.key(event)
            elif key == MERGE_KEY and not event.style:
                merged |= self.merge(members, self.node(take(), depth), event)
                continue
            # This is the hot path: plain and quoted scalars, which are most of what a manifest holds.
            value = take()
            if value.__class__ is ScalarEvent and value.anchor is None and value.ctag is None:
                content = value.value
                if not value.style and content[:1] in MAY_BE_TYPED:
                    content = self.scalar(value)
            else:
                content = self.node(value, depth)
            if key in members:
                if key not in merged:
                    self.refuse_repeated(start, key, event)
                merged.discard(key)
            members[key] = content

    def scalar(self, event: Event) -> Value:
        try:
            if event.ctag is not None:
                value = tagged_value(str(event.ctag), event.value, plain=not event.style)
            elif event.style:
                return event.value
            else:
                value = plain_value(event.value)
        except ValueError:
            self.refuse(Reason.SYNTAX, f"{event.value!r} does not fit its tag {event.ctag}", event)
        if isinstance(value, float) and not math.isfinite(value):
            self.refuse(Reason.SYNTAX, f"{event.value} is no number that Kubernetes can hold", event)
        return value

    def key(self, event: Event) -> str:
        key = key_text(self.node(event, 0))
        if key is None:
            self.refuse(Reason.SYNTAX, "a key must be a string, not null", event, hint="quote the key")
        return key

    def alias(self, event: Event) -> Value:
        value = self.anchors.get(event.anchor, self)
        if value is self:
            self.refuse(Reason.SYNTAX, f"there is no anchor &{event.anchor} before this alias", event)
        if value is _UNFINISHED:
            self.refuse(Reason.SYNTAX, f"the alias *{event.anchor} stands inside its own anchor", event)
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

    def merge(self, members: Object, merged: Value, event: Event) -> set[str]:
        """Merge into the members what stands behind `<<`; the keys that only came by it."""
        sources = list(reversed(merged)) if isinstance(merged, list) else [merged]
        added: set[str] = set()
        for source in sources:
            if not isinstance(source, dict):
                self.refuse(Reason.SYNTAX, "a merge key takes a mapping or a list of mappings", event)
            added |= source.keys() - members.keys()
            members.update(source)
        return added

    def refuse_repeated(self, start: Event, key: str, again: Event) -> NoReturn:
        layout = Layout(self.text, self.events)
        owners = (member.key for member in layout.pairs(self.events.index(start)) if layout.key(member) == key)
        first = place_at(self.text, self.events[next(owners)].start_mark.index)
        self.refuse(
            Reason.DUPLICATE_KEY,
            f"the key {key!r} stands here again; the first is in line {first.line}, column {first.column}",
            again,
            hint="remove one of them",
        )

    def refuse_key(self, event: Event) -> NoReturn:
        if "{{" in self.text:
            self.refuse(
                Reason.HELM_TEMPLATE,
                "a Helm template is not YAML yet",
                event,
                hint="render it first, with `helm template`",
            )
        self.refuse(Reason.SYNTAX, "a key must be a string, not a list, a mapping or an alias", event)

    def refuse(self, reason: Reason, message: str, event: Event, *, hint: str = "") -> NoReturn:
        raise problem(reason, message, self.text, event.start_mark.index, hint=hint)
