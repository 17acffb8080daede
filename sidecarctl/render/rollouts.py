"""The rollout of a SidecarSet on a page: the chart of its course, and its waves."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.summary.rollout_plan import round_label
from sidecarctl.render.blocks import PatchLine, WaveLine, WaveList
from sidecarctl.render.charts import Course, Standing, chart_data, drawn_course, place, standings, ticks_of
from sidecarctl.render.output import Page

_OWN_BLOCKS, _MOST_BLOCKS = 12, 60
_MOST_PODS = 2_000
_MOST_OF_A_BLOCK = 250


class WaveBlock(NamedTuple):
    """A wave, or several equal waves: its place on the strip, and its first pods."""

    line: WaveLine
    left: str
    width: str
    members: tuple[PatchLine, ...]


class WavesView(NamedTuple):
    """The chart and the waves of a rollout; `chart` is its index in the data, `ticks` are those of the chart."""

    name: str
    number: int
    limit: int
    largest: int
    chart: int
    course: Course
    ticks: tuple[tuple[int, str], ...]
    held: tuple[tuple[str, str, str], ...]
    axis: tuple[str, ...]
    standings: tuple[Standing, ...]
    waves: tuple[WaveBlock, ...]
    data: Object


def waves_view(block: WaveList, page: Page, chart: int) -> WavesView:
    """What a page draws of a rollout."""
    course, rounds = drawn_course(block.course), block.course.rounds
    marks = dict.fromkeys((0, rounds // 4, rounds // 2, 3 * rounds // 4, rounds) if rounds > 8 else (0, rounds))
    return WavesView(
        block.name,
        block.number,
        block.course.limit,
        block.course.largest,
        chart,
        course,
        ticks_of(course.matched) if course.matched else (),
        block.held,
        tuple(round_label(mark, block.step_seconds) for mark in marks),
        standings(block.course.counts),
        tuple(wave_blocks(block, all_pods=page.all_pods)),
        chart_data(course, block.course.limit, block.step_seconds),
    )


def wave_blocks(block: WaveList, *, all_pods: bool) -> Iterator[WaveBlock]:
    """The blocks in the order of the waves."""
    lines = block.lines(block.number, block.number) if all_pods else block.lines(_MOST_BLOCKS, _OWN_BLOCKS)
    most = None if all_pods else min(_MOST_OF_A_BLOCK, max(_MOST_PODS // len(lines), 1))
    for line in lines:
        left, width = place(*line.rounds, block.course.rounds)
        yield WaveBlock(line, left, width, tuple(islice(block.patches(line), most)))
