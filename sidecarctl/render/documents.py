"""Documents as text: JSON that is readable and fast to write, and YAML."""

import json
from collections.abc import Callable, Iterator
from typing import TypeVar

from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.report import Report
from sidecarctl.render.output import Page

Facts = TypeVar("Facts")

ALL_LEVELS = 1000
"""Indented levels of a document in which every value has its own line."""

LARGE = 6
"""Indented levels of a document; its objects, which may be many, take one line each."""


def as_json(
    data: Callable[[Report[Facts]], Object], levels: int = ALL_LEVELS
) -> Callable[[Report[Facts], Page], Iterator[str]]:
    """The function that writes a report as JSON, given the function that builds its data."""
    return lambda report, _page: laid_out(data(report), levels)


def as_yaml(data: Callable[[Report[Facts]], Object]) -> Callable[[Report[Facts], Page], Iterator[str]]:
    """The function that writes a report as YAML, given the function that builds its data."""
    return lambda report, _page: yaml_parts(data(report))


def json_text(document: Value) -> str:
    """A document as JSON."""
    return "".join(laid_out(document, ALL_LEVELS))


def yaml_parts(document: Object) -> Iterator[str]:
    """A document as YAML, in parts; an iterator may replace a list at its top."""
    from sidecarctl.engine.documents.writing import block_text  # few runs write YAML

    for key, member in document.items():
        if not isinstance(member, Iterator):
            yield block_text({key: drawn(member)})
            continue
        head = f"{key}:\n"
        for item in member:
            yield head + block_text([item])
            head = ""
        if head:
            yield block_text({key: []})


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
    elif isinstance(value, list | tuple | Iterator):
        yield from _items(iter(value), depth, line)
    else:
        yield _ENCODE(value)  # a member of an enum


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
