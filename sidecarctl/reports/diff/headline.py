"""The headline of a change, for the top of a pull request comment."""

from collections.abc import Callable, Sequence

from sidecarctl.operations.comparing.judging import SetDiff, gained_pods, lost_pods
from sidecarctl.operations.comparing.verdicts import Verdict
from sidecarctl.operations.diff import DiffFacts
from sidecarctl.rollout.summary.ending_sentences import number


def headline(facts: DiffFacts) -> str:
    """`1 of 4 SidecarSets needs pods recreated (14 pods); 1 advances its rollout by 12 pods`, as a sentence."""
    differing = [difference for difference in facts.sets if difference.change.change != "unchanged"]
    total = f"{len(facts.sets):,} SidecarSet{'' if len(facts.sets) == 1 else 's'}"
    if not differing:
        return "No SidecarSet changes."
    groups = [
        (say, [difference for difference in differing if _word(difference) == word]) for word, say in _PHRASES.items()
    ]
    said = [f"{len(group):,} {say(group)}" for say, group in groups if group]
    counted, _, rest = said[0].partition(" ")
    return "; ".join([f"{counted} of {total} {rest}", *said[1:]]) + "."


def _word(difference: SetDiff) -> str:
    """The verdict, or that the SidecarSet is added or removed."""
    return str(difference.change.verdict) if difference.change.change == "changed" else difference.change.change


def _recreated(group: Sequence[SetDiff]) -> str:
    pods = sum(
        difference.running.recreate if difference.running else difference.future.kept if difference.future else 0
        for difference in group
    )
    return f"{_verb(group, 'need')} pods recreated{_in_brackets(pods)}"


def _in_place(group: Sequence[SetDiff]) -> str:
    pods = sum(
        difference.running.in_place if difference.running else difference.future.kept if difference.future else 0
        for difference in group
    )
    held = sum(difference.running.held for difference in group if difference.running)
    kept = f", {held:,} of them held back" if held else ""
    return f"{_verb(group, 'update')} pods in place" + (f" ({number(pods)}{kept})" if pods else "")


def _lost(group: Sequence[SetDiff]) -> str:
    return f"no longer {_verb(group, 'select')} all {_its(group)} pods{_in_brackets(sum(map(lost_pods, group)))}"


def _gained(group: Sequence[SetDiff]) -> str:
    return f"{_verb(group, 'select')} more pods{_in_brackets(sum(map(gained_pods, group)))}"


def _advances(group: Sequence[SetDiff]) -> str:
    pods = sum(difference.shift.let_go for difference in group if difference.shift)
    return f"{_verb(group, 'advance')} {_its(group)} rollout" + (f" by {number(pods)}" if pods else "")


def _halts(group: Sequence[SetDiff]) -> str:
    pods = sum(difference.shift.held for difference in group if difference.shift)
    return f"{_verb(group, 'hold')} back {_its(group)} rollout" + (f" by {number(pods)}" if pods else "")


def _in_brackets(pods: int) -> str:
    return f" ({number(pods)})" if pods else ""


def _verb(group: Sequence[SetDiff], word: str) -> str:
    return f"{word}s" if len(group) == 1 else word


def _its(group: Sequence[SetDiff]) -> str:
    return "its" if len(group) == 1 else "their"


def _is(group: Sequence[SetDiff]) -> str:
    return "is" if len(group) == 1 else "are"


_PHRASES: dict[str, Callable[[Sequence[SetDiff]], str]] = {
    Verdict.REJECTED: lambda group: f"{_is(group)} rejected by Kruise",
    Verdict.RECREATE: _recreated,
    Verdict.PODS_LOST: _lost,
    Verdict.IN_PLACE: _in_place,
    Verdict.ROLLOUT_HALTS: _halts,
    Verdict.ROLLOUT_ADVANCES: _advances,
    Verdict.PODS_GAINED: _gained,
    Verdict.PACE_CHANGES: lambda group: f"{_verb(group, 'change')} the pace of {_its(group)} rollout",
    "removed": lambda group: f"{_is(group)} removed{_in_brackets(sum(map(lost_pods, group)))}",
    "added": lambda group: f"{_is(group)} new{_in_brackets(sum(map(gained_pods, group)))}",
    Verdict.NO_EFFECT: lambda group: f"{_verb(group, 'do') if len(group) > 1 else 'does'} nothing to running pods",
}
