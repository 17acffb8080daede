"""The sentences of a diff, which all its forms share."""

from collections.abc import Iterator

from sidecarctl.api.go_json import readable
from sidecarctl.changes.field_changes import FieldChange
from sidecarctl.facts.values import Value
from sidecarctl.operations.comparing.affected_pods import FuturePods, RunningPods
from sidecarctl.operations.comparing.judging import SetDiff, shift_sentence
from sidecarctl.operations.comparing.rollout_shift import SelectedPods
from sidecarctl.operations.comparing.sidecarset_changes import SetChange, errors_of
from sidecarctl.operations.comparing.verdicts import Verdict

SHOWN_FIELDS = 40
"""The number of fields of a SidecarSet that a text shows; documents list all."""

_SHOWN_VALUE = 160
_SHOWN_STRUCTURE = 60


def heading(change: SetChange) -> str:
    """`changed, Recreate: More than images changes: ...`."""
    if change.change == "changed":
        return f"{change.verdict}: {change.explanation}"
    return _HEADINGS[change.change]


_HEADINGS = {
    "added": "a new SidecarSet",
    "removed": "removed",
    "unchanged": "unchanged",
}


def reasons(difference: SetDiff) -> Iterator[str]:
    """The reasons for the verdict, the consequences, and the number of pods."""
    change = difference.change
    yield from (finding.message for finding in errors_of(change))
    if change.verdict is Verdict.RECREATE:
        yield f"because of {_list(change.causes)}"
    yield from change.remarks
    if shift := shift_sentence(difference):
        yield shift
    if difference.selected:
        yield from _selected(difference.selected)
    if difference.running:
        yield _running(difference.running)
    if difference.future:
        yield from _future(difference.future)


def field_value(value: Value) -> str:
    """A value on one line, shortened; `-` for none."""
    if value is None:
        return "-"
    text = readable(value)
    most = _SHOWN_STRUCTURE if isinstance(value, dict | list) else _SHOWN_VALUE
    return text if len(text) <= most else f"{text[:most]}.."


def field_note(change: SetChange, field: FieldChange) -> str:
    """Notes about a field, in addition to its values."""
    return "by default" if field.text in change.defaulted else "order" if field.is_order else ""


def count(number: int, what: str) -> str:
    """`1 pod`, `2 pods`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _list(texts: tuple[str, ...]) -> str:
    shown = ", ".join(texts[:SHOWN_FIELDS])
    return shown if len(texts) <= SHOWN_FIELDS else f"{shown} and {len(texts) - SHOWN_FIELDS} more"


def _running(pods: RunningPods) -> str:
    parts = [
        f"{pods.in_place} updated in place" + (f" ({pods.held} held back)" if pods.held else ""),
        f"{pods.recreate} to be recreated",
        f"{pods.updated} already up to date",
    ]
    said = f"{count(pods.matched, 'running pod')}: {', '.join(parts)}" if pods.matched else "no running pod has it"
    return f"{said}; {pods.left_out} more selected, but not in the rollout" if pods.left_out else said


def _selected(pods: SelectedPods) -> Iterator[str]:
    if pods.lost:
        have = "keeps its sidecars, and is" if pods.lost == 1 else "keep their sidecars, and are"
        yield f"PodsLost: {count(pods.lost, 'running pod')} no longer selected {have} never updated again"
    if new := pods.gained - pods.rejoined:
        get = "gets" if new == 1 else "get"
        yield f"PodsGained: {count(new, 'running pod')} newly selected {get} the sidecars only when recreated"
    if pods.rejoined:
        have = "has the sidecars already and takes" if pods.rejoined == 1 else "have the sidecars already and take"
        yield f"PodsGained: {count(pods.rejoined, 'running pod')} newly selected {have} part in the rollout again"


def _future(pods: FuturePods) -> Iterator[str]:
    if not pods.workloads:
        yield "it is injected into no workload among the inputs"
        return
    total = pods.kept + pods.gained + pods.lost
    every = "all" if pods.kept == total else f"{pods.kept}"
    parts = [
        f"{every} injected before and after" if pods.kept else "",
        f"{pods.gained} newly injected" if pods.gained else "",
        f"{pods.lost} no longer injected" if pods.lost else "",
        f"{count(pods.uncounted, 'workload')} of unknown size" if pods.uncounted else "",
    ]
    yield f"{count(total, 'pod')} in {count(pods.workloads, 'workload')}: {', '.join(filter(None, parts)) or 'none'}"
