"""Random edits of any value, without the library of the property tests."""

import random

from sidecarctl.engine.facts.values import Edit, Value
from tests.engine.documents.random_edits import collections, collide

_NEW: list[Value] = [
    "x",
    "multi\nline\n",
    "multi\nline",
    "",
    None,
    True,
    3,
    {},
    [],
    {"a": 1},
    [1, [2]],
    {"a": {"b": ["c", {"d": "e\nf\n"}]}},
    [{"name": "n", "value": "a\nb\n"}],
]


def random_edits(value: Value, chance: random.Random) -> list[Edit]:
    """A few edits, none of them at or below what another sets or removes."""
    places = [place for place in collections(value) if place[1]]
    edits: list[Edit] = []
    for _ in range(chance.randrange(1, 5) if places else 0):
        path, inner = chance.choice(places)
        edit = _edit(path, inner, chance)
        if not any(collide(edit, other) for other in edits):
            edits.append(edit)
    return edits


def _edit(path: tuple[str | int, ...], inner: Value, chance: random.Random) -> Edit:
    removes = chance.random() < 0.4
    if isinstance(inner, list):
        index = chance.randrange(len(inner) + (not removes))
        return Edit("remove", (*path, index)) if removes else Edit("insert", (*path, index), chance.choice(_NEW))
    keys = list(inner)
    if removes:
        return Edit("remove", (*path, chance.choice(keys)))
    key = chance.choice(["new", "newer", "12", *keys[:1]])
    return Edit("set", (*path, key), chance.choice(_NEW))
