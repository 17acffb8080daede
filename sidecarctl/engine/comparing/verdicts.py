"""What a change of a selector or of a strategy means for running pods, from the objects alone.

Source: docs/behavior/rollout.md, "One round".
"""

from collections.abc import Collection, Iterator
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.engine.api.canonical import readable
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.rollout.round.window import window_of
from sidecarctl.engine.sidecarset.sets import SidecarSet


class Verdict(StrEnum):
    """What a change means for pods, the most severe verdict first."""

    REJECTED = "Rejected"
    SIDECAR_LOST = "SidecarLost"
    RECREATE = "Recreate"
    UNKNOWN = "Unknown"
    IN_PLACE = "InPlace"
    NEW_PODS_ONLY = "NewPodsOnly"
    ROLLOUT_HALTS = "RolloutHalts"
    ROLLOUT_ADVANCES = "RolloutAdvances"
    SIDECAR_GAINED = "SidecarGained"
    PACE_CHANGES = "PaceChanges"
    NO_EFFECT = "NoEffect"

    @property
    def sentence(self) -> str:
        """What the verdict means."""
        return _SENTENCES[self]


FAILS = frozenset((Verdict.REJECTED, Verdict.SIDECAR_LOST, Verdict.RECREATE, Verdict.UNKNOWN))
"""The verdicts for which `diff` exits with 1 unless --fail-on names others."""

_SENTENCES = {
    Verdict.NO_EFFECT: "No pod changes.",
    Verdict.IN_PLACE: "Images change: running pods are updated in place.",
    Verdict.NEW_PODS_ONLY: "Only new pods get the change: running pods stay without it until they are recreated.",
    Verdict.RECREATE: "More than images changes: running pods keep the old version until they are recreated.",
    Verdict.UNKNOWN: "Labels of namespaces, which are not in the inputs, decide which pods the change affects.",
    Verdict.REJECTED: "Kruise rejects this version of the SidecarSet.",
    Verdict.ROLLOUT_ADVANCES: "The rollout advances: more pods may be updated.",
    Verdict.ROLLOUT_HALTS: "The rollout is held back: fewer pods may be updated.",
    Verdict.PACE_CHANGES: "The same pods are updated, in a different order or number at a time.",
    Verdict.SIDECAR_LOST: "Pods no longer get its sidecars: those that have them keep them until they are recreated.",
    Verdict.SIDECAR_GAINED: "More pods get its sidecars: running ones only when they are recreated.",
}


def severest_first(verdicts: Collection[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts that hold, the most severe first; NoEffect only if no other does."""
    found = tuple(item for item in Verdict if item in verdicts and item is not Verdict.NO_EFFECT)
    return found or (Verdict.NO_EFFECT,)


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


_NUMBERS_OF_PODS = (*range(1, 102), 250, 1_000, 10_000, 1_000_000)
"""Numbers of pods for which two partitions are compared, as one of them may be a percentage."""

_PACE = ("maxUnavailable", "priorityStrategy", "scatterStrategy")


def strategy_verdict(old: Object, new: Object, release: Release = DEFAULT) -> Verdict:
    """What a change of updateStrategy means; NoEffect if it affects no pod.

    PaceChanges if the number or the labels of the pods decide whether more or fewer are updated.
    """
    was, now = is_held(old), is_held(new)
    if old == new or (was and now):
        return Verdict.NO_EFFECT
    if now:
        return Verdict.ROLLOUT_HALTS
    if was:
        return Verdict.ROLLOUT_ADVANCES
    found = {_partition_verdict(old, new, release), _selector_verdict(old, new)} - {Verdict.NO_EFFECT}
    if len(found) == 1:
        return found.pop()
    is_other_pace = any(_given(old, member, None) != _given(new, member, None) for member in _PACE)
    return Verdict.PACE_CHANGES if found or is_other_pace else Verdict.NO_EFFECT


def strategy_of(sidecarset: SidecarSet | None) -> Object:
    """Its updateStrategy; empty if there is none."""
    return (sidecarset and sidecarset.spec.get("updateStrategy")) or {}


def strategy_differences(old: Object, new: Object) -> Iterator[str]:
    """`partition 90% → 50%`, `paused true → false`: the members that differ, long ones by name only."""
    for member, default in (("type", "RollingUpdate"), ("paused", False), ("partition", 0), ("maxUnavailable", 1)):
        before, after = _given(old, member, default), _given(new, member, default)
        if before != after:
            yield f"{member} {_text(before)} → {_text(after)}"
    for member in ("selector", "priorityStrategy", "scatterStrategy"):
        if (old.get(member) or None) != (new.get(member) or None):
            word = "no" if not new.get(member) else "another" if old.get(member) else "a"
            yield f"{word} {member}"


def _given(strategy: Object, member: str, default: Value) -> Value:
    value = strategy.get(member)
    return default if value is None or value == "" else value


def _text(value: Value) -> str:
    return value if isinstance(value, str) else readable(value)


def is_held(strategy: Object) -> bool:
    """Whether it holds back every pod."""
    return strategy.get("type") == "NotUpdate" or bool(strategy.get("paused"))


def _partition_verdict(old: Object, new: Object, release: Release) -> Verdict:
    differences = {
        window_of(new, pods, release).partition_pods - window_of(old, pods, release).partition_pods
        for pods in _NUMBERS_OF_PODS
    }
    more, fewer = min(differences) < 0, max(differences) > 0
    if more and fewer:
        return Verdict.PACE_CHANGES
    return Verdict.ROLLOUT_ADVANCES if more else Verdict.ROLLOUT_HALTS if fewer else Verdict.NO_EFFECT


def _selector_verdict(old: Object, new: Object) -> Verdict:
    match selector_change(old.get("selector"), new.get("selector")):
        case SelectorChange.NARROWER:
            return Verdict.ROLLOUT_HALTS
        case SelectorChange.WIDER:
            return Verdict.ROLLOUT_ADVANCES
        case SelectorChange.OTHER:
            return Verdict.PACE_CHANGES
    return Verdict.NO_EFFECT
