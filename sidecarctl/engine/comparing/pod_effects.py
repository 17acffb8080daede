"""What a change of SidecarSets does to running pods: the rollout from before to after, simulated as by `plan`.

The pods are those of a dump, or those that workloads have under the old SidecarSets (`workload_pods`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.pod_resources import Resources
from sidecarctl.engine.api.workload_rows import WorkloadKind
from sidecarctl.engine.comparing.verdicts import is_held, strategy_of
from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.selection import Identity
from sidecarctl.engine.rollout.facts import Ending, Window
from sidecarctl.engine.rollout.plan_options import PlanOptions
from sidecarctl.engine.rollout.pod_budgets import Protection
from sidecarctl.engine.rollout.simulated import RolloutInputs, simulated
from sidecarctl.engine.rollout.spreading import workload_warnings
from sidecarctl.engine.rollout.summary.rollout_plan import Plan, SetRolloutPlan
from sidecarctl.engine.rollout.summary.sentences import advice_sentence, ending_sentence, number, of_all
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.engine.sidecarset.world import Located, Template, World


class PodsAlike(NamedTuple):
    """A number of identical pods before injection: a pod, or a template with the name of its workload."""

    pod: Object
    identity: Identity
    number: int
    template: Template | None = None


class Pods(NamedTuple):
    """The running pods (trimmed) and the workloads; `earlier` are the workloads of the old version, if others.

    `namespace` is their default, `kinds` the user's own kinds of workloads. `protection`: the PodUnavailableBudgets
    that hold back their updates. `always`: they are counted although no SidecarSet changes. `recreated`: the running
    pods as they would be created, by shared content. `whole`: a workload of one version was added or removed.
    """

    running: Sequence[Object] = ()
    workloads: Sequence[Located] = ()
    namespace: str = "default"
    kinds: Sequence[WorkloadKind] = ()
    earlier: Sequence[Located] = ()
    protection: Protection | None = None
    always: bool = False
    recreated: Sequence[PodsAlike] = ()
    whole: bool = False


class RolloutNumbers(NamedTuple):
    """The pods of a SidecarSet by what its rollout does to them; all but `left_out` add up to `matched`.

    `already` had the version at the start, `updated` get it now. The next four are kept as they are, `waiting` pods
    stall, `busy` ones have an earlier update that does not end, `recreate` cannot be updated in place. `left_out` are
    selected, but take no part. `message` is the sentence of `plan`, `synthetic` says that workloads made the pods.
    `advice`: on those to recreate, where that does not help all of them. `pace`: how many at a time, and in how many
    waves. `new_pods`: what new pods get meanwhile, if pods are held back.
    """

    matched: int
    already: int
    updated: int
    held_by_partition: int
    held_by_selector: int
    paused: int
    waiting: int
    busy: int
    recreate: int
    left_out: int
    ending: Ending
    message: str
    partition: int | str
    synthetic: bool = False
    advice: str = ""
    pace: str = ""
    new_pods: str = ""

    @property
    def held(self) -> int:
        """The pods that the strategy keeps as they are."""
        return self.held_by_partition + self.held_by_selector + self.paused

    @property
    def sentence(self) -> str:
        """`14 of 142 pods can be updated, 2 at a time, in 7 waves; partition 90% holds back 128`."""
        return "; ".join(self._parts())

    def _parts(self) -> Iterator[str]:
        total = self.already + self.updated
        before = f" ({self.already:,} of them before)" if self.already else ""
        if self.already == self.matched:
            yield f"{of_all(total, self.matched)} {'is' if total == 1 else 'are'} already updated"
        else:
            yield f"{of_all(total, self.matched)} can be updated{before}{self.pace if self.updated else ''}"
        if self.held_by_partition:
            yield f"partition {self.partition} holds back {self.held_by_partition:,}"
        if self.held_by_selector:
            yield f"the selector of updateStrategy leaves out {self.held_by_selector:,}"
        if self.paused:
            why = "type is NotUpdate" if self.ending is Ending.NOT_UPDATE else "paused is true"
            yield f"updateStrategy.{why}, which holds back {self.paused:,}"
        if self.waiting:
            yield f"{self.waiting:,} wait, since the rollout stalls"
        if self.busy:
            yield f"{self.busy:,} with an earlier update that does not end"
        if self.recreate:
            yield f"{self.recreate:,} must be recreated"


class CostChange(NamedTuple):
    """The change in what sidecars request, and over how many pods; for running pods, once they are recreated."""

    change: Resources
    pods: int
    running: bool = False


class RolloutShift(NamedTuple):
    """Pods that a change of the strategy alone newly lets update (`let_go`), or no longer (`held`).

    `old` of them are outdated; the windows are those of both strategies over the pods.
    """

    let_go: int
    held: int
    old: int
    before: Window
    after: Window


class PodEffects(NamedTuple):
    """The rollouts by SidecarSet, what changes of their strategies do to them, and what cannot be computed."""

    rollouts: Mapping[str, RolloutNumbers]
    shifts: Mapping[str, RolloutShift]
    findings: Sequence[Finding]


def pod_effects(
    old: World,
    new: World,
    pods: Sequence[Object],
    names: Sequence[str],
    protection: Protection | None = None,
    *,
    synthetic: bool = False,
) -> PodEffects:
    """The effects on pods (trimmed, as they are before the change) of the SidecarSets with these names in `new`."""
    findings: list[Finding] = []
    inputs = RolloutInputs(new, pods, protection=protection)
    planned = _planned(inputs, names, findings)
    findings += workload_warnings(inputs, PlanOptions(), Plan(tuple(planned.values()), ()))
    numbers = {name: numbers_of(item, synthetic=synthetic) for name, item in planned.items()}
    return PodEffects(numbers, _shifts(old, inputs, planned), findings)


def numbers_of(rollout: SetRolloutPlan, *, synthetic: bool = False) -> RolloutNumbers:
    """The numbers of a planned rollout."""
    outcome = rollout.outcome
    is_paused = outcome.ending in (Ending.PAUSED, Ending.NOT_UPDATE)
    return RolloutNumbers(
        matched=outcome.status.matched,
        already=rollout.before.updated,
        updated=outcome.status.updated - rollout.before.updated,
        held_by_partition=0 if is_paused else len(outcome.held_by_partition),
        held_by_selector=len(outcome.not_selected),
        paused=len(outcome.held_by_partition) + len(outcome.waiting) if is_paused else 0,
        waiting=0 if is_paused else len(outcome.waiting),
        busy=len(outcome.busy),
        recreate=len(outcome.not_upgradable),
        left_out=len(rollout.left_out),
        ending=outcome.ending,
        message=ending_sentence(rollout),
        partition=rollout.window.partition,
        synthetic=synthetic,
        advice=advice_sentence(rollout.recreation.values()),
        pace=_pace(rollout),
        new_pods=rollout.new_pods,
    )


def _pace(rollout: SetRolloutPlan) -> str:
    """`, 20 at a time, in 40 waves`; empty for a single wave."""
    most, waves = rollout.window.max_unavailable_pods, len(rollout.waves)
    return f"{f', {most:,} at a time' if most > 0 else ''}, in {number(waves, 'wave')}" if waves > 1 else ""


def _planned(inputs: RolloutInputs, names: Iterable[str], findings: list[Finding]) -> Mapping[str, SetRolloutPlan]:
    """The rollouts of some SidecarSets, together; without those that cannot be simulated, which are `findings`."""
    names = list(names)
    if not names:
        return {}
    try:
        made = simulated(inputs, PlanOptions(only=names))
    except SidecarctlError as fault:
        if len(names) == 1:
            findings += fault.findings
            return {}
        able = [name for name in names if _planned(inputs, [name], findings)]
        return _planned(inputs, able, findings)
    return {item.target.name: item for item in made.sets}


def _shifts(old: World, inputs: RolloutInputs, planned: Mapping[str, SetRolloutPlan]) -> dict[str, RolloutShift]:
    """The shift of each SidecarSet whose strategy changes: its new version under the old strategy, and as it is."""
    before = old.by_name
    sets = tuple(_with_strategy_of(before.get(item.name), item) for item in inputs.world.sidecarsets)
    moved = [item.name for item, now in zip(sets, inputs.world.sidecarsets, strict=True) if item is not now]
    if not any(name in planned for name in moved):
        return {}
    earlier = _planned(inputs._replace(world=inputs.world._replace(sidecarsets=sets)), planned, [])
    return {name: _shift(earlier[name], planned[name]) for name in moved if name in planned and name in earlier}


def _with_strategy_of(old: SidecarSet | None, new: SidecarSet) -> SidecarSet:
    if old is None or strategy_of(old) == strategy_of(new):
        return new
    return new._replace(spec={**new.spec, "updateStrategy": strategy_of(old)})


def _shift(before: SetRolloutPlan, after: SetRolloutPlan) -> RolloutShift:
    stayed, stays = _staying(before), _staying(after)
    return RolloutShift(
        let_go=len(stayed - stays),
        held=len(stays - stayed),
        old=after.before.matched - after.before.updated,
        before=before.window,
        after=after.window,
    )


def _staying(rollout: SetRolloutPlan) -> set[int]:
    """The pods that the strategy holds back, or that cannot be updated at all."""
    outcome, strategy = rollout.outcome, rollout.target.strategy
    staying = {*outcome.held_by_partition, *outcome.not_selected, *outcome.not_upgradable}
    if is_held(strategy):
        staying |= {*outcome.waiting, *outcome.busy}
    return staying
