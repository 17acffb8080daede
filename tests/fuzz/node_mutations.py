"""Mutations of nodes: what a person or a tool may write instead of a value, of whatever type."""

import copy
import math
import random
from collections.abc import Iterator
from typing import Any

from sidecarctl.engine.facts.values import Value

JUNK: list[Value] = [
    None, True, False, 0, 1, -1, -(2**63), 2**64, 10**30, 0.5, -0.5, 1e308, math.nan, math.inf,
    "", " ", "x", "true", "null", "-1", "1.5", "99%", "50.5%", "-5%", "1Gi", "1e3", "2026-01-01T00:00:00Z", "*",
    "a" * 300, "k" * 5000, "\n", "a\nb", "\t", "\x1b[31m", "\ufffe", "é", "\U0001f600", "{}", "[]",
    '{"a":1}', "{{ .x }}",
    [], {}, [None], [[]], [{}], ["x", "x"], {"": ""}, {"name": None}, {"a": {"b": {"c": []}}}, [{"name": "agent"}],
    {"k" * 1100: "v"}, {"$patch": "delete"}, {"matchLabels": {"app": 1}}, [{"name": "x"}, {"name": "x"}],
]  # a table  # fmt: skip


def with_mutated_nodes(value: Value, chance: random.Random) -> Value:
    """A copy in which a few nodes are junk, gone, repeated, or under another key."""
    result = copy.deepcopy(value)
    for _ in range(chance.choice([1, 1, 1, 2, 3, 5])):
        places = list(_places(result))
        if not places:
            return result
        around, key = chance.choice(places)
        _mutate(around, key, chance)
    return result


def _mutate(around: Value, key: Any, chance: random.Random) -> None:
    match chance.randrange(10):
        case 0:
            del around[key]
        case 1 if isinstance(around, list):
            around.insert(int(key), copy.deepcopy(around[key]))
        case 1:
            around[chance.choice(["", "x", f"{key}s", str(key).upper(), "k" * 1100])] = around.pop(key)
        case 2:
            around[key] = [around[key]] if chance.random() < 0.5 else {"x": around[key]}
        case 3 if isinstance(around[key], str):
            around[key] = chance.choice([around[key] * 2, around[key] + "\n", around[key].upper(), around[key][:-1]])
        case _:
            around[key] = copy.deepcopy(chance.choice(JUNK))


def _places(value: Value) -> Iterator[tuple[Value, str | int]]:
    """Every member and item below a value, by what holds it."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in list(members):
        yield value, key
        yield from _places(member)
