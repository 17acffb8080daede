"""What an object of our own may hold: small checks, put together to larger ones."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from sidecarctl.api.unknown_fields import did_you_mean
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Value

Check: TypeAlias = Callable[[Value, Path], Iterator[Finding]]
"""What is wrong with a value, which stands at a path; members that are null count as absent."""


def mapping(members: Mapping[str, Check]) -> Check:
    """A mapping with these members and no others."""

    def check(value: Value, path: Path) -> Iterator[Finding]:
        if not isinstance(value, dict):
            yield wrong(value, "a mapping", path)
            return
        for key, member in value.items():
            if key not in members:
                meant = did_you_mean(key, members)
                hint = f"did you mean {meant}?" if meant else f"valid fields: {', '.join(members)}"
                yield error(Reason.UNKNOWN_FIELD, f"unknown field {key}", (*path, key), hint=hint)
            elif member is not None:
                yield from members[key](member, (*path, key))

    return check


def list_of(item: Check) -> Check:
    """A list of such items."""

    def check(value: Value, path: Path) -> Iterator[Finding]:
        if not isinstance(value, list):
            yield wrong(value, "a list", path)
            return
        for index, member in enumerate(value):
            yield from item(member, (*path, index))

    return check


def one_of(*words: str) -> Check:
    """One of some words."""

    def check(value: Value, path: Path) -> Iterator[Finding]:
        if value not in words:
            meant = did_you_mean(value, words) if isinstance(value, str) else ""
            hint = f"did you mean {meant}?" if meant else ""
            yield error(Reason.WRONG_TYPE, f"expected {' or '.join(words)}, got {_shown(value)}", path, hint=hint)

    return check


def of_type(kind: type, said: str) -> Check:
    """A value of a type, as it is said to people; a bool is no int."""

    def check(value: Value, path: Path) -> Iterator[Finding]:
        if type(value) is not kind:
            yield wrong(value, said, path)

    return check


def wrong(value: Value, expected: str, path: Path) -> Finding:
    """The error for a value that is something else than expected."""
    return error(Reason.WRONG_TYPE, f"expected {expected}, got {_shown(value)}", path)


def _shown(value: Value) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return "nothing" if value is None else repr(value)
