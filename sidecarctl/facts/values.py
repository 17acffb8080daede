"""The plain data that a manifest holds, and where a value sits in it."""

from typing import Any, TypeAlias

from sidecarctl.facts.start_up import lazy_pattern

Value: TypeAlias = Any
"""A JSON value: dict, list, str, int, float, bool or None. Foreign data; it is checked where it is used."""

Object: TypeAlias = dict[str, Value]
"""A JSON object: a manifest or a branch of one. Never changed in place; only changed branches are copied."""

Path: TypeAlias = tuple[str | int, ...]
"""Keys and list indices from the object's root; `()` is the root itself."""

_PLAIN_KEY = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_NUMBER = lazy_pattern(r"([0-9]+)")


def identical(left: Value, right: Value) -> bool:
    """Whether two values are the same, 1, 1.0 and true being different; key order does not count."""
    return left == right and _same_types(left, right)


def _same_types(left: Value, right: Value) -> bool:
    """Whether equal values have equal types throughout."""
    if isinstance(left, dict):
        return isinstance(right, dict) and all(_same_types(value, right[key]) for key, value in left.items())
    if isinstance(left, list):
        return isinstance(right, list) and all(map(_same_types, left, right))
    return type(left) is type(right)


def path_text(path: Path) -> str:
    """The path as users read it: `spec.containers[0].env[1].name`, `metadata.labels[example.com/team]`."""
    text = ""
    for step in path:
        if isinstance(step, str) and _PLAIN_KEY.match(step):
            text += f".{step}" if text else step
        else:
            text += f"[{step}]"
    return text


def value_at(value: Value, path: Path) -> Value:
    """The value at a path; None if any step of it is absent or of another shape."""
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step] if isinstance(value, list) and -len(value) <= step < len(value) else None
    return value


def pointer_text(path: Path) -> str:
    """The path as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def natural(name: str) -> tuple[tuple[str | int, ...], str]:
    """The key of a name for `sorted`: numbers in it count as numbers."""
    parts = _NUMBER.split(name)
    return tuple(int(part) if index % 2 else part for index, part in enumerate(parts)), name
