"""The verdicts on a change of a SidecarSet, once the pods are counted that it reaches."""

from typing import NamedTuple

from sidecarctl.operations.comparing.affected_pods import FuturePods, RunningPods
from sidecarctl.operations.comparing.rollout_shift import RolloutShift, SelectedPods
from sidecarctl.operations.comparing.sidecarset_changes import SetChange
from sidecarctl.operations.comparing.strategy_changes import strategy_differences
from sidecarctl.operations.comparing.verdicts import Verdict, gravest_first
from sidecarctl.rollout.summary.ending_sentences import number

_SHIFTS = frozenset((Verdict.ROLLOUT_ADVANCES, Verdict.ROLLOUT_HALTS, Verdict.PACE_CHANGES))
_SELECTIONS = frozenset((Verdict.PODS_LOST, Verdict.PODS_GAINED))


class SetDiff(NamedTuple):
    """The change of a set, and how many pods it reaches; None where no pods or workloads were given.

    `shift`: those that it lets go or holds, None also where the hash is another one; `selected`: those that fall out
    of the selection or come in.
    """

    change: SetChange
    running: RunningPods | None
    future: FuturePods | None
    shift: RolloutShift | None = None
    selected: SelectedPods | None = None


def judged(one: SetDiff) -> SetDiff:
    """The same with the verdicts and the sentence that the numbers of pods give it."""
    if Verdict.REJECTED in one.change.verdicts or one.change.change == "unchanged":
        return one
    verdicts = gravest_first({*_with_selection(one, {*one.change.verdicts})})
    if verdicts[0] in _SHIFTS:
        verdicts = _with_shift(one, verdicts)
    change = one.change._replace(verdicts=verdicts)
    return one._replace(change=change._replace(told=_told(one._replace(change=change))))


def _with_selection(one: SetDiff, verdicts: set[Verdict]) -> set[Verdict]:
    """Where pods or workloads are given, they decide whether any falls out or comes in."""
    if one.selected is None and one.future is None:
        return verdicts
    lost, gained = lost_pods(one), gained_pods(one)
    if not (lost or gained) and one.future and one.future.uncounted:
        return verdicts
    found = verdicts - _SELECTIONS
    return found | ({Verdict.PODS_LOST} if lost else set()) | ({Verdict.PODS_GAINED} if gained else set())


def _with_shift(one: SetDiff, verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """Where the strategies alone do not tell whether more or fewer pods are updated, the pods do."""
    if one.shift is None or one.shift.let_go == one.shift.held:
        return verdicts
    more = one.shift.let_go > one.shift.held
    return gravest_first({*verdicts} - _SHIFTS | {Verdict.ROLLOUT_ADVANCES if more else Verdict.ROLLOUT_HALTS})


def lost_pods(one: SetDiff) -> int:
    """Pods that have the sidecars and are no longer selected."""
    return (one.selected.lost if one.selected else 0) + (one.future.lost if one.future else 0)


def gained_pods(one: SetDiff) -> int:
    """Pods that are selected and were not."""
    return (one.selected.gained if one.selected else 0) + (one.future.gained if one.future else 0)


def _told(one: SetDiff) -> str:
    """The sentence of the gravest verdict with the numbers; empty where its own says all."""
    verdict = one.change.verdict
    if verdict in _SHIFTS:
        return f"{_strategies(one)}: {_effect(one)}."
    if verdict is Verdict.NO_EFFECT and one.running and one.change.keeps_hash:
        going = one.running.in_place - one.running.held
        if going:
            return f"The change does nothing to running pods; the rollout that is under way updates {number(going)}."
    return ""


def shift_sentence(one: SetDiff) -> str:
    """What the change of the strategy does, for a change whose gravest verdict is another one; empty for nothing."""
    found = [verdict for verdict in one.change.verdicts[1:] if verdict in _SHIFTS]
    return f"{found[0]}: {_strategies(one)}: {_effect(one)}" if found else ""


def _strategies(one: SetDiff) -> str:
    old, new = (
        version.spec.get("updateStrategy") or {} if version else {} for version in (one.change.old, one.change.new)
    )
    return strategy_differences(old, new)


def _effect(one: SetDiff) -> str:
    shift = one.shift
    verdict = next(verdict for verdict in one.change.verdicts if verdict in _SHIFTS)
    if shift is None:
        return _WITHOUT_NUMBERS[verdict]
    if not (shift.let_go or shift.held):
        at_a_time = shift.before.max_unavailable_pods, shift.after.max_unavailable_pods
        if verdict is Verdict.PACE_CHANGES:
            same = at_a_time[0] == at_a_time[1]
            return (
                "the same pods, in another order"
                if same
                else "up to {1:,} pods at a time, before {0:,}".format(*at_a_time)
            )
        left = f"{number(shift.old)} not updated yet" if shift.old else "all pods are updated already"
        return f"{_NO_POD[verdict]} ({left})"
    parts = [f"lets {shift.let_go:,} more {'pod' if shift.let_go == 1 else 'pods'} update"] if shift.let_go else []
    parts += [f"holds back {number(shift.held)} that could be updated"] if shift.held else []
    return ", ".join(parts)


_WITHOUT_NUMBERS = {
    Verdict.ROLLOUT_ADVANCES: "lets more pods update",
    Verdict.ROLLOUT_HALTS: "holds back pods that could be updated",
    Verdict.PACE_CHANGES: "changes the order of the updates, or how many pods are updated at a time",
}
_NO_POD = {
    Verdict.ROLLOUT_ADVANCES: "lets no more pods update",
    Verdict.ROLLOUT_HALTS: "holds back no more pods",
}
