"""Random edits of a value: additions (which can be undone to the byte) and changes of every kind."""

from collections.abc import Iterator

from hypothesis import strategies as st

from sidecarctl.engine.facts.values import Edit, Path, Value, applied
from tests.engine.documents.ugly import KEYS, VALUES


def collections(value: Value, path: Path = ()) -> Iterator[tuple[Path, Value]]:
    """Every collection with its path."""
    if isinstance(value, dict | list):
        yield path, value
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from collections(inner, (*path, step))


@st.composite
def additions(draw: st.DrawFn, value: Value) -> list[Edit]:
    """New members and items in collections that are not empty."""
    places = [(path, inner) for path, inner in collections(value) if inner]
    edits = []
    for path, inner in draw(st.lists(st.sampled_from(places), min_size=1, max_size=4)):
        new = draw(VALUES)
        if isinstance(inner, list):
            edits.append(Edit("insert", (*path, draw(st.integers(0, len(inner)))), new))
            continue
        key = draw(KEYS)
        if key not in inner and Edit("set", (*path, key), new)[:2] not in [edit[:2] for edit in edits]:
            edits.append(Edit("set", (*path, key), new))
    return edits


def undone(value: Value, edits: list[Edit]) -> list[Edit]:
    """The removals that undo additions; paths count in the value that the additions made."""
    marked = [edit._replace(value=_Added()) for edit in edits]
    return [Edit("remove", path) for path in _added(applied(value, marked))]


class _Added:
    pass


def _added(value: Value, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, _Added):
        yield path
    elif isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _added(inner, (*path, step))


@st.composite
def changes(draw: st.DrawFn, value: Value) -> list[Edit]:
    """Edits of every kind, none of them at or below what another sets or removes."""
    edits: list[Edit] = []
    for path, inner in draw(st.lists(st.sampled_from(list(collections(value))), min_size=1, max_size=5)):
        if isinstance(inner, list) and draw(st.booleans()):
            step: str | int = draw(st.integers(0, len(inner)))
            edit = Edit("insert", (*path, step), draw(VALUES))
        elif not inner:
            continue
        else:
            steps = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
            step = draw(st.sampled_from(steps))
            edit = draw(
                st.builds(Edit, st.just("set"), st.just((*path, step)), VALUES)
                | st.just(Edit("remove", (*path, step)))
            )
        if not any(collide(edit, other) for other in edits):
            edits.append(edit)
    return edits


def collide(item: Edit, other: Edit) -> bool:
    """Whether one of the edits is at or below what the other sets or removes."""
    if item.path == other.path:
        return item.action != "insert" or other.action != "insert"
    shorter, longer = sorted((item, other), key=lambda edit: len(edit.path))
    return shorter.action != "insert" and longer.path[: len(shorter.path)] == shorter.path
