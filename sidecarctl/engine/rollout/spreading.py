"""What keeps a rollout from taking down most pods of a workload at once: every way is simulated first."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from sidecarctl.engine.api.workloads import appears_at_creation
from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Value
from sidecarctl.engine.rollout.plan_options import PlanOptions
from sidecarctl.engine.rollout.recreation import refused, with_strategy
from sidecarctl.engine.rollout.simulated import RolloutInputs, simulated
from sidecarctl.engine.rollout.summary.rollout_plan import LargestInGroup, Plan, SetRolloutPlan

MOST_PODS = 2_000
"""Beyond that, simulating again takes too long, and only what the numbers alone show is advised."""
_NAMED = 3
_KEYS = 5


def workload_warnings(inputs: RolloutInputs, options: PlanOptions, made: Plan) -> list[Finding]:
    """For each SidecarSet of a plan the workloads that lose more than half of their pods at once, and what helps."""
    return [
        finding
        for item in made.sets
        if item.workloads
        for finding in inputs.world.sources[item.target.name].findings([_warning(inputs, options, item)])
    ]


def _warning(inputs: RolloutInputs, options: PlanOptions, plan: SetRolloutPlan) -> Finding:
    every = [
        f"{'all' if item.largest == item.pods else f'{item.largest:,} of'} {item.pods:,} pods of {item.value}"
        for item in plan.workloads
    ]
    more = f" and most pods of {len(every) - _NAMED:,} more workloads" if len(every) > _NAMED else ""
    message = f"{', '.join(every[:_NAMED])}{more} are unavailable at once"
    path = ("spec", "updateStrategy", "maxUnavailable")
    hint = ", or ".join(_ways(inputs, options, plan))
    return Finding(Severity.WARNING, Reason.WORKLOAD_DOWN, message, path, hint=hint)


def _ways(inputs: RolloutInputs, options: PlanOptions, plan: SetRolloutPlan) -> Iterator[str]:
    """What Kruise accepts and keeps half of each workload; a partition, which only puts updates off, comes last."""
    least, is_small = min(item.pods for item in plan.workloads) // 2, len(inputs.pods) <= MOST_PODS

    sidecarset, world = plan.target.sidecar_set, inputs.world

    def helps(overrides: Mapping[str, Value]) -> bool:
        if refused(sidecarset, with_strategy(sidecarset.spec, overrides), world):
            return False
        with_it = changed_rollout(inputs, options, plan.target.name, overrides)
        return with_it is not None and not with_it.workloads

    if not is_small:
        yield f"maxUnavailable {least} keeps half of each"
        return
    is_slower = helps({"maxUnavailable": least})
    key = next((key for key in _keys(inputs) if helps(scattering(key))), "")
    partition = max((wave.window.candidates for wave in plan.waves if wave.window), default=0) - least
    if is_slower:
        yield f"maxUnavailable {least} keeps half of each"
    if key:
        yield f"{_scatter_text(key)} spreads them"
    if not (is_slower or key) and helps({"partition": partition}):
        yield f"partition {partition:,} updates no more than {least} for now"


def scattering(key: str) -> Mapping[str, Value]:
    """What spreads the values of a label in an update strategy, as overrides."""
    return {"scatterStrategy": [{"key": key, "value": "*"}]}


def _scatter_text(key: str) -> str:
    return f"scatterStrategy: [{{key: {key}, value: '*'}}]"


class Pace(NamedTuple):
    """What another order of the updates does to the pods of a label: the value of which the largest share is down."""

    change: str
    worst: LargestInGroup


def paces(inputs: RolloutInputs, options: PlanOptions, plan: SetRolloutPlan) -> list[Pace]:
    """For each label that is asked about, the rollout scattered by it, and ordered by it."""
    if not plan.waves or len(inputs.pods) > MOST_PODS:
        return []
    found = []
    for key in options.by:
        by_priority = {"priorityStrategy": {"orderPriority": [{"orderedKey": key}]}}
        orders = ((_scatter_text(key), scattering(key)), (f"orderPriority: [{{orderedKey: {key}}}]", by_priority))
        for change, overrides in orders:
            with_it = changed_rollout(inputs, options, plan.target.name, overrides)
            groups = [
                each for each in (with_it.largest_in_groups if with_it else ()) if each.by == key and each.value
            ]
            if groups:
                found.append(Pace(change, max(groups, key=lambda each: (each.largest / each.pods, each.pods))))
    return found


def changed_rollout(
    inputs: RolloutInputs, options: PlanOptions, name: str, overrides: Mapping[str, Value]
) -> SetRolloutPlan | None:
    """The rollout of one SidecarSet with other members of its update strategy; None if it cannot be simulated."""
    asked = replace(options, only=(name,), overrides={**options.overrides, **overrides})
    try:
        return simulated(inputs, asked).sets[0]
    except SidecarctlError:
        return None


def _keys(inputs: RolloutInputs) -> list[str]:
    """Labels with several values, which may distinguish workloads; those that only controllers add are left out."""
    values: dict[str, set[str]] = {}
    for pod in inputs.pods:
        for key, value in (pod["metadata"].get("labels") or {}).items():
            values.setdefault(key, set()).add(value)
    return [key for key, found in values.items() if len(found) > 1 and not appears_at_creation(key)][:_KEYS]
