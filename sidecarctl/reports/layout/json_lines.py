"""Readable JSON that is fast to write: indented at the top, one line for each of very many objects."""

import json
from collections.abc import Iterator

from sidecarctl.facts.values import Value


def laid_out(value: Value, depth: int) -> Iterator[str]:
    """The parts of the text: values deeper than `depth` levels are on one line; ends with a line break.

    An iterator in place of a list is consumed while its items are written, so that very many items are never in
    memory together; it must not be deeper. A function in place of a text is called when it is written.
    Python's own indented output is many times slower than its compact output.
    """
    yield from _parts(value, depth, "\n")
    yield "\n"


def drawn(value: Value) -> Value:
    """The value with iterators replaced by lists, and functions by texts."""
    if callable(value):
        return value()
    if isinstance(value, dict):
        return {key: drawn(member) for key, member in value.items()}
    return [drawn(item) for item in value] if isinstance(value, list | Iterator) else value


def _parts(value: Value, depth: int, line: str) -> Iterator[str]:
    if callable(value):
        yield _ENCODE(value())
    elif not value or not depth or value.__class__ in _SCALARS:
        yield _ENCODE(value)
    elif isinstance(value, dict):
        yield from _members(value, depth, line)
    else:
        yield from _items(iter(value), depth, line)


def _members(value: dict[str, Value], depth: int, line: str) -> Iterator[str]:
    inner, joint = line + "  ", "{"
    for key, member in value.items():
        if depth == 1 or member.__class__ in _SCALARS:  # by far the most: no generator for each of them
            yield f"{joint}{inner}{_ENCODE(key)}: {_ENCODE(member)}"
        else:
            yield f"{joint}{inner}{_ENCODE(key)}: "
            yield from _parts(member, depth - 1, inner)
        joint = ","
    yield line + "}"


def _items(items: Iterator[Value], depth: int, line: str) -> Iterator[str]:
    inner, joint = line + "  ", "["
    for item in items:
        if depth == 1:
            yield f"{joint}{inner}{_ENCODE(item)}"
        else:
            yield joint + inner
            yield from _parts(item, depth - 1, inner)
        joint = ","
    yield "[]" if joint == "[" else line + "]"


_SCALARS = frozenset((str, int, float, bool, type(None)))
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
