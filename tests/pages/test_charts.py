"""Charts: what their steps and shapes show is what the numbers say."""

import re
from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.rollout.summary.rollout_plan import RoundCounts
from sidecarctl.render.charts import BANDS, course_of, place, steps_of, ticks_of

PODS = 12
ROUNDED = 11
"""Of an area of 100,000: places have two decimals."""


@st.composite
def courses(draw: st.DrawFn) -> list[RoundCounts]:
    """Twelve pods, now here and now there, over any rounds from the start on."""
    rounds = sorted(draw(st.sets(st.integers(1, 3_000), max_size=40)))
    course = []
    for number in [0, *rounds]:
        cuts = sorted(draw(st.lists(st.integers(0, PODS), min_size=5, max_size=5)))
        bands = [high - low for low, high in pairwise([0, *cuts, PODS])]
        course.append(RoundCounts._make([number, *bands, draw(st.integers(bands[1], PODS))]))
    return course


def at(course: Sequence[RoundCounts], number: int) -> RoundCounts:
    return [counts for counts in course if counts.round <= number][-1]


@given(courses(), st.integers(1, 50))
def test_steps_cover_every_round_once_and_hide_no_maximum(course: list[RoundCounts], most: int) -> None:
    rounds = course[-1].round
    steps = steps_of(course, rounds, most)
    assert len(steps) <= most
    covered = [number for step in steps for number in range(step.first, step.last + 1)]
    assert covered == list(range(rounds + 1))
    for step in steps:
        within = [at(course, number) for number in range(step.first, step.last + 1)]
        assert step.counts == within[-1]
        assert step.unavailable == max(counts.unavailable for counts in within)
        assert step.updating == max(counts.updating for counts in within)


def area(outline: str) -> float:
    """The area within an outline of horizontal and vertical lines."""
    x, y, corners = 0.0, 0.0, []
    for letter, numbers in re.findall(r"([MHVZ])([-0-9. ]*)", outline):
        values = [float(number) for number in numbers.split()]
        x, y = (
            values
            if letter == "M"
            else (values[0], y)
            if letter == "H"
            else (x, values[0])
            if letter == "V"
            else (x, y)
        )
        corners.append((x, y))
    return abs(sum(a * d - c * b for (a, b), (c, d) in pairwise([*corners, corners[0]]))) / 2


@given(courses())
def test_the_areas_of_bands_are_their_pods_over_time(course: list[RoundCounts]) -> None:
    made = course_of(course, 3)
    rounds = made.rounds + 1
    for (member, _, _), (_, outline) in zip(BANDS, made.bands, strict=True):
        pods = sum(getattr(step.counts, member) * (step.last - step.first + 1) for step in made.steps)
        drawn = area(outline) if outline else 0
        assert abs(drawn - pods / PODS * 100 * 1000 / rounds) <= ROUNDED * (1 + len(made.steps))
    budget = sum(step.updating * (step.last - step.first + 1) for step in made.steps)
    assert abs(area(made.updating) - budget / made.most * 100 * 1000 / rounds) <= ROUNDED * (1 + len(made.steps))


@given(courses(), st.integers(0, 30))
def test_the_limit_lies_on_the_scale_of_unavailable_pods(course: list[RoundCounts], limit: int) -> None:
    made = course_of(course, limit)
    assert made.most == max(1, limit, *(counts.unavailable for counts in course))
    assert abs(float(made.limit_at) - (100 - 100 * limit / made.most)) < 0.01


def test_a_place_is_never_too_narrow_to_be_seen() -> None:
    assert place(1, 1, 9) == ("100", "100")
    assert place(5, 5, 99_999)[1] == "1"


@given(st.integers(1, 5_000_000))
def test_ticks_are_few_and_true(most: int) -> None:
    ticks = ticks_of(most)
    assert (ticks[0], ticks[-1]) == ((0, "1000"), (most, "0"))
    assert len(ticks) <= 6
    numbers = [number for number, _ in ticks]
    assert numbers == sorted(set(numbers))
    for number, at in ticks:
        assert abs(float(at) - (1000 - number / most * 1000)) < 0.01


def test_words_stand_in_the_areas_where_they_fit() -> None:
    course = [
        RoundCounts(number, updated, 0, 0, PODS - updated, 0, 0, 0) for number, updated in ((0, 0), (10, 6), (19, 12))
    ]
    updated, waiting = course_of(course, 10, rounds=29).labels
    assert (updated[0], waiting[0]) == ("updated", "waiting")
    assert float(waiting[1]) < float(updated[1])
    assert 0 < float(updated[2]) < 100
    thin = RoundCounts(0, 1, 0, 0, PODS - 1, 0, 0, 0)
    assert [word for word, _, _ in course_of([thin], 10).labels] == ["waiting"]
