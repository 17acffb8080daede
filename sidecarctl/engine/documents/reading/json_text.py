"""JSON read by a JSON parser, far faster than as YAML.

Where its values begin is found by skipping values, many times faster than by reading all of them.
"""

import json
from bisect import bisect
from collections.abc import Iterator, MutableSequence, Sequence
from functools import cached_property, lru_cache, partial

from sidecarctl.engine.documents.reading.layout import Layout
from sidecarctl.engine.documents.reading.nodes import DOUBLE, PLAIN, Nodes
from sidecarctl.engine.documents.reading.scalars import float_value
from sidecarctl.engine.documents.reading.text_lines import line_starts
from sidecarctl.engine.facts.findings import Place
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path, Value

_BLANKS = lazy_pattern(r"[ \t\n\r]*")
JSON_BREAK = lazy_pattern("\r\n|[\n\r]")
"""What ends a line of JSON."""

_SURROGATE = lazy_pattern(r"\\u[dD][89a-fA-F]")


def read_json(text: str, depth: int) -> list[tuple[str, Value]] | None:
    """The JSON values that a text consists of, each with its text and the blanks around; None if that is not JSON.

    Such a text, and one that is nested more than `depth` levels deep, is left to the YAML reader, which says
    what is wrong with it, and where.
    """
    values: list[tuple[str, Value]] = []
    start, at = 0, skip_blanks(text, 0)
    try:
        while at < len(text):
            value, end = json_value(text, at)
            at = skip_blanks(text, end)
            values.append((text[start : end if at < len(text) else at], value))
            start = end
    except (ValueError, RecursionError):
        return None
    return None if any(exceeds_depth(*each, depth) for each in values) else values


def exceeds_depth(text: str, value: Value, depth: int) -> bool:
    """Whether a value, of this text, is nested more than `depth` levels deep."""
    return text.count("{") + text.count("[") > depth and _is_deeper(value, depth)


# Strings are matched too, so that what is in them is skipped.
_COMMENT = lazy_pattern(r"\"(?:[^\"\\\n]++|\\.)*+\"|'[^'\n]*+'|(?P<hash>#[^\n]*+)|(?<=[\s,{\[\]}])(?P<slash>//|/\*)")


def json_comment(text: str, depth: int) -> int | None:
    """Where JSON has its first comment; kubectl refuses both kinds, and YAML takes `//` for a part of a key.

    None for JSON without comments, and for anything but JSON. In flow style of YAML comments of `#` are allowed.
    """
    found = next((found for found in _COMMENT.finditer(text) if found.lastgroup), None)
    if found is None or text.lstrip()[1:].lstrip()[:1] not in {'"', "/", "#"}:
        return None
    bare = _COMMENT.sub(lambda found: "" if found["hash"] else found[0], text)
    is_refused = found.lastgroup == "slash" or read_json(bare, depth) is not None
    return found.start(found.lastindex or 0) if is_refused else None


class RefusedJsonError(ValueError):
    """JSON that Kubernetes rejects, or reads in a way that nobody intends."""


def json_value(text: str, at: int) -> tuple[Value, int]:
    """The JSON value that begins at a position, and where it ends; ValueError if there is none, or it is cut off.

    Raises RefusedJsonError for repeated keys, halves of surrogate pairs, and numbers that no JSON can hold.
    """
    value, end = _DECODER.raw_decode(text, at)
    if _SURROGATE.search(text, at, end):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise RefusedJsonError("half of a surrogate pair") from None
    return value, end


def _is_deeper(value: Value, depth: int) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(depth):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if outer.__class__ is dict else outer)
            if inner.__class__ is dict or inner.__class__ is list
        ]
        if not level:
            return False
    return True


def skip_blanks(text: str, at: int) -> int:
    """Where the blanks after a position end."""
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def _without_repeated_keys(pairs: list[tuple[str, Value]]) -> Object:
    members = dict(pairs)
    if len(members) != len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise RefusedJsonError(f"duplicate key {repeated!r}")
    return members


def _number(text: str) -> int | float:
    number = float_value(text)
    if number is None:
        raise RefusedJsonError(f"{text} is not a number that Kubernetes accepts")
    return number


def _refuse_constant(word: str) -> Value:
    raise RefusedJsonError(f"{word} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_without_repeated_keys, parse_float=_number, parse_constant=_refuse_constant
)


_TOKEN = lazy_pattern(
    r'[{}\[\]]|"(?:[^"\\]++|\\.)*+"|[^\s,:{}\[\]"]++'
)  # matched only once: trying again would need a stack


def note_json_scalars(text: str, places: MutableSequence[int]) -> None:
    """Note where the scalars of a valid JSON text begin."""
    places.extend(token.start() for token in _TOKEN.finditer(text) if text[token.start()] not in "{}[]")


def json_nodes(text: str) -> Nodes:
    """The nodes of a valid JSON text, the same as if it was read as YAML."""
    nodes = Nodes()
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        letter = text[start]
        if letter == '"':
            index = nodes.add(DOUBLE, start, end)
            if text.find("\\", start, end) >= 0:
                nodes.noted.add(index, json.loads(token[0]))
        else:
            nodes.add(ord(letter) if letter in "{}[]" else PLAIN, start, end)
    return nodes


def json_layout(text: str) -> Layout:
    """The layout of a valid JSON text."""
    return Layout(text, json_nodes(text), JSON_BREAK)


_SKIP = json.JSONDecoder().raw_decode
_REMEMBERED = 64
"""Collections whose children are remembered: those around the items of a list, and some of the last item."""


class JsonPlaces:
    """Positions in a valid JSON text, looked up on first use."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._children = lru_cache(maxsize=_REMEMBERED)(partial(_Children, text))

    def place(self, path: Path) -> Place:
        """Line and column of the value at a path, or of the nearest value around it; the file is left empty."""
        at = skip_blanks(self._text, 0)
        for step in path:
            child = self._children(at).start(step)
            if child is None:
                break
            at = child
        line = bisect(self._lines, at)
        return Place("", line, at - self._lines[line - 1] + 1)

    @cached_property
    def _lines(self) -> Sequence[int]:
        return line_starts(self._text, JSON_BREAK)


class _Children:
    """Where the members of a mapping, or the items of a list, begin: scanned only as far as needed."""

    def __init__(self, text: str, at: int) -> None:
        self._found: dict[str | int, int] = {}
        self._left = _children(text, at)

    def start(self, step: str | int) -> int | None:
        """Where one of them begins; None if there is none."""
        while step not in self._found:
            child = next(self._left, None)
            if child is None:
                return None
            self._found[child[0]] = child[1]
        return self._found[step]


def _children(text: str, at: int) -> Iterator[tuple[str | int, int]]:
    if text[at] == "{":
        return _members(text, skip_blanks(text, at + 1))
    if text[at] == "[":
        return enumerate(_items(text, skip_blanks(text, at + 1)))
    return iter(())


def _members(text: str, at: int) -> Iterator[tuple[str | int, int]]:
    while text[at] != "}":
        key, end = _SKIP(text, at)
        at = skip_blanks(text, skip_blanks(text, end) + 1)  # the colon
        yield key, at
        at = _after(text, at)


def _items(text: str, at: int) -> Iterator[int]:
    while text[at] != "]":
        yield at
        at = _after(text, at)


def _after(text: str, at: int) -> int:
    """Where the next value or key begins, or what is around them ends."""
    at = skip_blanks(text, _SKIP(text, at)[1])
    return skip_blanks(text, at + 1) if text[at] == "," else at
