"""The waves of a rollout on a page: a block for each wave, or for several equal waves, that opens to its pods."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecarctl.reports.html.charts import place
from sidecarctl.reports.plan.rows import WaveRow, beyond_text, wave_rows
from sidecarctl.rollout.pods.simulated_pods import SimulatedPod
from sidecarctl.rollout.round.rollout_facts import PodPatch
from sidecarctl.rollout.summary.clock import begins_at, clock
from sidecarctl.rollout.summary.places import why_of, with_neighbours
from sidecarctl.rollout.summary.rollout_plan import SetRolloutPlan

_MOST_BLOCKS = 60
_MOST_PODS = 2_000
_MOST_OF_A_BLOCK = 250


@dataclass(frozen=True, slots=True)
class WavePod:
    """A pod that a wave patches: what happens to it, and why it has this place."""

    wave: int
    name: str
    kind: str
    images: tuple[tuple[str, str, str], ...]
    was_ready: bool
    why: str


@dataclass(frozen=True, slots=True)
class WaveBlock:
    """A wave, or several equal waves: numbers for its line, its place on the strip, its pods and how many more.

    `names` are the first few pods; `at` is when it begins, if known.
    """

    label: str
    rounds: str
    kind: str
    pods: int
    unavailable: int
    at: str
    beyond: str
    names: str
    left: str
    width: str
    members: tuple[WavePod, ...]
    more: int
    is_several: bool


def wave_blocks(
    rollout: SetRolloutPlan, pods: Sequence[SimulatedPod], step_seconds: int | None, *, all_pods: bool
) -> Iterator[WaveBlock]:
    """The blocks in the order of the waves."""
    if not rollout.waves:
        return
    rows = wave_rows(
        rollout.waves, len(rollout.waves) if all_pods else _MOST_BLOCKS, rollout.window.max_unavailable_pods
    )
    most = sum(row.pods for row in rows) if all_pods else min(_MOST_OF_A_BLOCK, max(_MOST_PODS // len(rows), 1))
    rounds = max(rollout.rounds, rollout.course[-1].round)
    for row in rows:
        yield _block(rollout, pods, row, rounds, most, step_seconds)


def _block(
    rollout: SetRolloutPlan,
    pods: Sequence[SimulatedPod],
    row: WaveRow,
    rounds: int,
    most: int,
    step_seconds: int | None,
) -> WaveBlock:
    left, width = place(*row.rounds, rounds)
    members = tuple(_pods(rollout, pods, row, most))
    first, last = row.rounds
    return WaveBlock(
        label=_span(row.first, row.last),
        rounds=f"round{'' if first == last else 's'} {_span(first, last)}",
        kind=row.kind,
        pods=row.pods,
        unavailable=row.unavailable,
        at=clock(begins_at(first, step_seconds)) if step_seconds else "",
        beyond=beyond_text(row),
        names=", ".join(map(str, row.names[:3])),
        left=left,
        width=width,
        members=members,
        more=len(row.names) - len(members),
        is_several=row.first != row.last,
    )


def _span(first: int, last: int) -> str:
    return f"{first:,}" if first == last else f"{first:,}-{last:,}"


def _pods(rollout: SetRolloutPlan, pods: Sequence[SimulatedPod], row: WaveRow, most: int) -> Iterator[WavePod]:
    strategy, left = rollout.target.strategy, most
    for index in range(row.first - 1, row.last):
        before = rollout.waves[index - 1].patches[-1] if index else None
        for patch, neighbour in with_neighbours(rollout.waves[index].patches, before):
            if not left:
                return
            left -= 1
            why = why_of(patch, neighbour, strategy, pods[patch.pod_index].labels)
            yield _pod(patch, index + 1, why)


def _pod(patch: PodPatch, wave: int, why: str) -> WavePod:
    images = tuple((change.container, change.before, change.after) for change in patch.images)
    return WavePod(wave, str(patch.pod), patch.kind, images, patch.was_ready or patch.kind == "reset", why)
