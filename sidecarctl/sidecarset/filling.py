"""Building blocks of defaults: each makes a function that fills in a value, copying only what changes.

A value of another shape stays as it is: its field is not known to the release, which drops it afterwards.

Source: docs/behaviour/api.md, "Defaults applied on create and on every update".
"""

from collections.abc import Callable

from sidecarctl.facts.values import Value

Fill = Callable[[Value], Value]


def defaults(**members: Value) -> Fill:
    """Members that an object gets where it lacks them, or has them as null."""

    def fill_absent(value: Value) -> Value:
        if not isinstance(value, dict):
            return value
        return value | {name: members[name] for name in members if value.get(name) is None}

    return fill_absent


def inside(**fills: Fill) -> Fill:
    """What is done to the members of an object, each where it is there and not null."""

    def fill_members(value: Value) -> Value:
        if not isinstance(value, dict):
            return value
        present = {name: fill for name, fill in fills.items() if value.get(name) is not None}
        return value | {name: fill(value[name]) for name, fill in present.items()}

    return fill_members


def each(fill: Fill) -> Fill:
    """What is done to every item of a list that is not null."""
    return lambda items: [fill(item) for item in items] if isinstance(items, list) else items


def in_turn(*fills: Fill) -> Fill:
    """One thing done after the other."""

    def fill_in_turn(value: Value) -> Value:
        for fill in fills:
            value = fill(value)
        return value

    return fill_in_turn
