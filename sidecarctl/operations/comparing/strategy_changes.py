"""What a strategy change means for a rollout, from the two strategies alone.

Source: docs/behaviour/rollout.md, "One round".
"""

from collections.abc import Iterator

from sidecarctl.api.go_json import readable
from sidecarctl.facts.values import Object, Value
from sidecarctl.operations.comparing.selector_changes import SelectorChange, selector_change
from sidecarctl.operations.comparing.verdicts import Verdict
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.rollout.round.partition_and_max_unavailable import window_of

_NUMBERS_OF_PODS = (*range(1, 102), 250, 1_000, 10_000, 1_000_000)
"""Numbers of pods for which two partitions are compared, as one of them may be a percentage."""

_PACE = ("maxUnavailable", "priorityStrategy", "scatterStrategy")


def strategy_verdict(old: Object, new: Object, release: Release = MASTER) -> Verdict:
    """What a change of updateStrategy means; NoEffect if it affects no pod.

    PaceChanges if the number or the labels of the pods decide whether more or fewer are updated.
    """
    was_held, is_held = _is_held(old), _is_held(new)
    if was_held and is_held:
        return Verdict.NO_EFFECT
    if is_held:
        return Verdict.ROLLOUT_HALTS
    if was_held:
        return Verdict.ROLLOUT_ADVANCES
    found = {_partition_verdict(old, new, release), _selector_verdict(old, new)} - {Verdict.NO_EFFECT}
    if len(found) == 1:
        return found.pop()
    return Verdict.PACE_CHANGES if found or _pace_changes(old, new) else Verdict.NO_EFFECT


def strategy_differences(old: Object, new: Object) -> str:
    """`partition 90% → 50%, paused true → false`: the members that differ, long ones by name only."""
    return ", ".join(_differences(old, new))


def _differences(old: Object, new: Object) -> Iterator[str]:
    for member, default in (("type", "RollingUpdate"), ("paused", False), ("partition", 0), ("maxUnavailable", 1)):
        before, after = _given(old, member, default), _given(new, member, default)
        if before != after:
            yield f"{member} {_text(before)} → {_text(after)}"
    for member in ("selector", "priorityStrategy", "scatterStrategy"):
        if (old.get(member) or None) != (new.get(member) or None):
            yield f"another {member}" if old.get(member) and new.get(member) else _came_or_went(member, new)


def _came_or_went(member: str, new: Object) -> str:
    return f"a {member}" if new.get(member) else f"no {member}"


def _given(strategy: Object, member: str, default: Value) -> Value:
    value = strategy.get(member)
    return default if value is None or value == "" else value


def _text(value: Value) -> str:
    return value if isinstance(value, str) else readable(value)


def _is_held(strategy: Object) -> bool:
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


def _pace_changes(old: Object, new: Object) -> bool:
    return any(_given(old, member, None) != _given(new, member, None) for member in _PACE)
