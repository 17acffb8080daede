"""Whether another label selector selects more or fewer, told from the selectors alone."""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.facts.values import Object


class SelectorChange(StrEnum):
    """What the new selector selects, beside the old one."""

    SAME = "same"
    NARROWER = "narrower"
    WIDER = "wider"
    OTHER = "other"


class _Requirement(NamedTuple):
    key: str
    operator: str
    values: frozenset[str]


def selector_change(old: Object | None, new: Object | None) -> SelectorChange:
    """How two selectors differ, where an absent and an empty one select everything.

    What cannot be told from the requirements one by one counts as OTHER.
    """
    before, after = set(_requirements(old or {})), set(_requirements(new or {}))
    is_narrower, is_wider = _implies(after, before), _implies(before, after)
    if is_narrower and is_wider:
        return SelectorChange.SAME
    if is_narrower:
        return SelectorChange.NARROWER
    return SelectorChange.WIDER if is_wider else SelectorChange.OTHER


def _requirements(selector: Object) -> Iterator[_Requirement]:
    for key, value in (selector.get("matchLabels") or {}).items():
        yield _Requirement(key, "In", frozenset((value,)))
    for one in selector.get("matchExpressions") or ():
        yield _Requirement(one.get("key", ""), one.get("operator", ""), frozenset(one.get("values") or ()))


def _implies(given: set[_Requirement], wanted: set[_Requirement]) -> bool:
    return all(any(_one_implies(one, other) for one in given) for other in wanted)


def _one_implies(given: _Requirement, wanted: _Requirement) -> bool:
    if given.key != wanted.key:
        return False
    match given.operator, wanted.operator:
        case ("In", "In"):
            return given.values <= wanted.values
        case ("NotIn", "NotIn"):
            return given.values >= wanted.values
        case ("In", "NotIn"):
            return not given.values & wanted.values
        case ("In", "Exists") | ("DoesNotExist", "NotIn"):
            return True
    return given.operator == wanted.operator
