"""Charts of a rollout's course: numbers become shapes in a box of 1000 by 100, which the page stretches.

Labels are not part of a shape, so that they keep their size on a phone.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.summary.rollout_plan import RoundCounts, round_label
from sidecarctl.render import blocks

_WIDTH, _HEIGHT = 1000.0, 100.0
_MOST_STEPS = 240
"""Steps of a chart; with more rounds, a step covers several rounds."""

BANDS = (
    ("updated", "updated", "updated and available"),
    ("updating", "updating", "updated, but not available yet; maxUnavailable limits these"),
    ("in_flight", "in flight", "an earlier update has not finished"),
    ("waiting", "waiting", "to be updated in a later round"),
    ("held_back", "held back", "not updated because of partition, selector, paused or NotUpdate"),
    ("not_upgradable", "not updatable", "cannot be updated in place: recreate them"),
)
"""Member of RoundCounts, its word, what it means; from the bottom of the chart to its top."""


class Step(NamedTuple):
    """The rounds from `first` to `last`, with the numbers of pods after the last of them.

    `unavailable` and `updating` are the maxima of these rounds.
    """

    first: int
    last: int
    counts: RoundCounts
    unavailable: int
    updating: int


def ticks_of(most: int) -> tuple[tuple[int, str], ...]:
    """A few round numbers from 0 up, and the maximum, each with its place from the top of a scale, of 1000."""
    size = next(size for size in _TICKS if most <= size * _MOST_TICKS)
    numbers = [number for number in range(0, most, size) if most - number >= size / 2 or not number]
    return tuple((number, _text(_WIDTH - number / most * _WIDTH)) for number in (*numbers, most))


_TICKS = [size * 10**power for power in range(9) for size in (1, 2, 5)]
_MOST_TICKS = 4


class Course(NamedTuple):
    """The shapes of a rollout's course, bands from the bottom to the top, words where they fit, and the scales.

    A shape is an outline, as the `d` of an SVG path; a band has a name too. A label is a word inside of a band, and
    its middle on both scales, in percent. `most` is the highest number of unavailable pods on the lower scale,
    `limit_at` the place of the limit on it.
    """

    steps: tuple[Step, ...]
    bands: tuple[tuple[str, str], ...]
    labels: tuple[tuple[str, str, str], ...]
    unavailable: str
    updating: str
    limit_at: str
    matched: int
    most: int
    rounds: int

    @property
    def is_sampled(self) -> bool:
        """Whether a step covers several rounds."""
        return any(step.last > step.first for step in self.steps[1:-1])


class Standing(NamedTuple):
    """A band of the chart: its word, its meaning, and its number of pods at the start and at the end."""

    band: str
    word: str
    meaning: str
    before: int
    after: int


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


def course_of(
    course: Sequence[RoundCounts], limit: int, *, rounds: int | None = None, most: int | None = None
) -> Course:
    """The shapes of a course; `rounds` and `most` are the scales if it is one of several that are compared."""
    steps = steps_of(course, course[-1].round if rounds is None else rounds)
    matched = max(course[0].matched, 1)
    highest = most or max(1, limit, *(step.unavailable for step in steps))
    edges = [_x(step.first, steps[-1].last) for step in steps]
    tops = [0.0] * len(steps)
    bands: list[tuple[str, str]] = []
    labels: list[tuple[str, str, str]] = []
    for member, word, _ in BANDS:
        bottoms = tops
        tops = [
            below + getattr(step.counts, member) / matched * _HEIGHT
            for below, step in zip(bottoms, steps, strict=True)
        ]
        bands.append((member, _between(edges, bottoms, tops) if tops != bottoms else ""))
        labels += _label(word, edges, bottoms, tops)
    ground = [0.0] * len(steps)
    unavailable, updating = (
        _between(edges, ground, [pods / highest * _HEIGHT for pods in numbers])
        for numbers in ([step.unavailable for step in steps], [step.updating for step in steps])
    )
    limit_at = _text(_HEIGHT - min(max(limit, 0) / highest, 1) * _HEIGHT)
    return Course(
        steps,
        tuple(bands),
        tuple(labels),
        unavailable,
        updating,
        limit_at,
        course[0].matched,
        highest,
        steps[-1].last,
    )


_LETTER, _LINE = 26.0, 13.0
"""The width and height of a label's letter, on a phone."""


def _label(
    word: str, edges: Sequence[float], bottoms: Sequence[float], tops: Sequence[float]
) -> Iterator[tuple[str, str, str]]:
    """The word where a band is widest, if it fits there."""
    width = (len(word) + 1) * _LETTER
    places = []
    for first, left in enumerate(edges):
        if left + width <= _WIDTH:
            covered = slice(first, bisect_left(edges, left + width))
            low, high = max(bottoms[covered]), min(tops[covered])
            places.append((high - low, left + width / 2, (low + high) / 2))
    widest = max((space for space, _, _ in places), default=0.0)
    if widest >= _LINE:
        roomy = [place for place in places if place[0] >= widest * 0.95]
        _, x, y = roomy[len(roomy) // 2]
        yield word, _text(x / _WIDTH * 100), _text(100 - y / _HEIGHT * 100)


def drawn_course(block: blocks.CourseNumbers) -> Course:
    """The shapes of a block."""
    return course_of(block.counts, block.limit, rounds=block.rounds, most=block.most)


def steps_of(course: Sequence[RoundCounts], rounds: int, most: int = _MOST_STEPS) -> tuple[Step, ...]:
    """Steps from the start (round 0) to the last round, at most this many; every maximum is kept."""
    size = max(1, -(-(rounds + 1) // most))
    return tuple(_steps(course, rounds, size))


def _steps(course: Sequence[RoundCounts], rounds: int, size: int) -> Iterator[Step]:
    index = 0
    for first in range(0, rounds + 1, size):
        last = min(first + size - 1, rounds)
        index = start = _at(course, first, index)
        index = _at(course, last, index)
        seen = course[start : index + 1]
        yield Step(
            first,
            last,
            course[index],
            max(counts.unavailable for counts in seen),
            max(counts.updating for counts in seen),
        )


def _at(course: Sequence[RoundCounts], number: int, index: int) -> int:
    """The index of the counts that hold in a round, searched from an index that is not after it."""
    while index + 1 < len(course) and course[index + 1].round <= number:
        index += 1
    return index


def place(first: int, last: int, rounds: int) -> tuple[str, str]:
    """Where rounds lie on the horizontal scale: the left edge, and the width."""
    left = _x(first, rounds)
    return _text(left), _text(max(_x(last + 1, rounds) - left, 1.0))


def _x(number: int, last: int) -> float:
    return number / (last + 1) * _WIDTH


def _between(edges: Sequence[float], bottoms: Sequence[float], tops: Sequence[float]) -> str:
    """The outline of the area between two stepped lines: along the upper one, and back along the lower one."""
    there = [
        f"H{_text(edges[index])}V{_text(_HEIGHT - tops[index])}"
        for index in range(1, len(edges))
        if tops[index] != tops[index - 1]
    ]
    back = [
        f"H{_text(edges[index])}V{_text(_HEIGHT - bottoms[index - 1])}"
        for index in range(len(edges) - 1, 0, -1)
        if bottoms[index] != bottoms[index - 1]
    ]
    start, turn = _text(_HEIGHT - tops[0]), _text(_HEIGHT - bottoms[-1])
    return f"M0 {start}{''.join(there)}H{_text(_WIDTH)}V{turn}{''.join(back)}H0Z"


def _text(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
