"""The verdicts on a SidecarSet change, given the number of pods that it reaches."""

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.operations.comparing.affected_pods import FuturePods, RunningPods
from sidecarctl.operations.comparing.rollout_shift import RolloutShift, SelectedPods
from sidecarctl.operations.comparing.sidecarset_changes import SetChange
from sidecarctl.operations.comparing.strategy_changes import strategy_differences
from sidecarctl.operations.comparing.verdicts import Verdict, gravest_first
from sidecarctl.rollout.summary.ending_sentences import number

_SHIFTS = frozenset((Verdict.ROLLOUT_ADVANCES, Verdict.ROLLOUT_HALTS, Verdict.PACE_CHANGES))
_SELECTIONS = frozenset((Verdict.PODS_LOST, Verdict.PODS_GAINED))


class SetDiff(NamedTuple):
    """The change of a SidecarSet, and how many pods it reaches; None without pods or workloads.

    `shift`: pods that it releases or holds back, None if the hash changes; `selected`: pods that are no longer
    selected, or newly selected.
    """

    change: SetChange
    running: RunningPods | None
    future: FuturePods | None
    shift: RolloutShift | None = None
    selected: SelectedPods | None = None


def judged(difference: SetDiff) -> SetDiff:
    """The change with the verdicts and the explanation that follow from the numbers of pods."""
    if Verdict.REJECTED in difference.change.verdicts or difference.change.change == "unchanged":
        return difference
    verdicts = gravest_first({*_with_selection(difference, {*difference.change.verdicts})})
    if verdicts[0] in _SHIFTS:
        verdicts = _with_shift(difference, verdicts)
    change = difference.change._replace(verdicts=verdicts)
    return difference._replace(change=change._replace(words=_told(difference._replace(change=change))))


def _with_selection(difference: SetDiff, verdicts: set[Verdict]) -> set[Verdict]:
    """With pods or workloads, they decide whether any pod is lost or gained."""
    if difference.selected is None and difference.future is None:
        return verdicts
    lost, gained = lost_pods(difference), gained_pods(difference)
    if not (lost or gained) and difference.future and difference.future.uncounted:
        return verdicts
    found = verdicts - _SELECTIONS
    return found | ({Verdict.PODS_LOST} if lost else set()) | ({Verdict.PODS_GAINED} if gained else set())


def _with_shift(difference: SetDiff, verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """If the strategies alone do not show whether more or fewer pods are updated, the pods do."""
    if difference.shift is None or difference.shift.let_go == difference.shift.held:
        return verdicts
    more = difference.shift.let_go > difference.shift.held
    return gravest_first({*verdicts} - _SHIFTS | {Verdict.ROLLOUT_ADVANCES if more else Verdict.ROLLOUT_HALTS})


def lost_pods(difference: SetDiff) -> int:
    """Pods that have the sidecars but are no longer selected."""
    return (difference.selected.lost if difference.selected else 0) + (
        difference.future.lost if difference.future else 0
    )


def gained_pods(difference: SetDiff) -> int:
    """Pods that are newly selected."""
    return (difference.selected.gained if difference.selected else 0) + (
        difference.future.gained if difference.future else 0
    )


def _told(difference: SetDiff) -> str:
    """The explanation of the gravest verdict with numbers; empty if its own sentence suffices."""
    verdict = difference.change.verdict
    if verdict in _SHIFTS:
        return f"{_strategies(difference)}: {_effect(difference)}."
    if verdict is Verdict.NO_EFFECT and difference.running and difference.change.keeps_hash:
        going = difference.running.in_place - difference.running.held
        if going:
            return f"The change does not affect running pods; the rollout in progress updates {number(going)}."
    return ""


def shift_sentence(difference: SetDiff) -> str:
    """What the strategy change does, if the gravest verdict is about something else; empty for nothing."""
    found = [verdict for verdict in difference.change.verdicts[1:] if verdict in _SHIFTS]
    return f"{found[0]}: {_strategies(difference)}: {_effect(difference)}" if found else ""


def _strategies(difference: SetDiff) -> str:
    old, new = (
        version.spec.get("updateStrategy") or {} if version else {}
        for version in (difference.change.old, difference.change.new)
    )
    return strategy_differences(old, new)


def _effect(difference: SetDiff) -> str:
    shift = difference.shift
    verdict = next(verdict for verdict in difference.change.verdicts if verdict in _SHIFTS)
    if shift is None:
        return _WITHOUT_NUMBERS[verdict]
    if not (shift.let_go or shift.held):
        at_a_time = shift.before.max_unavailable_pods, shift.after.max_unavailable_pods
        if verdict is Verdict.PACE_CHANGES:
            same = at_a_time[0] == at_a_time[1]
            return (
                "the same pods, in another order"
                if same
                else "up to {1:,} pods at a time instead of {0:,}".format(*at_a_time)
            )
        left = f"{number(shift.old)} not updated yet" if shift.old else "all pods are already updated"
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
