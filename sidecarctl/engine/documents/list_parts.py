"""Cuts a list of very many objects into parts of some items each, to work on one part at a time.

Between a head that names the list's kind and a tail, a part is a document with only these items. Together the parts
are exactly the text of the list.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.events import event_count
from sidecarctl.engine.documents.reading.json_text import skip_blanks
from sidecarctl.engine.documents.reading.streams import Chunk
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value

_PART = 1 << 15
"""The approximate size of a part in characters: small enough to save memory, large enough to be worthwhile."""

_ITEMS = lazy_pattern(r"(?m)^items:[ \t]*\n")
_DASH = lazy_pattern("^( *)-(?= )", re.MULTILINE)
_NO_ITEM = lazy_pattern(r"^(?=[^\s#-])", re.MULTILINE)
_NAME = lazy_pattern(r"(?m)(?:^|[\s,\[{])[&*][^\s&*]")
"""Text that may be an anchor or alias, and so may refer to another part."""


class ListPart(NamedTuple):
    """Some items of a list.

    - `text`: their text. `line`, `column`: where it begins in the file.
    - `before`, `after`: text of the file around them, which belongs to no item.
    - `lead`, `trail`: text that makes a list of them, for reading; no text of the file.
    - `first`: the place of the first of them in the whole list.
    """

    text: str
    line: int
    column: int
    before: str
    after: str
    lead: str
    trail: str
    first: int

    @property
    def data(self) -> bytes:
        """The bytes of the file that the part covers."""
        return self.whole(self.text).encode()

    @property
    def document(self) -> str:
        """The part as the text of a list with only these items."""
        return self.lead + self.text + self.trail

    def whole(self, text: str) -> str:
        """The text of the file with these items replaced."""
        return self.before + text + self.after


class _Cut(NamedTuple):
    """Where the items of a part are in the text, and the place of the first in the list."""

    start: int
    end: int
    first: int


class _Plan(NamedTuple):
    """A whole list: how it is cut, and what is put around each part."""

    cuts: list[_Cut]
    lead: str
    trail: str


def list_parts(chunk: Chunk, reader: Reader) -> Iterator[ListPart] | None:
    """The parts of a document that is a list of several items; None for one that has to be read as a whole."""
    try:
        text = chunk.data.decode()
        plan = _json_plan(text) if text.lstrip()[:1] == "{" else _yaml_plan(text, reader)
    except (ValueError, IndexError, RecursionError, InputError):
        return None
    return _parts(text, chunk.line, plan) if plan and len(plan.cuts) > 1 else None


def _parts(text: str, line: int, plan: _Plan) -> Iterator[ListPart]:
    done = 0
    for number, (start, end, first) in enumerate(plan.cuts, 1):
        line += text.count("\n", done, start)
        column = start - text.rfind("\n", 0, start)
        after = text[end:] if number == len(plan.cuts) else ""
        yield ListPart(text[start:end], line, column, text[done:start], after, plan.lead, plan.trail, first)
        line += text.count("\n", start, end)
        done = end


def _yaml_plan(text: str, reader: Reader) -> _Plan | None:
    """The items are below `items:` at the margin, each with its dash at the same indentation."""
    begins = [found.span() for found in _ITEMS.finditer(text)]
    if len(begins) != 1 or "\r" in text or _NAME.search(text):
        return None
    [(key, start)] = begins
    below = _NO_ITEM.search(text, start)
    end = below.start() if below else len(text)
    dash = _DASH.search(text, start, end)
    around = _value(f"{text[:key]}items: []\n{text[end:]}", reader)
    if dash is None or not _is_list(around):
        return None
    items = [found.start() for found in _DASH.finditer(text, start, end) if found[1] == dash[1]]
    cuts = list(_cuts([start, *items[1:]], [*items[1:], end]))
    lead = f"apiVersion: {json.dumps(around.get('apiVersion'))}\nkind: {json.dumps(around['kind'])}\nitems:\n"
    is_exact = all(event_count(lead + text[cut.start : cut.end]) > 0 for cut in cuts)
    return _Plan(cuts, lead, "") if is_exact else None


def _value(text: str, reader: Reader) -> Value:
    [document] = reader.documents_of(text)
    return document.value


def _is_list(value: Value) -> bool:
    return isinstance(value, dict) and str(value.get("kind")).endswith("List") and value.get("items") == []


def _json_plan(text: str) -> _Plan | None:
    """One object with `items`, and nothing behind it; each key once."""
    around: Object = {}
    starts: list[int] = []
    ends: list[int] = []
    at = _past(text, 0, "{")
    while True:
        key, at = _SCAN(text, skip_blanks(text, at))
        at = skip_blanks(text, _past(text, at, ":"))
        if not isinstance(key, str) or key in around:
            return None
        if key == "items" and text[at] == "[":
            around[key] = []
            at = _items(text, at + 1, starts, ends)
        else:
            around[key], at = _SCAN(text, at)
        if text[skip_blanks(text, at)] == "}":
            break
        at = _past(text, at, ",")
    if skip_blanks(text, _past(text, at, "}")) < len(text) or not _is_list(around):
        return None
    head = json.dumps({"apiVersion": around.get("apiVersion"), "kind": around["kind"]})
    return _Plan(list(_cuts(starts, ends)), f'{head[:-1]}, "items": [', "]}")


def _items(text: str, at: int, starts: list[int], ends: list[int]) -> int:
    """Note where each item begins, with the blanks before it, and ends; the place behind the list."""
    while True:
        starts.append(at)
        _, at = _SCAN(text, skip_blanks(text, at))
        ends.append(at)
        if text[skip_blanks(text, at)] == "]":
            return _past(text, at, "]")
        at = _past(text, at, ",")


def _past(text: str, at: int, character: str) -> int:
    """The place behind a character that comes next; ValueError for another."""
    at = skip_blanks(text, at)
    if text[at] != character:
        raise ValueError(text[at])
    return at + 1


def _refuse(word: str) -> Value:
    raise ValueError(word)  # NaN and Infinity are not JSON


_SCAN = json.JSONDecoder(parse_constant=_refuse).raw_decode


def _cuts(starts: Iterable[int], ends: Iterable[int]) -> Iterator[_Cut]:
    """Items that follow each other, together up to the size of a part."""
    held: _Cut | None = None
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if held and end - held.start <= _PART:
            held = held._replace(end=end)
            continue
        if held:
            yield held
        held = _Cut(start, end, place)
    if held:
        yield held
