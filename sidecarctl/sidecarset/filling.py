"""Building blocks of defaults: each makes a function that fills in a value, copying only what changes.

Source: docs/behaviour/api.md, "Defaults applied on create and on every update".
"""

from collections.abc import Callable

from sidecarctl.facts.values import Value

Fill = Callable[[Value], Value]


def defaults(**members: Value) -> Fill:
    """Members that an object gets where it lacks them, or has them as null."""
    return lambda value: value | {name: members[name] for name in members if value.get(name) is None}


def inside(**fills: Fill) -> Fill:
    """What is done to the members of an object, each where it is there and not null."""

    def fill_members(value: Value) -> Value:
        present = {name: fill for name, fill in fills.items() if value.get(name) is not None}
        return value | {name: fill(value[name]) for name, fill in present.items()}

    return fill_members


def each(fill: Fill) -> Fill:
    """What is done to every item of a list that is not null."""
    return lambda items: [item if item is None else fill(item) for item in items]


def in_turn(*fills: Fill) -> Fill:
    """One thing done after the other."""

    def fill_in_turn(value: Value) -> Value:
        for fill in fills:
            value = fill(value)
        return value

    return fill_in_turn
