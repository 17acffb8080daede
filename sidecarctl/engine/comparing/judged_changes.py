"""What the change of a SidecarSet means for its pods: the verdicts, given their numbers, and the sentences."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecarctl.engine.comparing.lost_and_gained import Moved, Moves
from sidecarctl.engine.comparing.pod_effects import CostChange, RolloutNumbers, RolloutShift
from sidecarctl.engine.comparing.set_changes import SetChange
from sidecarctl.engine.comparing.verdicts import Verdict, severest_first, strategy_differences, strategy_of
from sidecarctl.engine.facts.findings import Place, named
from sidecarctl.engine.rollout.simulated_pods import PodName
from sidecarctl.engine.rollout.summary.sentences import doubt, number, of_all
from sidecarctl.engine.sidecarset.held_back import new_pods_sentence

SHIFTS = frozenset((Verdict.ROLLOUT_ADVANCES, Verdict.ROLLOUT_HALTS, Verdict.PACE_CHANGES))


MOVES = frozenset((Verdict.SIDECAR_LOST, Verdict.SIDECAR_GAINED))


class SetDiff(NamedTuple):
    """The change of a SidecarSet, and what it does to pods; None without pods and workloads.

    `rollout`: over running pods, or else over those of workloads; `shift`: what the change of the strategy alone does
    to it; `moves`: who loses and gains its sidecars. `place` is that of the newer manifest. `cost`: what its sidecars
    request more or less. `advice`: on recreating a pod, where that does not bring the newer version; else empty.
    `doubtful`: the pods and workloads that it may match: unknown labels of namespaces decide.
    """

    change: SetChange
    rollout: RolloutNumbers | None = None
    shift: RolloutShift | None = None
    moves: Moves | None = None
    place: Place | None = None
    cost: CostChange | None = None
    advice: str = ""
    doubtful: Sequence[PodName] = ()

    @property
    def new_pods(self) -> str:
        """What new pods get while running ones are held back, as a sentence; empty if none is."""
        change = self.change
        if self.rollout or change.new is None or Verdict.IN_PLACE not in change.verdicts:
            return self.rollout.new_pods if self.rollout else ""
        return new_pods_sentence(change.new.spec, change.revisions[1])

    @property
    def differs(self) -> bool:
        """Whether the SidecarSet changes, or other changes make pods lose or gain its sidecars."""
        return self.change.change != "unchanged" or self.change.verdict is not Verdict.NO_EFFECT


def judged(difference: SetDiff) -> SetDiff:
    """The change with the verdicts and the explanation that follow from the numbers of pods."""
    change = difference.change
    if Verdict.REJECTED in change.verdicts:
        return difference
    verdicts = {*change.verdicts}
    if difference.moves is not None:
        verdicts -= MOVES
        verdicts |= {Verdict.SIDECAR_LOST} if difference.moves.lost else set()
        verdicts |= {Verdict.SIDECAR_GAINED} if difference.moves.gained else set()
    shift = difference.shift
    if verdicts & SHIFTS and shift:
        verdicts = verdicts - SHIFTS | _shifted(shift, verdicts)
    if Verdict.ROLLOUT_HALTS in verdicts and ((shift and not shift.held) or not change.keeps_hash):
        verdicts.remove(Verdict.ROLLOUT_HALTS)  # it stops no rollout
    if difference.doubtful and (difference.change.change == "removed" or verdicts - {Verdict.NO_EFFECT}):
        verdicts.add(Verdict.UNKNOWN)
    told = difference._replace(change=change._replace(verdicts=severest_first(verdicts)))
    return told._replace(change=told.change._replace(words=verdict_sentence(told, told.change.verdict)))


def _shifted(shift: RolloutShift, verdicts: set[Verdict]) -> set[Verdict]:
    """What a change of the strategy means for these pods; nothing if none is left to update."""
    if shift.let_go == shift.held:
        still = shift.let_go or (shift.old and Verdict.PACE_CHANGES in verdicts)
        return verdicts & SHIFTS if still else {Verdict.PACE_CHANGES} if shift.old else set()
    return {Verdict.ROLLOUT_ADVANCES if shift.let_go > shift.held else Verdict.ROLLOUT_HALTS}


def verdict_sentence(difference: SetDiff, verdict: Verdict) -> str:
    """What a verdict means for this change, with the numbers of pods; without them its own sentence."""
    rollout = difference.rollout
    match verdict:
        case Verdict.SIDECAR_LOST | Verdict.SIDECAR_GAINED if difference.moves:
            is_lost = verdict is Verdict.SIDECAR_LOST
            moved = difference.moves.lost if is_lost else difference.moves.gained
            return f"{moved_pods(moved)} {'no longer' if is_lost else 'newly'} {_get(moved)} its sidecars."
        case Verdict.UNKNOWN if difference.doubtful:
            return f"{doubt(difference.doubtful)}."
        case Verdict.IN_PLACE:
            what = "Only images change" if _only_images(difference.change) else "Images change"
            if rollout and rollout.matched:
                return f"{what}: {rollout.sentence}."
            return f"{what}: running pods are updated in place."
        case Verdict.RECREATE:
            return _recreate_sentence(difference)
        case Verdict.NEW_PODS_ONLY if difference.advice:
            return f"Running pods do not get the change; {difference.advice}."
        case _ if verdict in SHIFTS or _shifts_nothing(difference, verdict):
            return f"{_strategies(difference)}: {_shift_text(difference, verdict)}."
        case Verdict.NEW_PODS_ONLY if rollout and rollout.updated and difference.change.keeps_hash:
            return f"Only new pods get the change; the rollout in progress updates {number(rollout.updated)}."
        case Verdict.NO_EFFECT if rollout and rollout.updated and difference.change.keeps_hash:
            return (
                f"The change does not affect running pods; the rollout in progress updates {number(rollout.updated)}."
            )
    return verdict.sentence


def _recreate_sentence(difference: SetDiff) -> str:
    rollout, advice = difference.rollout, difference.advice
    if not (rollout and rollout.recreate):
        kept = "More than images changes: running pods keep the old version"
        return f"{kept}; {advice}." if advice else Verdict.RECREATE.sentence
    pods = of_all(rollout.recreate, rollout.matched)
    kept = f"More than images changes: {pods} {'keeps' if rollout.recreate == 1 else 'keep'} the old version"
    return f"{kept}; {advice}." if advice else f"{kept} until recreated."


def _only_images(change: SetChange) -> bool:
    return all(field.path[-1] == "image" and field.path[1] == "containers" for field in change.fields)


def moved_pods(moved: Sequence[Moved]) -> str:
    """`34 pods of 10 workloads`, `27 running pods`."""
    running = [item for item in moved if item.is_running]
    workloads = [item for item in moved if not item.is_running]
    parts = []
    if workloads:
        pods = sum(item.pods or 0 for item in workloads)
        of = f"{number(len(workloads), 'workload')}"
        is_unknown = any(item.pods is None for item in workloads)
        parts.append(f"{of} (unknown number of pods)" if is_unknown else f"{number(pods)} of {of}")
    if running:
        parts.append(number(len(running), "running pod"))
    return " and ".join(parts)


def _get(moved: Sequence[Moved]) -> str:
    return "gets" if len(moved) == 1 and moved[0].pods == 1 else "get"


def _shifts_nothing(difference: SetDiff, verdict: Verdict) -> bool:
    """Whether the strategy changes, and no pod is left to update."""
    shift = difference.shift
    return verdict is Verdict.NO_EFFECT and shift is not None and not shift.old


def _strategies(difference: SetDiff) -> str:
    return ", ".join(_strategy_differences(difference))


def _strategy_differences(difference: SetDiff) -> Iterator[str]:
    old, new = map(strategy_of, (difference.change.old, difference.change.new))
    return strategy_differences(old, new)


def _shift_text(difference: SetDiff, verdict: Verdict) -> str:
    shift = difference.shift
    if shift is None:
        return _WITHOUT_NUMBERS[verdict]
    if not (shift.let_go or shift.held):
        at_a_time = shift.before.max_unavailable_pods, shift.after.max_unavailable_pods
        if not shift.old:
            has_pods = not difference.rollout or difference.rollout.matched
            return "all pods are already updated" if has_pods else "no pod takes part in its rollout"
        if at_a_time[0] != at_a_time[1]:
            return f"up to {number(at_a_time[1])} at a time instead of {at_a_time[0]:,}"
        is_order = any("Strategy" in each for each in _strategy_differences(difference))
        return f"the same pods{', in another order' if is_order else ''}"
    parts = [f"lets {shift.let_go:,} more {'pod' if shift.let_go == 1 else 'pods'} update"] if shift.let_go else []
    parts += [f"holds back {number(shift.held)} that could be updated"] if shift.held else []
    return ", ".join(parts)


_WITHOUT_NUMBERS = {
    Verdict.ROLLOUT_ADVANCES: "lets more pods update",
    Verdict.ROLLOUT_HALTS: "holds back pods that could be updated",
    Verdict.PACE_CHANGES: "changes the order of the updates, or how many pods are updated at a time",
}


def moved_sentence(moved: Sequence[Moved], *, is_lost: bool) -> str:
    """`34 pods of 10 workloads (Deployment shop/web, ... and 7 more) no longer get its sidecars: label ...`."""
    names = named([item.reference for item in moved])
    get = f"{'no longer' if is_lost else 'newly'} {_get(moved)} its sidecars"
    return f"{moved_pods(moved)} ({names}) {get}: {moved[0].cause.text}"
