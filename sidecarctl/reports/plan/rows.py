"""The content of plan reports before layout: rows of waves, groups of pods that are not updated."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import path_text
from sidecarctl.facts.values import Value
from sidecarctl.rollout.pods.simulated_pods import PodName
from sidecarctl.rollout.round.rollout_facts import Ending, Round
from sidecarctl.rollout.summary.blocked_fields import FieldDifference
from sidecarctl.rollout.summary.rollout_plan import Plan, SetRolloutPlan

_AT_ENDS = 3
"""Waves with their own rows at both ends of a folded list."""
_MOST_CAUSES = 8
"""Groups of blocked pods, by blocking fields, that are listed separately; and the fields shown of a group."""
_SHOWN = 60
"""The number of characters shown of a field value."""


class WaveRow(NamedTuple):
    """A wave, or several equal waves in a row.

    Their numbers, rounds, the pods of each wave, and how many were unavailable after it. `unready`: how many of the
    pods were not ready, which do not count against maxUnavailable; `beyond`: a wave is larger than maxUnavailable.
    """

    first: int
    last: int
    rounds: tuple[int, int]
    kind: str
    pods: int
    unavailable: int
    names: tuple[PodName, ...]
    unready: int = 0
    beyond: bool = False


class Staying(NamedTuple):
    """A group of pods: a heading, details, and the pods."""

    title: str
    detail: tuple[str, ...]
    names: tuple[PodName, ...]


def wave_rows(waves: Sequence[Round], most: int, max_unavailable: int = 1 << 62) -> list[WaveRow]:
    """A row for each wave; with more than `most`, equal waves in a row share a row, and so do those in the middle."""
    rows = [_row(number, wave, max_unavailable) for number, wave in enumerate(waves, 1)]
    if len(rows) <= most:
        return rows
    head, tail = rows[:_AT_ENDS], rows[-_AT_ENDS:]
    middle = [_together(list(alike)) for _, alike in groupby(rows[_AT_ENDS:-_AT_ENDS], _likeness)]
    if len(middle) > most - 2 * _AT_ENDS:
        middle = [_together(middle)]
    return [*head, *middle, *tail]


def images_of(rollout: SetRolloutPlan) -> list[tuple[str, str, str]]:
    """Container, image before, image after: each change once, in order."""
    changes = dict.fromkeys(change for wave in rollout.waves for patch in wave.patches for change in patch.images)
    return list(dict.fromkeys((change.container, change.before, change.after) for change in changes))


def short_image(old: str, new: str) -> str:
    """The new image, without a registry and path shared with the old one."""
    path = new.rpartition("/")[0]
    return new.removeprefix(f"{path}/") if path and old.startswith(f"{path}/") else new


def staying(
    plan: Plan, rollout: SetRolloutPlan, blocked: Mapping[int, Sequence[FieldDifference]], *, with_held: bool = True
) -> list[Staying]:
    """The pods that are not updated at the end, grouped; then those that are left out of the rollout."""
    pods, outcome = plan.pods, rollout.outcome
    held = outcome.ending in (Ending.PAUSED, Ending.NOT_UPDATE)
    groups: list[Staying] = []

    def add(title: str, indices: Iterable[int], *detail: str) -> None:
        names = tuple(pods[index].name for index in indices)
        if names:
            groups.append(Staying(title, detail, names))

    add("using up maxUnavailable: updated, but not available", outcome.holding_budget)
    if with_held:
        add(
            "unchanged: no pod is updated" if held else "still waiting",
            (*outcome.waiting, *outcome.held_by_partition) if held else outcome.waiting,
        )
        add("held back by partition", () if held else outcome.held_by_partition)
        add("held back by the selector of updateStrategy", outcome.not_selected)
    add("with an update in flight", outcome.busy)
    for fields, indices in _by_fields(outcome.not_upgradable, blocked):
        add("not updatable in place: recreate them", indices, *fields)
    for (reason, message), indices in _by_reason(rollout).items():
        add(f"left out: {message} [{reason}]", indices)
    return groups


def _row(number: int, wave: Round, most: int) -> WaveRow:
    names = tuple([patch.pod for patch in wave.patches])
    kind = wave.patches[0].kind
    unready = len([patch for patch in wave.patches if not patch.was_ready and patch.kind == "upgrade"])
    rounds = (wave.number, wave.number)
    beyond = len(names) > max(most, 0)
    return WaveRow(number, number, rounds, kind, len(names), wave.unavailable_after, names, unready, beyond)


def _likeness(row: WaveRow) -> tuple[str, int, int]:
    return row.kind, row.pods, row.unready


def beyond_text(row: WaveRow) -> str:
    """Why a wave is larger than maxUnavailable; empty if it is not."""
    if not row.beyond:
        return ""
    if row.kind == "reset":
        return "emptying idle containers is not limited by maxUnavailable"
    was, take = ("was", "takes") if row.unready == 1 else ("were", "take")
    ready = row.pods - row.unready
    return f"{ready:,} + {row.unready:,} that {was} not ready and {take} no budget" if row.unready else ""


def _together(rows: Sequence[WaveRow]) -> WaveRow:
    first, last = rows[0], rows[-1]
    return WaveRow(
        first.first,
        last.last,
        (first.rounds[0], last.rounds[1]),
        first.kind if all(row.kind == first.kind for row in rows) else "mixed",
        max(row.pods for row in rows),
        max(row.unavailable for row in rows),
        tuple(name for row in rows for name in row.names),
        max(row.unready for row in rows),
        any(row.beyond for row in rows) and len({_likeness(row) for row in rows}) == 1,
    )


def _by_fields(
    indices: Iterable[int], blocked: Mapping[int, Sequence[FieldDifference]]
) -> Iterator[tuple[tuple[str, ...], list[int]]]:
    """Blocked pods by blocking fields, largest groups first; beyond a few, groups are combined."""
    groups: dict[tuple[str, ...], list[int]] = {}
    paths: dict[tuple[str, ...], list[str]] = {}
    for index in indices:
        fields = blocked.get(index, ())
        cause = tuple(map(difference_text, fields))
        groups.setdefault(cause, []).append(index)
        paths.setdefault(cause, [path_text(entry.path) for entry in fields])
    ordered = sorted(groups, key=lambda cause: -len(groups[cause]))
    for cause in ordered[:_MOST_CAUSES]:
        yield _capped(cause), groups[cause]
    if others := ordered[_MOST_CAUSES:]:
        differing = dict.fromkeys(path for cause in others for path in paths[cause])
        members = [index for cause in others for index in groups[cause]]
        yield ("values that differ from pod to pod, in", *_capped(differing)), members


def _capped(lines: Iterable[str]) -> tuple[str, ...]:
    every = tuple(lines)
    more = len(every) - _MOST_CAUSES
    return (*every[:_MOST_CAUSES], f"and {more:,} more") if more > 0 else every


def difference_text(entry: FieldDifference) -> str:
    """`spec.containers[0].env: is ..., would be ...`."""
    return f"{path_text(entry.path)}: is {_value(entry.now)}, would be {_value(entry.new)}"


def _value(value: Value) -> str:
    if value is None:
        return "absent"
    import json

    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _by_reason(rollout: SetRolloutPlan) -> dict[tuple[str, str], list[int]]:
    groups: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for left in rollout.left_out:
        groups[str(left.reason), left.message].append(left.pod_index)
    return groups
