"""The content of plan reports before layout: rows for people, and the document of kind RolloutPlan."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from sidecarctl.engine.facts.findings import named
from sidecarctl.engine.facts.values import Object, Value, natural, path_text
from sidecarctl.engine.injection.new_pods import RECREATE
from sidecarctl.engine.plan_file.document import PlanContext, plan_document
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.facts import Ending, Round
from sidecarctl.engine.rollout.plan_options import PlanOptions, texts_of
from sidecarctl.engine.rollout.simulated_pods import PodName
from sidecarctl.engine.rollout.spreading import Pace
from sidecarctl.engine.rollout.summary.rollout_plan import LargestInGroup, Plan, SetBudget, SetRolloutPlan
from sidecarctl.engine.rollout.summary.sentences import first_wave, number
from sidecarctl.engine.rollout.summary.sidecar_comparison import FieldDifference
from sidecarctl.features.plan.plan import PlanFacts
from sidecarctl.features.plan.recreation import recreation_data

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
    `ends_at`: the pod at which a PodUnavailableBudget ended the wave, and the budget; of several waves the last.
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
    ends_at: tuple[str, str] = ("", "")


class Staying(NamedTuple):
    """A group of pods: a heading, details, and the pods."""

    title: str
    detail: tuple[str, ...]
    names: tuple[PodName, ...]


def wave_rows(
    waves: Sequence[Round], most: int, max_unavailable: int = 1 << 62, own: int | None = None
) -> list[WaveRow]:
    """A row for each wave; with more than `own`, equal waves in a row share a row.

    With more than `most` rows, those in the middle share one. `own` is `most` if it is not given.
    """
    rows = [_row(number, wave, max_unavailable) for number, wave in enumerate(waves, 1)]
    if len(rows) <= (most if own is None else own):
        return rows
    head, tail = rows[:_AT_ENDS], rows[-_AT_ENDS:]
    middle = [_together(list(alike)) for _, alike in groupby(rows[_AT_ENDS:-_AT_ENDS], _likeness)]
    if len(middle) > most - 2 * _AT_ENDS:
        middle = [_together(middle)]
    return [*head, *middle, *tail]


def mood(rollout: SetRolloutPlan) -> str:
    """The mark of the end of a rollout: `bad`, `held`, `odd` or `good`."""
    ending = rollout.outcome.ending
    if ending.is_objection:
        return "bad"
    if ending not in (Ending.COMPLETE, Ending.NOTHING_TO_DO):
        return "held"
    return "good" if rollout.outcome.status.matched and not rollout.outcome.holding_budget else "odd"


def images_of(rollout: SetRolloutPlan) -> list[tuple[str, str, str]]:
    """Container, image before, image after: each change once, in order."""
    changes = dict.fromkeys(change for wave in rollout.waves for patch in wave.patches for change in patch.images)
    return list(dict.fromkeys((change.container, change.before, change.after) for change in changes))


_NOT_SELECTED = "held back by the selector of updateStrategy"
_NOT_OF_THE_PLAN = "left as they are: not updated by the plan, or from another version"  # a rollback has no selector


def staying(plan: Plan, rollout: SetRolloutPlan, blocked: Mapping[int, Sequence[FieldDifference]]) -> list[Staying]:
    """The pods that are not updated at the end, grouped; then the pods that are not part of the rollout."""
    pods, outcome = plan.pods, rollout.outcome
    held = outcome.ending in (Ending.PAUSED, Ending.NOT_UPDATE)
    groups: list[Staying] = []

    def add(title: str, indices: Iterable[int], *detail: str) -> None:
        names = tuple(pods[index].name for index in indices)
        if names:
            groups.append(Staying(title, detail, names))

    add("with other images, though Kruise counts them as updated, by their recorded hash", rollout.put_back)
    add("using up maxUnavailable: updated, but not available", outcome.holding_budget)
    add(
        "unchanged: no pod is updated" if held else "still waiting",
        (*outcome.waiting, *outcome.held_by_partition) if held else outcome.waiting,
    )
    add("held back by partition", () if held else outcome.held_by_partition)
    add(_NOT_OF_THE_PLAN if rollout.target.only else _NOT_SELECTED, outcome.not_selected)
    add("with an update in flight", outcome.busy)
    for fields, alike in _by_fields(outcome.not_upgradable, blocked):
        advised = dict.fromkeys(rollout.recreation[index] for index in alike)
        for advice in advised:
            what = "recreate them" if advice == RECREATE else advice
            own = [index for index in alike if rollout.recreation[index] == advice]
            add(f"not updatable in place: {what}", own, *fields)
    for (reason, message), indices in _by_reason(rollout).items():
        add(f"left out: {message} [{reason}]", indices)
    return groups


def _row(number: int, wave: Round, most: int) -> WaveRow:
    names = tuple([patch.pod for patch in wave.patches])
    kinds = {patch.kind for patch in wave.patches}
    kind = kinds.pop() if len(kinds) == 1 else "mixed"  # up to Kruise 1.8 a round with resets continues
    unready = len([patch for patch in wave.patches if not patch.was_ready and patch.kind == "upgrade"])
    rounds = (wave.number, wave.number)
    beyond = len(names) > max(most, 0)
    ends_at = (str(wave.refusal.pod), str(wave.refusal.budget)) if wave.refusal else ("", "")
    return WaveRow(number, number, rounds, kind, len(names), wave.unavailable_after, names, unready, beyond, ends_at)


def _likeness(row: WaveRow) -> tuple[str, int, int, str]:
    return row.kind, row.pods, row.unready, row.ends_at[1]


def remark_of(row: WaveRow) -> str:
    """Why a wave is larger than maxUnavailable, or where a PodUnavailableBudget ends it; empty if neither."""
    return "; ".join(filter(None, (_beyond_text(row), _ends_text(row))))


def _ends_text(row: WaveRow) -> str:
    pod, budget = row.ends_at
    if not budget:
        return ""
    return (
        f"ends at {pod}: PUB {budget} has no room"
        if row.first == row.last
        else f"each ends when PUB {budget} is full"
    )


def _beyond_text(row: WaveRow) -> str:
    if not row.beyond:
        return ""
    if row.kind != "upgrade":
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
        " and ".join(sorted({row.kind for row in rows}, reverse=True)),
        max(row.pods for row in rows),
        max(row.unavailable for row in rows),
        tuple(name for row in rows for name in row.names),
        max(row.unready for row in rows),
        any(row.beyond for row in rows) and len({_likeness(row) for row in rows}) == 1,
        last.ends_at if len({row.ends_at[1] for row in rows}) == 1 else ("", ""),
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
    return f"{path_text(entry.path)}: is {value_text(entry.now)}, would be {value_text(entry.new)}"


def value_text(value: Value) -> str:
    """A value as people read it, cut if it is long."""
    if value is None:
        return "absent"

    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def item_text(value: Value) -> str:
    """An item of a list without its name, for rows that have the name."""
    is_named = isinstance(value, dict) and len(value) > 1
    return value_text({key: member for key, member in value.items() if key != "name"} if is_named else value)


def _by_reason(rollout: SetRolloutPlan) -> dict[tuple[str, str], list[int]]:
    groups: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for left in rollout.left_out:
        groups[str(left.reason), left.message].append(left.pod_index)
    return groups


def by_label(groups: Iterable[LargestInGroup]) -> Iterator[tuple[str, list[LargestInGroup]]]:
    """Each label with the groups of its values, those with most unavailable pods first."""
    found: defaultdict[str, list[LargestInGroup]] = defaultdict(list)
    for group in groups:
        found[group.by].append(group)
    for by, own in found.items():
        yield by, sorted(own, key=lambda group: (-group.largest, natural(group.value)))


def pace_sentence(pace: Pace) -> str:
    """`with scatterStrategy: [...] at most 2 of 10 pods of group=a are down at once`."""
    worst = pace.worst
    return f"with {pace.change} at most {worst.largest:,} of {number(worst.pods)} of {worst.by}={worst.value} at once"


_MOST_IMAGES = 6


def budget_text(budget: SetBudget) -> str:
    """`shop/web: room for 2 of 30 (maxUnavailable 2), protects 12 pods`."""
    numbers = budget.numbers
    room = f"room for {numbers.allowed:,} of {numbers.total:,} ({budget.spec.limit_text})"
    return f"{numbers.name}: {room}, protects {number(budget.pods)}"


def head_rows(facts: PlanFacts, rollout: SetRolloutPlan) -> Iterator[tuple[str, str]]:
    """Label and text; the label is empty if it repeats."""
    before, window, origins = rollout.before, rollout.window, facts.origins.get(rollout.target.name, {})
    images = images_of(rollout)
    for container, old, new in images[:_MOST_IMAGES]:
        yield "image", f"{container}: {old} -> {new}"
    if len(images) > _MOST_IMAGES:
        yield "", f"and {number(len(images) - _MOST_IMAGES, 'further change')}"
    made = " (made from workloads)" if facts.synthetic else ""
    left = f"; {len(rollout.left_out):,} left out" if rollout.left_out else ""
    others = f" ({len(rollout.put_back):,} with other images)" if rollout.put_back else ""
    yield (
        "pods",
        f"{before.matched:,} matched{made}: {before.updated:,} updated{others}, {before.ready:,} ready{left}",
    )
    kept = f"holds back {window.partition_pods:,}"
    yield "partition", f"{_written(window.partition)}: {kept}{_from(origins.get('partition'))}"
    if rollout.new_pods:
        yield "meanwhile", rollout.new_pods
    most = f"{window.max_unavailable_pods:,} at a time, {rollout.unavailable_before:,} taken at the start"
    from_where = _from(origins.get("maxUnavailable"))
    yield "maxUnavailable", f"{_written(window.max_unavailable)}: {most}{from_where}"
    for budget in rollout.budgets:
        yield "PUB", budget_text(budget)
    yield from texts_of(facts.deciding.get(rollout.target.name, ()))
    yield "most unavailable", f"{number(rollout.outcome.largest_unavailable)} at once"
    if order := first_wave(rollout, facts.plan.pods):
        yield "first wave", order
    if rollout.ties:
        yield (
            "order",
            f"{number(rollout.ties)} rank equally; Kruise does not define their order, so input order is used",
        )


def _written(value: int | str) -> str:
    return f"{value:,}" if isinstance(value, int) else value


def _from(origin: str | None) -> str:
    return f" ({origin or 'default'})"


def told_apart(plan: Plan) -> tuple[Sequence[SetRolloutPlan], Sequence[SetRolloutPlan]]:
    """The SidecarSets that get a section each, and those (two or more) with nothing to do, which share a line."""
    idle = [rollout for rollout in plan.sets if rollout.outcome.ending is Ending.NOTHING_TO_DO]
    if len(idle) < 2:
        return plan.sets, ()
    return [rollout for rollout in plan.sets if rollout.outcome.ending is not Ending.NOTHING_TO_DO], idle


def idle_sentence(idle: Sequence[SetRolloutPlan]) -> str:
    """`Nothing to do for 29 SidecarSets (1,240 pods already updated): a, b, c and 26 more`, as a sentence."""
    pods, left = sum(rollout.before.matched for rollout in idle), sum(len(rollout.left_out) for rollout in idle)
    names = named([rollout.target.name for rollout in idle])
    others = sum(len(rollout.put_back) for rollout in idle)
    out = f", {others:,} with other images" * bool(others) + f", {left:,} left out" * bool(left)
    return f"Nothing to do for {number(len(idle), 'SidecarSet')} ({number(pods)} already updated{out}): {names}."


def options_document(options: PlanOptions) -> Object:
    """The options of the simulation."""
    return {
        "podUpdateDuration": options.duration,
        "podUpdateSeconds": options.step_seconds,
        "fail": list(options.fail),
        "assumeReady": options.assume_ready,
        "inFlight": "stuck" if options.stuck else "finish",
        "rounds": options.rounds,
        "timestamp": options.timestamp,
        "updateStrategy": dict(options.overrides),
    }


def plan_data(report: Report[PlanFacts]) -> Object:
    """The whole plan."""
    facts = report.facts
    return plan_document(
        facts.plan,
        PlanContext(
            inputs=[{"file": digest.file, "sha256": digest.sha256, "pods": digest.pods} for digest in facts.digests],
            options=options_document(facts.options),
            origins=facts.origins,
            blocked=facts.blocked,
            findings=report.findings,
            feature_gates=sorted(facts.gates),
            synthetic=facts.synthetic,
            behavior=report.release.behavior,
            deciding={name: [entry._asdict() for entry in decided] for name, decided in facts.deciding.items()},
            step_seconds=facts.options.step_seconds,
            paces={
                name: [{"change": pace.change, **pace.worst._asdict()} for pace in found]
                for name, found in facts.paces.items()
            },
            recreation=recreation_data(facts.recreations) if facts.recreations else None,
            cluster=facts.cluster and {**facts.cluster.document(), **report.cluster().get("cluster", {})},
        ),
    )
