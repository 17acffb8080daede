"""Whether a changed label selector selects more or fewer, from the selectors alone."""

from collections.abc import Iterator
from enum import StrEnum

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object


class SelectorChange(StrEnum):
    """What the new selector selects, compared with the old one."""

    SAME = "same"
    NARROWER = "narrower"
    WIDER = "wider"
    OTHER = "other"


class _Requirement(NamedTuple):
    key: str
    operator: str
    values: frozenset[str]


def selector_change(old: Object | None, new: Object | None) -> SelectorChange:
    """How two selectors differ; an absent and an empty selector select everything.

    OTHER if comparing single requirements does not decide.
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
    for expression in selector.get("matchExpressions") or ():
        yield _Requirement(
            expression.get("key", ""), expression.get("operator", ""), frozenset(expression.get("values") or ())
        )


def _implies(given: set[_Requirement], wanted: set[_Requirement]) -> bool:
    return all(any(_one_implies(item, other) for item in given) for other in wanted)


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
