"""The sentences about a change of SidecarSets that all report formats share."""

from collections.abc import Callable, Iterator, Sequence

from sidecarctl.engine.api.canonical import readable
from sidecarctl.engine.comparing.judged_changes import MOVES, SetDiff, moved_pods, moved_sentence, verdict_sentence
from sidecarctl.engine.comparing.lost_and_gained import Moved, TemplatePods
from sidecarctl.engine.comparing.pod_effects import CostChange, RolloutNumbers
from sidecarctl.engine.comparing.set_changes import OTHER_PODS, SetChange, errors_of
from sidecarctl.engine.comparing.set_diff import DiffFacts, by_cause
from sidecarctl.engine.comparing.verdicts import Verdict
from sidecarctl.engine.facts.findings import named
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Value
from sidecarctl.engine.field_changes import FieldChange
from sidecarctl.engine.rollout.summary.sentences import number, of_all
from sidecarctl.features.diff.changed_words import changed_words
from sidecarctl.render.amounts import change_words
from sidecarctl.render.blocks import Bar, BarPart, FieldRow
from sidecarctl.render.lines import count

SHOWN_FIELDS = 40
"""The number of fields of a SidecarSet that a text shows; documents list all."""


def heading(difference: SetDiff) -> str:
    """`SidecarLost, Recreate: 33 pods ...`: every verdict, and what the first means."""
    change = difference.change
    said = f"{', '.join(change.verdicts)}: {change.explanation}"
    return f"{_WHAT_HAPPENS[change.change]}{said}" if difference.differs else "unchanged"


_WHAT_HAPPENS = {
    "added": "a new SidecarSet, ",
    "removed": "removed, ",
    "unchanged": "itself unchanged, ",
    "changed": "",
}


def reasons(difference: SetDiff) -> Iterator[str]:
    """The reasons for the verdicts, the consequences, and the number of pods."""
    change, moves = difference.change, difference.moves
    yield from (finding.message for finding in errors_of(change))
    because = f"because of {named(change.causes, SHOWN_FIELDS)}" if change.causes else ""
    if because and change.verdict is Verdict.RECREATE:
        yield because
    yield from (remark for remark in change.remarks if not (moves and remark == OTHER_PODS))
    for verdict in change.verdicts[1:]:
        if not (moves and verdict in MOVES):
            why = f", {because}" if because and verdict is Verdict.RECREATE else ""
            yield f"{verdict}{why}: {verdict_sentence(difference, verdict).rstrip('.')}"
    if moves and Verdict.REJECTED not in change.verdicts:
        yield from (_moved(group, is_lost=True) for group in by_cause(moves.lost))
        yield from (_moved(group, is_lost=False) for group in by_cause(moves.gained))
    if difference.rollout and (difference.rollout.matched or not difference.doubtful):
        yield rollout_sentence(difference.rollout)
    if difference.new_pods:
        yield difference.new_pods
    if difference.cost:
        yield f"requests: {cost_sentence(difference.cost)}"
    if moves and (moves.templates.workloads or not (difference.doubtful or _counts_pods(difference))):
        yield _templates(moves.templates)


def _counts_pods(difference: SetDiff) -> bool:
    """Whether running pods are counted, or nothing happens to any pod, so that workloads say nothing more."""
    moves, rollout = difference.moves, difference.rollout
    has_moved = bool(moves and (moves.lost or moves.gained))
    return has_moved or Verdict.REJECTED in difference.change.verdicts or bool(rollout and not rollout.synthetic)


def _moved(group: Sequence[Moved], *, is_lost: bool) -> str:
    verdict = Verdict.SIDECAR_LOST if is_lost else Verdict.SIDECAR_GAINED
    cause = group[0].cause
    place = f" ({cause.place})" if cause.place and cause.place.file else ""
    return f"{verdict}: {moved_sentence(group, is_lost=is_lost)}{place}{_consequence(group, is_lost=is_lost)}"


def _again(had: int, total: int) -> str:
    """How many of the pods have the sidecars already."""
    if not had:
        return ""
    who = ("it" if total == 1 else "all of them") if had == total else f"{had:,} of them"
    verbs = ("has", "takes") if had == 1 else ("have", "take")
    return f"; {who} {verbs[0]} the sidecars already and {verbs[1]} part in the rollout again"


def _consequence(group: Sequence[Moved], *, is_lost: bool) -> str:
    """What that means for running pods."""
    if not group[0].is_running:
        return ""
    if is_lost and group[0].cause.is_refusal:
        return "; running pods stay, and pods that replace them cannot be created"
    if not is_lost:
        had = sum(item.had for item in group)
        return f"; running pods get them only when they are recreated{_again(had, len(group))}"
    if group[0].cause.reason is Reason.INJECTION_PAUSED:
        return "; running pods keep them until they are recreated"
    return "; running pods keep them until they are recreated, and are never updated again"


def what_changes(difference: SetDiff) -> str:
    """The fields that change, in words; for an unchanged SidecarSet, what changes around it."""
    change, moves = difference.change, difference.moves
    if change.change in ("added", "removed"):
        return change.change
    moved = [*moves.lost, *moves.gained] if moves else []
    around = dict.fromkeys(item.cause.text for item in moved if not item.cause.text.startswith("spec."))
    return "; ".join(filter(None, [changed_words(change.fields), *around]))


def field_value(value: Value) -> str:
    """A value on one line; `-` for none."""
    return "-" if value is None else readable(value)


def field_row(field: FieldChange, note: str = "") -> FieldRow:
    """A field as a row of a table."""
    structures = isinstance(field.before, dict | list), isinstance(field.after, dict | list)
    return FieldRow(field.text, field_value(field.before), field_value(field.after), note, structures)


def field_note(change: SetChange, field: FieldChange) -> str:
    """Notes about a field, in addition to its values."""
    return "by default" if field.text in change.defaulted else "order" if field.is_order else ""


def rollout_sentence(rollout: RolloutNumbers) -> str:
    """The rollout in the words of `plan`, and the pods that are not part of it."""
    if not rollout.matched:
        whose = "pod of a workload" if rollout.synthetic else "running pod"
        said = f"no {whose} takes part in its rollout"
        verb = "is" if rollout.left_out == 1 else "are"
        return f"{said}, though {rollout.left_out:,} {verb} selected" if rollout.left_out else said
    whose = "pods of workloads" if rollout.synthetic else "running pods"
    said = f"rollout over the {whose}: {rollout.message.rstrip('.')}"
    return f"{said}; {rollout.left_out:,} more selected, but not in the rollout" if rollout.left_out else said


def cost_sentence(cost: CostChange) -> str:
    """`+18 cores, +36 GiB over 412 pods`; running ones once they are recreated, as resources are never updated."""
    return f"{change_words(cost.change)} over {number(cost.pods)}{', once recreated' if cost.running else ''}"


def _templates(pods: TemplatePods) -> str:
    if not pods.workloads:
        return "it is injected into no workload among the inputs"
    total = pods.kept + pods.gained + pods.lost
    every = "all" if pods.kept == total else f"{pods.kept}"
    parts = [
        f"{every} injected before and after" if pods.kept else "",
        f"{pods.gained} newly injected" if pods.gained else "",
        f"{pods.lost} no longer injected" if pods.lost else "",
        f"{count(pods.uncounted, 'workload')} of unknown size" if pods.uncounted else "",
    ]
    return f"{count(total, 'pod')} in {count(pods.workloads, 'workload')}: {', '.join(filter(None, parts)) or 'none'}"


def headline(facts: DiffFacts) -> str:
    """`1 of 4 SidecarSets needs pods recreated (14 pods) and advances its rollout by 12 pods.`."""
    total = number(len(facts.sets), "SidecarSet")
    groups: dict[tuple[str, ...], list[SetDiff]] = {}
    for difference in facts.sets:
        if difference.differs:
            groups.setdefault(brief_words(difference), []).append(difference)
    if not groups:
        cost = f" Sidecars request {cost_sentence(facts.cost)}." if facts.cost else ""
        return f"No SidecarSet changes.{cost}"
    order = sorted(groups, key=lambda words: [_WORDS.index(word) for word in words])
    said = [
        f"{len(groups[words]):,} {' and '.join(_PHRASES[word](groups[words]) for word in words)}" for words in order
    ]
    counted, _, rest = said[0].partition(" ")
    said = [f"{counted} of {total} {rest}", *said[1:]]
    said += [f"sidecars request {cost_sentence(facts.cost)}"] if facts.cost else []
    return "; ".join(said) + "."


def words_of(difference: SetDiff) -> tuple[str, ...]:
    """What happens to the SidecarSet, and its verdicts."""
    change = difference.change
    if not difference.differs:
        return ("unchanged",)
    happens = (change.change,) if change.change in ("added", "removed") else ()
    return (*happens, *(str(verdict) for verdict in change.verdicts if str(verdict) != "NoEffect" or not happens))


def brief_words(difference: SetDiff) -> tuple[str, ...]:
    """The words in short: a SidecarSet that comes or goes implies who gets or loses its sidecars."""
    words = words_of(difference)
    if words[0] not in ("added", "removed"):
        return words
    if Verdict.REJECTED in words:
        return (str(Verdict.REJECTED),)
    return (words[0], *(word for word in words if word == Verdict.UNKNOWN))


def _recreated(group: Sequence[SetDiff]) -> str:
    pods = sum(difference.rollout.recreate for difference in group if difference.rollout)
    return f"{_verb(group, 'need')} pods recreated" + (f" ({number(pods)})" if pods else "")


def _in_place(group: Sequence[SetDiff]) -> str:
    rollouts = [difference.rollout for difference in group if difference.rollout and difference.rollout.matched]
    said = f"{_verb(group, 'update')} pods in place"
    if not rollouts:
        return said
    if len(group) == 1:
        return f"{said} ({rollouts[0].sentence})"
    total, held = sum(each.already + each.updated for each in rollouts), sum(each.held for each in rollouts)
    kept = f"; {held:,} held back" if held else ""
    return f"{said} ({of_all(total, sum(each.matched for each in rollouts))} can be updated{kept})"


def _moved_briefly(group: Sequence[SetDiff], *, is_lost: bool) -> str:
    """`34 pods of 10 workloads (label mesh of Namespace shop: on → none)`: the cause if there is one only."""
    moves = [difference.moves for difference in group if difference.moves]
    moved = [item for each in moves for item in (each.lost if is_lost else each.gained)]
    if not moved:
        return ""
    objects = {(item.reference, item.is_running): item for item in moved}
    causes = {item.cause.text for item in moved if item.cause.reason is not Reason.NO_SET_APPLIES}
    cause = f" ({causes.pop()})" if len(causes) == 1 else f" (for {len(causes)} causes)" if causes else ""
    return f"{moved_pods(list(objects.values()))}{cause}"


def _into(group: Sequence[SetDiff], word: str, *, is_lost: bool) -> str:
    pods = _moved_briefly(group, is_lost=is_lost)
    return f" ({word} {pods})" if pods else ""


def _shifts(group: Sequence[SetDiff], verb: str, *, is_held: bool) -> str:
    shifts = [difference.shift for difference in group if difference.shift]
    pods = sum(shift.held if is_held else shift.let_go for shift in shifts)
    if is_held:
        return f"{verb} {f'{number(pods)} of ' if pods else ''}{_its(group)} rollout"
    return f"{verb} {_its(group)} rollout" + (f" by {number(pods)}" if pods else "")


def _verb(group: Sequence[SetDiff], word: str) -> str:
    return f"{word}s" if len(group) == 1 else word


def _its(group: Sequence[SetDiff]) -> str:
    return "its" if len(group) == 1 else "their"


def _is(group: Sequence[SetDiff]) -> str:
    return "is" if len(group) == 1 else "are"


_PHRASES: dict[str, Callable[[Sequence[SetDiff]], str]] = {
    Verdict.REJECTED: lambda group: f"{_is(group)} rejected by Kruise",
    Verdict.RECREATE: _recreated,
    Verdict.UNKNOWN: lambda group: f"{_verb(group, 'depend')} on unknown labels of namespaces",
    Verdict.SIDECAR_LOST: lambda group: (
        f"{_is(group)} no longer injected into {_moved_briefly(group, is_lost=True) or 'some pods'}"
    ),
    "removed": lambda group: f"{_is(group)} removed{_into(group, 'from', is_lost=True)}",
    Verdict.IN_PLACE: _in_place,
    Verdict.NEW_PODS_ONLY: lambda group: f"{_verb(group, 'change')} only new pods",
    Verdict.ROLLOUT_HALTS: lambda group: _shifts(group, f"{_verb(group, 'hold')} back", is_held=True),
    Verdict.ROLLOUT_ADVANCES: lambda group: _shifts(group, _verb(group, "advance"), is_held=False),
    Verdict.SIDECAR_GAINED: lambda group: (
        f"{_is(group)} injected into {_moved_briefly(group, is_lost=False) or 'more pods'}, newly"
    ),
    Verdict.PACE_CHANGES: lambda group: f"{_verb(group, 'change')} the pace of {_its(group)} rollout",
    "added": lambda group: f"{_is(group)} new{_into(group, 'into', is_lost=False)}",
    Verdict.NO_EFFECT: lambda group: f"{_verb(group, 'change')} no pod",
}
_WORDS = list(_PHRASES)


def mood_of(verdict: Verdict) -> str:
    """The mark of a verdict: `bad`, `odd`, `held` or `good`."""
    if verdict is Verdict.REJECTED:
        return "bad"
    if verdict in (Verdict.RECREATE, Verdict.SIDECAR_LOST, Verdict.UNKNOWN):
        return "odd"
    return "good" if verdict in (Verdict.IN_PLACE, Verdict.NO_EFFECT) else "held"


def bar_of(rollout: RolloutNumbers | None) -> list[Bar]:
    """The pods of a rollout by what it does to them; empty without pods."""
    if rollout is None or not rollout.matched:
        return []
    parts = (
        BarPart("updated", "already up to date", rollout.already),
        BarPart("updating", "updated now", rollout.updated),
        BarPart("held_back", "held back", rollout.held),
        BarPart("waiting", "waiting: the rollout stalls", rollout.waiting),
        BarPart("in_flight", "with an earlier update", rollout.busy),
        BarPart("not_upgradable", "to be recreated", rollout.recreate),
    )
    whose = "Pods of workloads" if rollout.synthetic else "Running pods"
    return [Bar(whose, tuple(part for part in parts if part.pods))]
