"""The same rollout for each of several values of partition or maxUnavailable."""

from collections.abc import Sequence
from dataclasses import replace

from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.operations.checking.release_findings import gate_findings
from sidecarctl.operations.plan import RolloutInputs, remarks_of, simulated, stalls
from sidecarctl.operations.planning.plan_options import PlanOptions
from sidecarctl.operations.report import Report
from sidecarctl.rollout.summary.rollout_plan import SetRolloutPlan


class SweepRow(NamedTuple):
    """The rollout of one SidecarSet with one of the values."""

    value: int | str
    set_name: str
    plan: SetRolloutPlan


class SweepFacts(NamedTuple):
    """The rows of all values, in order; `field` is the member of updateStrategy that varies."""

    field: str
    rows: Sequence[SweepRow]
    options: PlanOptions
    gates: frozenset[str]


def sweep_report(
    inputs: RolloutInputs, options: PlanOptions, gates: frozenset[str], field: str, values: Sequence[int | str]
) -> Report[SweepFacts]:
    """Simulate the rollout with each value."""
    if options.by or options.by_node:
        raise usage_error("--sweep excludes --by and --by-node", hint="omit one of them")
    rows: list[SweepRow] = []
    remarks: dict[Finding, None] = {}
    objections: list[Finding] = []
    for value in values:
        tried = replace(options, overrides={**options.overrides, field: value})
        made = simulated(inputs, tried)
        rows += [SweepRow(value, item.target.name, item) for item in made.sets]
        remarks |= dict.fromkeys(remarks_of(made, inputs.world, tried))
        stalled = stalls(made.sets, inputs.world)
        objections += [item._replace(message=f"{field} {value}: {item.message}") for item in stalled]
    findings = [*gate_findings(inputs.world, gates), *inputs.findings, *remarks]
    facts = SweepFacts(field, rows, options, gates)
    is_objection = any(row.plan.outcome.ending.is_objection for row in rows)
    release = inputs.world.release
    return Report("sweep", facts, findings, is_objection=is_objection, objections=objections, release=release)
