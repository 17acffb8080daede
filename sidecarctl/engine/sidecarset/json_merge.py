"""The JSON merge of two values of an annotation: nearly RFC 7386, but it keeps the spelling of values.

Source: docs/behavior/injection.md, "Pod metadata first".
"""

import json
from collections.abc import Iterator
from typing import NamedTuple, Self

from sidecarctl.engine.api.canonical import escaped
from sidecarctl.engine.facts.start_up import lazy_pattern

MAX_DEPTH = 200
_TOKEN = lazy_pattern(
    r"[ \t\r\n]*+(?:"
    r'("(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+")'
    r"|([{}\[\],:]|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null)"
    r")[ \t\r\n]*+"
)
_LONE_SURROGATE = lazy_pattern("[\ud800-\udfff]")


class SpelledJson(NamedTuple):
    """One value: its compact text, and its parts where it is an object or a list."""

    text: str
    members: "dict[str, SpelledJson] | None" = None
    items: "list[SpelledJson] | None" = None

    @property
    def is_null(self) -> bool:
        """Whether it is `null`."""
        return self.text == "null"

    @classmethod
    def of_members(cls, members: "dict[str, SpelledJson]") -> Self:
        """The object as JSON text, with sorted and unescaped keys."""
        parts = (f"{json.dumps(key, ensure_ascii=False)}:{members[key].text}" for key in sorted(members))
        return cls("{" + ",".join(parts) + "}", members)

    @classmethod
    def of_items(cls, items: "list[SpelledJson]") -> Self:
        """A list of these items."""
        return cls("[" + ",".join(item.text for item in items) + "]", None, items)


def parse(text: str) -> SpelledJson:
    """The value that a text holds; of repeated keys the last counts. ValueError if it is not JSON."""
    tokens = _tokens(text)
    value = _value(next(tokens), tokens, 0)
    if symbol := next(tokens):
        raise ValueError(f"unexpected {symbol} after the value")
    return value


def _tokens(text: str) -> Iterator[str]:
    """The tokens of a text; empty ones forever after its end."""
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            break
        yield found[1] or found[2]
        position = found.end()
    if text[position:].strip(" \t\r\n"):
        raise ValueError(f"invalid JSON at character {position + 1}")
    while True:
        yield ""


def _value(symbol: str, tokens: Iterator[str], depth: int) -> SpelledJson:
    if depth > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    if symbol == "{":
        return _object(tokens, depth + 1)
    if symbol == "[":
        return _list(tokens, depth + 1)
    if symbol in ("", "}", "]", ",", ":"):
        raise ValueError(f"unexpected {symbol or 'end'}")
    return SpelledJson(symbol)


def _object(tokens: Iterator[str], depth: int) -> SpelledJson:
    members: dict[str, SpelledJson] = {}
    parts: list[str] = []
    symbol = next(tokens)
    while symbol != "}" or parts:
        if not symbol.startswith('"') or next(tokens) != ":":
            raise ValueError("expected a key and a colon")
        members[_key(symbol)] = value = _value(next(tokens), tokens, depth)
        parts.append(f"{symbol}:{value.text}")
        if _ends(next(tokens), "}"):
            break
        symbol = next(tokens)
    return SpelledJson("{" + ",".join(parts) + "}", members)


def _list(tokens: Iterator[str], depth: int) -> SpelledJson:
    items: list[SpelledJson] = []
    symbol = next(tokens)
    while symbol != "]" or items:
        items.append(_value(symbol, tokens, depth))
        if _ends(next(tokens), "]"):
            break
        symbol = next(tokens)
    return SpelledJson.of_items(items)


def _ends(symbol: str, end: str) -> bool:
    if symbol not in (",", end):
        raise ValueError(f"expected , or {end} instead of {symbol or 'the end'}")
    return symbol == end


def _key(symbol: str) -> str:
    """The key's text; half a surrogate pair becomes U+FFFD, as in Go."""
    return _LONE_SURROGATE.sub("\ufffd", json.loads(symbol))


def merge(value: str, patch: str) -> str:
    """The text of `value` with `patch` merged into it; ValueError, with the reason, if it cannot be merged."""
    origin, change = _parsed(value, "the pod's value"), _parsed(patch, "the patch")
    return escaped(_merged_whole(origin, change).text)


def _parsed(text: str, whose: str) -> SpelledJson:
    try:
        parsed = parse(text)
    except ValueError as problem:
        raise ValueError(f"{whose} is not JSON: {problem}") from problem
    if parsed.is_null:
        raise ValueError(f"{whose} is null")
    return parsed


def _merged_whole(origin: SpelledJson, change: SpelledJson) -> SpelledJson:
    if change.members is None and change.items is None:
        raise ValueError("the patch is neither an object nor a list")
    if change.members is None or origin.members is None:
        return _pruned(change)
    return _merged(origin, change)


def _merged(origin: SpelledJson, change: SpelledJson) -> SpelledJson:
    """A change that meets a value: only two objects merge, and only an object keeps nulls out of a list."""
    if origin.members is None:
        return _pruned(change)
    if change.members is None:
        return change
    members = dict(origin.members)
    for key, value in change.members.items():
        present = members.get(key)
        if value.is_null:
            members.pop(key, None)
        elif present is None or present.is_null:
            members[key] = _pruned(value)
        else:
            members[key] = _merged(present, value)
    return SpelledJson.of_members(members)


def _pruned(value: SpelledJson) -> SpelledJson:
    """The value without null members at any depth; null items of lists stay."""
    if value.members is not None:
        kept = {key: _pruned(member) for key, member in value.members.items() if not member.is_null}
        return SpelledJson.of_members(kept)
    if value.items is not None:
        return SpelledJson.of_items([_pruned(item) for item in value.items])
    return value
