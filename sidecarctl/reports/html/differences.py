"""The parts of pages of differences: sections with a verdict, reasons, fields, pods and a folded diff."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecarctl.changes.field_changes import FieldChange
from sidecarctl.facts.values import Object
from sidecarctl.operations.comparing.affected_pods import RunningPods
from sidecarctl.operations.comparing.verdicts import Verdict
from sidecarctl.reports.diff.sentences import field_value
from sidecarctl.reports.html.findings import FindingRow

_MARKS = {"+": "added", "-": "removed", "@": "place"}


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A field with its values before and after, and a note about it."""

    path: str
    before: str
    after: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class PodsPart:
    """Some of the running pods of a SidecarSet: what the change means for them."""

    colour: str
    word: str
    pods: int


@dataclass(frozen=True, slots=True)
class Section:
    """Something that differs. `names` are further objects with the same difference, `diff` lines with their marks."""

    name: str
    badge: str
    mood: str
    sentence: str
    reasons: tuple[str, ...] = ()
    versions: tuple[tuple[str, str, str], ...] = ()
    fields: tuple[FieldRow, ...] = ()
    more_fields: int = 0
    pods: tuple[PodsPart, ...] = ()
    names: tuple[str, ...] = ()
    diff: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DiffPage:
    """A page of differences: a headline, groups of sections under their titles, the counts, the findings."""

    title: str
    behaviour: str
    json_file: str
    headline: str
    groups: tuple[tuple[str, tuple[Section, ...]], ...]
    summary: str
    findings: tuple[FindingRow, ...]
    data: Object


def mood_of(verdict: Verdict) -> str:
    """The mark of a verdict: `bad`, `odd`, `held` or `good`."""
    if verdict is Verdict.REJECTED:
        return "bad"
    if verdict in (Verdict.RECREATE, Verdict.PODS_LOST):
        return "odd"
    return "good" if verdict in (Verdict.IN_PLACE, Verdict.NO_EFFECT) else "held"


def field_rows(fields: Sequence[FieldChange]) -> Iterator[FieldRow]:
    """A row for each field."""
    return (FieldRow(field.text, field_value(field.before), field_value(field.after)) for field in fields)


def pods_parts(pods: RunningPods | None) -> tuple[PodsPart, ...]:
    """Running pods by what the change means for them; empty without running pods."""
    if pods is None or not pods.matched:
        return ()
    parts = (
        PodsPart("updated", "already up to date", pods.updated),
        PodsPart("updating", "updated in place", pods.in_place - pods.held),
        PodsPart("held_back", "updated in place, but held back", pods.held),
        PodsPart("not_upgradable", "to be recreated", pods.recreate),
    )
    return tuple(part for part in parts if part.pods)


def diff_lines(text: str) -> tuple[tuple[str, str], ...]:
    """The lines of a unified diff, each with its kind."""
    return tuple(_diff_line(line) for line in text.splitlines())


def _diff_line(line: str) -> tuple[str, str]:
    if line.startswith(("--- ", "+++ ")):
        return "file", line
    return _MARKS.get(line[:1], "same"), line
