"""Paths with wildcards: `spec.tasks[*].template`, `spec.replicaSpecs.*.template`; `.` is the object itself.

Source: docs/workload-kinds.md, "Paths".
"""

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cache
from typing import TypeAlias

from sidecarctl.facts.start_up import lazy_pattern
from sidecarctl.facts.values import Path, Value


class Each(Enum):
    """A wildcard."""

    ITEM = "[*]"
    MEMBER = ".*"


Pattern: TypeAlias = tuple[str | int | Each, ...]
"""A path whose steps may be wildcards."""

_STEP = lazy_pattern(r'(?:^|\.)([A-Za-z0-9_-]+)|(?:^|\.)(\*)|\[([0-9]{1,6}|\*)\]|\["([^"\]]+)"\]')


@cache
def parse_pattern(text: str) -> Pattern | None:
    """The steps of a pattern as text; None for what is none."""
    text = text if text.startswith("..") else text.removeprefix(".")
    if not text:
        return ()
    if _STEP.sub("", text):
        return None
    steps: list[str | int | Each] = []
    for name, star, index, quoted in _STEP.findall(text):
        if star:
            steps.append(Each.MEMBER)
        elif index:
            steps.append(Each.ITEM if index == "*" else int(index))
        else:
            steps.append(name or quoted)
    return tuple(steps)


def places(value: Value, pattern: Pattern, before: Path = ()) -> Iterator[Path]:
    """The paths in a value that a pattern stands for and where there is something, in the value's order."""
    if value is None:
        return
    if not pattern:
        yield before
        return
    step, *rest = pattern
    for key, member in _members(value, step):
        yield from places(member, tuple(rest), (*before, key))


def _members(value: Value, step: str | int | Each) -> Iterator[tuple[str | int, Value]]:
    if step is Each.ITEM:
        yield from enumerate(value) if isinstance(value, list) else ()
    elif step is Each.MEMBER:
        yield from (
            ((key, member) for key, member in value.items() if isinstance(key, str))
            if isinstance(value, dict)
            else ()
        )
    elif isinstance(step, str):
        if isinstance(value, dict):
            yield step, value.get(step)
    elif isinstance(value, list) and step < len(value):
        yield step, value[step]


def stands_for(pattern: Pattern, path: Path) -> bool:
    """Whether a pattern may yield a path."""
    kinds = {Each.ITEM: int, Each.MEMBER: str}
    return len(pattern) == len(path) and all(
        isinstance(step, kinds[part]) if isinstance(part, Each) else part == step
        for part, step in zip(pattern, path, strict=True)
    )


def bound(pattern: Pattern, path: Path) -> list[str | int]:
    """What the wildcards of a pattern stand for in a path that it yielded."""
    return [step for part, step in zip(pattern, path, strict=True) if isinstance(part, Each)]


def filled(pattern: Pattern, steps: Sequence[str | int]) -> Path | None:
    """The path of a pattern with these steps for its wildcards; None if it has more of them."""
    left = iter(steps)
    path = [next(left, None) if isinstance(step, Each) else step for step in pattern]
    return None if None in path else tuple(step for step in path if step is not None)
