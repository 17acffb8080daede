"""What a line of plain block style says by itself: one pattern for the lines that people and kubectl write.

Any other line, right or wrong, is left to the parser, so that errors keep their words and places.
"""

import re

from sidecarctl.documents.reading.events import AliasEvent, Event, Parser, ScalarEvent, from_events
from sidecarctl.documents.reading.limits import Limits
from sidecarctl.documents.reading.scalars import MAY_BE_TYPED, plain_key, plain_value
from sidecarctl.documents.reading.values import read_value
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.values import Value

LONGEST = 1000
"""Characters of a line. The parser takes keys of up to 1024; and what is remembered has to be bounded."""
FLOW_DEPTH = 10
"""Levels of nesting that a flow collection within a line may have."""

SCALAR, OPEN, BLOCK, FLOW = range(4)
"""Kinds of lines: a scalar, a value in further lines (or null), `|` or `>`, `[...]` or `{...}`."""
EMPTY, CONTENT = -1, -2
"""In place of an indent: a blank line or comment, a line inside a literal or folded scalar."""

# What a plain scalar may begin with, and go on with: less than YAML allows.
_FIRST = r"(?:[A-Za-z0-9_./$^(+;<=\\~\xa1-\U0010ffff]|--?(?=[A-Za-z0-9_./$=]))"
_PLAIN = rf"{_FIRST}(?:[^ :\#]++|:(?=[^ ])|(?<=[^ ])\#|\ +(?=[^ \#]))*"
# Keys of managed fields have colons, quotes and braces in them.
_KEY = r"[A-Za-z0-9_./](?:[^\ :\#]++|:(?=[^\ :\#]))*"
_LINE = lazy_pattern(
    rf"""
    (-\ +|-(?=\Z))?
    (?:({_KEY}|"[^"\\]*"|'[^']*'):(?=\ |\Z))?
    \ *
    (?:"([^"\\]*)"|'([^']*)'|({_PLAIN})|([|>]-?)|(["'\[{{].*))?
    (?:\ *|\ *(?:(?<=\ )|(?<![^\n]))\#.*)\Z""",
    re.VERBOSE | re.ASCII,
)
_MARKER = lazy_pattern(r"---(?: +#.*| *)\Z")
_UNUSUAL = lazy_pattern(
    "[^ -~\xa0-\u2027\u202a-\ud7ff\ue000-\uf8f7\uf8f9-\ufdcf\ufdf0-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


class Line(NamedTuple):
    """What a line says alone.

    - `indent`: the blanks that it begins with, or EMPTY or CONTENT.
    - `column`: the characters before its key or scalar, which may come after a dash.
    - `value`: of a line of kind BLOCK, the header (`|-`).
    - `shape`: a number for all that the structure of a document depends on, given by the table of lines.
    - `form`: a number for the shape together with the key.
    """

    indent: int
    dash: bool
    column: int
    key: str | None
    kind: int
    value: Value
    shape: int = 0
    form: int = 0


NOTHING = Line(EMPTY, False, -1, None, SCALAR, None)  # noqa: FBT003 - as in the fields' order
MARKER = NOTHING._replace(shape=-1, form=-1)
"""The `---` that a document begins with."""


class KnownLine(NamedTuple):
    """What a line says when it is not indented, and all that its shape consists of."""

    line: Line
    shape: tuple[object, ...]


def said_by(text: str, parser: Parser) -> KnownLine | None:
    """What a line says without its indentation; None for one that is not read by lines."""
    found = _LINE.match(text) if len(text) <= LONGEST and is_usual(text) else None
    if not found:
        return None
    dash, key, double, single, plain, header, other = found.groups()
    value: Value = None
    kind, detail = SCALAR, ""
    try:
        if plain is not None:
            value = plain_value(plain) if plain[0] in MAY_BE_TYPED else plain
        elif double is not None or single is not None:
            value, detail = single if double is None else double, "quoted"
        elif other is not None:
            value, kind = parsed(other, parser)
            detail = "quoted" if kind == SCALAR else other
        elif header is not None:
            value, kind, detail = header, BLOCK, header
        elif dash is None and key is None:
            return KnownLine(NOTHING, (EMPTY,))
        else:
            kind = OPEN
        name = _key(key)
    except ValueError:
        return None
    if dash is None and name is None:
        return None  # a scalar alone goes on in the next line, or is a document
    line = Line(0, dash is not None, len(dash or ""), name, kind, value)
    return KnownLine(line, (line.dash, line.column, key and key[0] in "\"'", kind, detail))


def is_marker(text: str) -> bool:
    """Whether a line is `---` alone, perhaps with a comment."""
    return len(text) <= LONGEST and is_usual(text) and bool(_MARKER.match(text))


def value_column(text: str) -> int:
    """The characters before the value in a line."""
    stripped = text.lstrip(" ")
    found = _LINE.match(stripped)
    if not found:
        return 0
    quoted = found.start(3) if found[3] is not None else found.start(4)
    column = max(quoted - 1, *map(found.start, (5, 6, 7)))
    return len(text) - len(stripped) + column


def is_usual(text: str) -> bool:
    """Whether no character ends a line for some reader, is refused by one, or looks like another."""
    return text.isprintable() if text.isascii() else not _UNUSUAL.search(text)


def _key(text: str | None) -> str | None:
    if text is None:
        return None
    if text[0] in "\"'":
        return text[1:-1]
    if text[0] not in MAY_BE_TYPED:
        return text
    key = plain_key(text)
    if key is None:
        raise ValueError(text)
    return key


def parsed(text: str, parser: Parser) -> tuple[Value, int]:
    """The value of a flow collection or a quoted scalar that fills the rest of a line, by the parser; and its kind.

    ValueError for anything else.
    """

    def read(events: list[Event]) -> Value:
        if not all(map(_is_bare, events)):
            raise ValueError(text)
        return read_value(text, events, Limits(depth=FLOW_DEPTH))

    try:
        events = from_events(text, parser, list)
        root = events[2]
        if not (root.style if type(root) is ScalarEvent else root.flow_style):
            raise ValueError(text)
        return read(events), SCALAR if type(root) is ScalarEvent else FLOW
    except InputError as fault:
        raise ValueError(text) from fault


def _is_bare(event: Event) -> bool:
    """Whether an event has neither anchor nor tag, and is no alias."""
    has_name = getattr(event, "anchor", None) is not None or getattr(event, "ctag", None) is not None
    return type(event) is not AliasEvent and not has_name
