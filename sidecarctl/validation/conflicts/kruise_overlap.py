"""Whether two label selectors may match the same pod, as Kruise decides: requirement by requirement.

Not exact in either direction: see `satisfiability` for that. Source: docs/behaviour/validation.md, "Conflicts with
other sets".
"""

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object

EVERYTHING = "ALL"
"""The value that means "any" in Kruise's own table, even if a manifest contains it."""


class Requirement(NamedTuple):
    """The requirements of a selector for one key; `fixed` are the values of matchLabels and In together."""

    fixed: frozenset[str]
    needs: tuple[tuple[str, frozenset[str]], ...]
    """Each requirement: its operator (In for matchLabels) and values."""


class Selector(NamedTuple):
    """A selector, as given and by keys; prepared once, compared with many others."""

    given: Object
    by_key: dict[str, Requirement]


def compiled(selector: Object) -> Selector:
    """A selector in typed form for comparisons."""
    needs: dict[str, list[tuple[str, frozenset[str]]]] = {}
    for key, value in selector.get("matchLabels", {}).items():
        needs.setdefault(key, []).append(("In", frozenset((value,))))
    for expression in selector.get("matchExpressions", ()):
        need = (expression.get("operator", ""), frozenset(expression.get("values", ())))
        needs.setdefault(expression.get("key", ""), []).append(need)
    by_key = {key: Requirement(_fixed(listed), tuple(listed)) for key, listed in needs.items()}
    return Selector(selector, by_key)


def may_overlap(selector: Selector, other: Selector) -> bool:
    """Whether Kruise assumes that some pod may match both; the caller handles absent selectors."""
    return not (_excludes(selector, other) or _excludes(other, selector))


def _fixed(needs: list[tuple[str, frozenset[str]]]) -> frozenset[str]:
    values = frozenset(value for operator, listed in needs if operator == "In" for value in listed)
    return values | {EVERYTHING} if any(operator == "Exists" for operator, _ in needs) else values


def _excludes(selector: Selector, other: Selector) -> bool:
    """Whether the first selector rules out a single requirement of the other."""
    for key, requirement in other.by_key.items():
        mine = selector.by_key.get(key)
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
