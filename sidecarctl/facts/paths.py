"""Where a value sits inside an object."""

import re
from typing import TypeAlias

from sidecarctl.facts.values import Value

Path: TypeAlias = tuple[str | int, ...]
"""Keys and list indices from the object's root; `()` is the root itself."""

_PLAIN_KEY = r"[A-Za-z_][A-Za-z0-9_-]*\Z"


def path_text(path: Path) -> str:
    """The path as users read it: `spec.containers[0].env[1].name`, `metadata.labels[example.com/team]`."""
    text = ""
    for step in path:
        if isinstance(step, str) and re.match(_PLAIN_KEY, step):
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
