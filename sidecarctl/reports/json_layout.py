"""JSON that people can read and that is written quickly: indented outside, a line for each of very many objects."""

import json
from collections.abc import Iterator

from sidecarctl.facts.values import Value


def laid_out(value: Value, depth: int) -> Iterator[str]:
    """The parts of the text: what lies deeper than `depth` levels stands on one line; ends with a line break.

    Python's own indentation is many times slower than what it writes without.
    """
    yield from _parts(value, depth, "\n")
    yield "\n"


def _parts(value: Value, depth: int, line: str) -> Iterator[str]:
    if not value or not depth or not isinstance(value, dict | list):
        yield _ENCODE(value)
        return
    inner = line + "  "
    begin, end = "{}" if isinstance(value, dict) else "[]"
    members = value.items() if isinstance(value, dict) else (("", item) for item in value)
    joint = begin
    for key, member in members:
        yield joint + inner + (f"{_ENCODE(key)}: " if begin == "{" else "")
        yield from _parts(member, depth - 1, inner)
        joint = ","
    yield line + end


_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
