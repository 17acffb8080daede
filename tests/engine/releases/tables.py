"""The tables of docs/behavior/releases.md, made of the tables that the program computes with."""

import ast
import inspect
from collections.abc import Iterator, Sequence
from itertools import groupby

from sidecarctl.engine.releases import release as switches
from sidecarctl.engine.releases.profiles import GAINED, LOST, PATCH_RELEASES, PROFILES
from sidecarctl.engine.releases.release import Release

_NAMES = {"name", "fields", "stands_for", "derived"}
OLDEST_FIRST = [PROFILES[name] for name in reversed(PROFILES)]


def profile_table() -> str:
    """Each profile with its patch releases, the newest first."""
    rows = [(f"`{name}`", ", ".join(PATCH_RELEASES.get(name, ()))) for name in PROFILES]
    return _table(("profile", "releases that behave so"), rows)


def field_table() -> str:
    """The fields that each release lacks, beyond those that newer ones lack."""
    rows = [(f"`{name}`", ", ".join(sorted({_field(*pair) for pair in pairs}))) for name, pairs in LOST.items()]
    gained = [
        (f"`{name}`", f"(knows alone: {', '.join(_field(kind, field) for field, _ in fields)})")
        for name, types in GAINED.items()
        for kind, fields in types.items()
    ]
    return _table(("release", "unknown there and in all older ones"), [*rows, *gained])


def switch_table() -> str:
    """Every switch: what it says, and its values from the oldest release to the newest."""
    rows = [(f"`{name}`", meaning, "; ".join(_values(name))) for name, meaning in meanings().items()]
    return _table(("switch", "what it says", "value"), rows)


def meanings() -> dict[str, str]:
    """The text below each switch in the source."""
    [definition] = [
        node for node in ast.parse(inspect.getsource(switches)).body if getattr(node, "name", "") == "Release"
    ]
    assert isinstance(definition, ast.ClassDef)
    texts: dict[str, str] = {}
    for before, after in zip(definition.body, definition.body[1:], strict=False):
        if isinstance(before, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(before.target, ast.Name):
            assert isinstance(after.value, ast.Constant)
            texts[before.target.id] = " ".join(str(after.value.value).split())
    return texts


def switch_names() -> list[str]:
    """The switches, in their order."""
    return [name for name in Release.__annotations__ if name not in _NAMES]


def _values(name: str) -> Iterator[str]:
    runs = [(value, list(group)) for value, group in groupby(OLDEST_FIRST, key=lambda item: getattr(item, name))]
    for index, (value, releases) in enumerate(runs):
        first, last = releases[0].name, releases[-1].name
        if index == 0:
            when = f"up to {last}"
        elif index == len(runs) - 1:
            when = f"from {first} on" if len(releases) > 1 else first
        else:
            when = first if first == last else f"{first} to {last}"
        yield f"{_value(value)} {when}"


def _value(value: bool | str) -> str:  # noqa: FBT001 - it is what is written
    return value if isinstance(value, str) else "yes" if value else "no"


def _field(type_name: str, field: str) -> str:
    return f"{type_name.partition('.')[2]}.{field}"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
