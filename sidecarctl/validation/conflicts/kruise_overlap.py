"""Whether two label selectors may match one pod, as Kruise decides it: requirement by requirement.

Not exact in either direction: see `satisfiability` for that. Source: docs/behaviour/validation.md, "Conflicts with
other sets".
"""

from typing import NamedTuple

from sidecarctl.facts.values import Object

EVERYTHING = "ALL"
"""The value that stands for any in Kruise's own table, also where somebody wrote it."""


class Requirement(NamedTuple):
    """What a selector says about one key; `fixed` are the values of matchLabels and In together."""

    fixed: frozenset[str]
    needs: tuple[tuple[str, frozenset[str]], ...]
    """Each requirement by itself: its operator (In also for matchLabels) and values."""


class Selector(NamedTuple):
    """A selector, by keys; made once, compared with many others."""

    by_key: dict[str, Requirement]


def compiled(selector: Object) -> Selector:
    """A selector in typed form for comparisons."""
    needs: dict[str, list[tuple[str, frozenset[str]]]] = {}
    for key, value in selector.get("matchLabels", {}).items():
        needs.setdefault(key, []).append(("In", frozenset((value,))))
    for expression in selector.get("matchExpressions", ()):
        need = (expression.get("operator", ""), frozenset(expression.get("values", ())))
        needs.setdefault(expression.get("key", ""), []).append(need)
    return Selector({key: Requirement(_fixed(listed), tuple(listed)) for key, listed in needs.items()})


def may_overlap(one: Selector, other: Selector) -> bool:
    """Whether Kruise takes it that some pod may match both; absent selectors are the caller's matter."""
    return not (_excludes(one, other) or _excludes(other, one))


def _fixed(needs: list[tuple[str, frozenset[str]]]) -> frozenset[str]:
    values = frozenset(value for operator, listed in needs if operator == "In" for value in listed)
    return values | {EVERYTHING} if any(operator == "Exists" for operator, _ in needs) else values


def _excludes(one: Selector, other: Selector) -> bool:
    """Whether a single requirement of the other selector cannot be met by what the first one asks."""
    for key, requirement in other.by_key.items():
        mine = one.by_key.get(key)
        fixed = mine.fixed if mine else frozenset()
        for operator, values in requirement.needs:
            if operator == "In":
                if fixed and EVERYTHING not in fixed and fixed.isdisjoint(values):
                    return True
            elif operator == "NotIn":
                if fixed and fixed <= values:
                    return True
            elif (operator == "Exists" and not fixed) or (operator == "DoesNotExist" and fixed):
                return True
    return False
