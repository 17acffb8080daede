"""The course of a rollout on a page: its chart, labels of its axis, numbers at both ends, the script's data."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sidecarctl.facts.values import Object
from sidecarctl.reports.html.charts import BANDS, Course, Step, course_of
from sidecarctl.rollout.summary.clock import begins_at, clock
from sidecarctl.rollout.summary.course import RoundCounts
from sidecarctl.rollout.summary.rollout_plan import SetRolloutPlan


@dataclass(frozen=True, slots=True)
class Standing:
    """A band of the chart: its word, its meaning, and its number of pods at the start and at the end."""

    band: str
    word: str
    meaning: str
    before: int
    after: int


def rollout_course(rollout: SetRolloutPlan, step_seconds: int | None) -> tuple[Course | None, tuple[str, ...]]:
    """The chart of a rollout and the labels below it; None where no pod is patched."""
    if not rollout.waves:
        return None, ()
    rounds = max(rollout.rounds, rollout.course[-1].round)
    course = course_of(rollout.course, rollout.window.max_unavailable_pods, rounds=rounds)
    marks = dict.fromkeys((0, rounds // 4, rounds // 2, 3 * rounds // 4, rounds) if rounds > 8 else (0, rounds))
    return course, tuple(round_label(mark, step_seconds) for mark in marks)


def round_label(number: int, step_seconds: int | None) -> str:
    """`start`, `round 12`, and when that begins, if known."""
    if not number:
        return "start"
    return f"round {number:,}" + (f" at {clock(begins_at(number, step_seconds))}" if step_seconds else "")


def used_bands(course: Iterable[RoundCounts]) -> tuple[tuple[str, str], ...]:
    """The bands that have pods at any time: member of RoundCounts, and word."""
    members = {member for counts in course for member, _, _ in BANDS if getattr(counts, member)}
    return tuple((member, word) for member, word, _ in BANDS if member in members)


def standings(course: Sequence[RoundCounts]) -> tuple[Standing, ...]:
    """The bands that have pods at any time, with the numbers at both ends."""
    meanings = {member: meaning for member, _, meaning in BANDS}
    return tuple(
        Standing(member, word, meanings[member], getattr(course[0], member), getattr(course[-1], member))
        for member, word in used_bands(course)
    )


def chart_data(course: Course, limit: int, step_seconds: int | None) -> Object:
    """The data that the script needs to show the numbers of a step."""
    used = used_bands(step.counts for step in course.steps)
    return {
        "rounds": course.rounds,
        "limit": limit,
        "words": [word for _, word in used],
        "steps": [_step(step, [member for member, _ in used], step_seconds) for step in course.steps],
    }


def _step(step: Step, members: Sequence[str], step_seconds: int | None) -> Object:
    label = round_label(step.last, step_seconds)
    if step.first < step.last:
        label = f"{round_label(step.first, None)} to {label}"
    return {
        "first": step.first,
        "last": step.last,
        "label": label,
        "pods": [getattr(step.counts, member) for member in members],
        "unavailable": step.unavailable,
        "updating": step.updating,
    }
