"""The report of a plan: the simulated rollout with all findings about it. A sweep is several of them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.findings import Finding, ObjectReference, as_warning, error, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import value_at
from sidecarctl.inputs.opening import ClusterIdentity
from sidecarctl.inputs.pods import InputDigest
from sidecarctl.operations.planning.plan_options import Deciding, PlanOptions, deciding
from sidecarctl.operations.planning.simulated import RolloutInputs, pod_matches, simulated
from sidecarctl.operations.report import Report
from sidecarctl.operations.warnings import flipped_in_pods, gate_findings, namespace_warnings
from sidecarctl.rollout.facts import OBJECTIONS, Ending
from sidecarctl.rollout.summary.rollout_plan import (
    Plan,
    SetRolloutPlan,
    hot_version_notes,
    scatter_notes,
)
from sidecarctl.rollout.summary.sentences import ending_sentence
from sidecarctl.rollout.summary.sidecar_comparison import Blocked
from sidecarctl.sidecarset.sets import GROUP, base_of
from sidecarctl.sidecarset.world import World

_STRATEGY = ("spec", "updateStrategy")
_FLAGS = {"partition": "--partition", "maxUnavailable": "--max-unavailable"}


class PlanFacts(NamedTuple):
    """A plan, and what else its reports show.

    `origins`: for each SidecarSet, where its partition and maxUnavailable come from; `blocked`: the fields in which a
    pod (by index) differs from what injection would write now; `deciding`: other settings that affect the rollout.
    """

    plan: Plan
    options: PlanOptions
    origins: Mapping[str, Mapping[str, str]]
    blocked: Blocked
    digests: Sequence[InputDigest]
    gates: frozenset[str]
    synthetic: bool
    cluster: ClusterIdentity | None = None
    deciding: Mapping[str, Sequence[Deciding]] = {}


def canary_warnings(plan: Plan, world: World) -> Iterator[Finding]:
    """Warnings if files alone do not show whether a SidecarSet can still be changed.

    A manifest with a uid comes from a cluster, where the change is already made.
    """
    canaries = {base: sidecarset.name for sidecarset in world.sidecarsets if (base := base_of(sidecarset))}
    for item in plan.sets:
        name, metadata = item.target.name, item.target.sidecar_set.metadata
        if name in canaries and item.waves and not metadata.get("uid"):
            canary = canaries[name]
            message = f"Kruise rejects every update of it if its canary {canary} already exists"
            hint = f"update it before you create {canary}, or delete {canary} first; plan --live shows what exists"
            finding = warning(Reason.CANARY_EXISTS, message, ("metadata", "name"), hint=hint)
            yield from world.sources[name].findings([finding])


def plan_report(
    inputs: RolloutInputs,
    made: Plan,
    blocked: Blocked,
    options: PlanOptions,
    gates: frozenset[str],
    fails: Collection[Ending] = OBJECTIONS,
) -> Report[PlanFacts]:
    """The plan that was made of the inputs (`simulated`), with all findings about it.

    `blocked` are the fields that block pods, which whole manifests show (`blocked_fields`). An objection if a rollout
    ends in one of `fails`.
    """
    facts = PlanFacts(
        plan=made,
        options=options,
        origins=_origins(made, inputs.world, options),
        blocked=blocked,
        digests=inputs.digests,
        gates=gates,
        synthetic=inputs.synthetic,
        deciding={
            item.target.name: deciding(item.target, inputs.world.sources[item.target.name], options, gates)
            for item in made.sets
        },
        cluster=inputs.cluster,
    )
    findings = [*gate_findings(inputs.world, gates), *inputs.findings, *remarks_of(made, inputs.world, options)]
    if made.budgets:
        from sidecarctl.operations.pod_budgets import budget_warnings  # few runs have budgets

        findings += budget_warnings(made.budgets, made.pods)
    if inputs.cluster is None:
        findings += canary_warnings(made, inputs.world)
    faults = [item.outcome.error for item in made.sets if item.outcome.error]
    findings += faults if Ending.ERROR in fails else map(as_warning, faults)
    findings += _flipped(made, blocked, inputs.world)
    objections = stalls(made.sets, inputs.world, fails)
    is_objection, release = fails_by(made.sets, fails), inputs.world.release
    return Report("plan", facts, findings, is_objection=is_objection, objections=objections, release=release)


def _flipped(made: Plan, blocked: Blocked, world: World) -> Iterator[Finding]:
    """Pull policies whose default flips, so that pods cannot be updated in place."""
    for item in made.sets:
        source = world.sources[item.target.name]
        pods = [(made.pods[index].manifest, fields) for index, fields in blocked[item.target.name].items()]
        yield from source.findings(flipped_in_pods(source.manifest, item.target.sidecar_set.manifest, pods))


def fails_by(rollouts: Iterable[SetRolloutPlan], fails: Collection[Ending]) -> bool:
    """Whether a rollout ends in one of `fails`."""
    return any(rollout.outcome.ending in fails for rollout in rollouts)


def stalls(rollouts: Iterable[SetRolloutPlan], world: World, fails: Collection[Ending]) -> list[Finding]:
    """A finding, at the update strategy, for each rollout that ends in one of `fails`."""
    path = ("spec", "updateStrategy")
    return [
        finding
        for rollout in rollouts
        if rollout.outcome.ending in fails and not rollout.outcome.error
        for finding in world.sources[rollout.target.name].findings(
            [error(Reason.ROLLOUT_STALLS, ending_sentence(rollout), path)]
        )
    ]


def _origins(made: Plan, world: World, options: PlanOptions) -> dict[str, dict[str, str]]:
    """The origin of each partition and maxUnavailable; empty for a default."""
    origins: dict[str, dict[str, str]] = {}
    for item in made.sets:
        source = world.sources[item.target.name]
        own = origins.setdefault(item.target.name, {})
        for member, flag in _FLAGS.items():
            if member in options.overrides:
                own[member] = flag
            elif value_at(source.manifest, (*_STRATEGY, member)) is not None:
                own[member] = str(source.place((*_STRATEGY, member)))
    return origins


def remarks_of(plan_made: Plan, world: World, options: PlanOptions) -> list[Finding]:
    """Warnings about the inputs, with the places of the fields of SidecarSets."""
    found: list[Finding] = []
    for item in plan_made.sets:
        source = world.sources[item.target.name]
        about_set = [remark for remark in item.remarks if remark.subject is None]
        namespaces = (pod.name.namespace for pod in plan_made.pods)
        about_set += namespace_warnings(item.target.sidecar_set, world, namespaces)
        found += source.findings(remark for remark in about_set if remark.path[-1] not in options.overrides)
        found += [_about(item.target.name, remark) for remark in about_set if remark.path[-1] in options.overrides]
        found += [remark for remark in item.remarks if remark.subject is not None]
        found += source.findings([*hot_version_notes(item), *scatter_notes(item)])
    names = [pod.name for pod in plan_made.pods]
    for pattern in options.fail:
        if not any(pod_matches(name, pattern) for name in names):
            found.append(warning(Reason.NO_PODS, f"--fail {pattern}: no pod has a matching name"))
    return found


def _about(name: str, finding: Finding) -> Finding:
    return finding._replace(subject=ObjectReference(GROUP, "SidecarSet", "", name))


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
    inputs: RolloutInputs,
    options: PlanOptions,
    gates: frozenset[str],
    field: str,
    values: Sequence[int | str],
    fails: Collection[Ending] = OBJECTIONS,
) -> Report[SweepFacts]:
    """Simulate the rollout with each value; an objection if one ends in one of `fails`."""
    if options.by or options.by_node:
        raise usage_error("--sweep cannot be combined with --by and --by-node", hint="omit one of them")
    rows: list[SweepRow] = []
    remarks: dict[Finding, None] = {}
    objections: list[Finding] = []
    for value in values:
        tried = replace(options, overrides={**options.overrides, field: value})
        made = simulated(inputs, tried)
        rows += [SweepRow(value, item.target.name, item) for item in made.sets]
        remarks |= dict.fromkeys(remarks_of(made, inputs.world, tried))
        stalled = stalls(made.sets, inputs.world, fails)
        objections += [item._replace(message=f"{field} {value}: {item.message}") for item in stalled]
    findings = [*gate_findings(inputs.world, gates), *inputs.findings, *remarks]
    facts = SweepFacts(field, rows, options, gates)
    is_objection = fails_by((row.plan for row in rows), fails)
    release = inputs.world.release
    return Report("sweep", facts, findings, is_objection=is_objection, objections=objections, release=release)
