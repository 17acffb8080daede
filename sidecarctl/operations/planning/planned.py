"""What `plan` does: files, and a cluster, to a plan or to a sweep.

A rollout that cannot begin is found, too: Kruise rejects every change of a SidecarSet that has a canary.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from sidecarctl.facts.errors import ImpossibleError, input_error
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.files.inputs import Input
from sidecarctl.inputs.opening import Sources
from sidecarctl.inputs.pods import Inputs, read_inputs, whole_pods
from sidecarctl.inputs.reading import Reading, refuse_no_sidecarset
from sidecarctl.operations.comparing.refused_changes import (
    placed_refusals,
    refused_changes,
    refused_versions,
    without_refused,
)
from sidecarctl.operations.planning.plan import PlanFacts, SweepFacts, plan_report, sweep_report
from sidecarctl.operations.planning.plan_options import PlanOptions, PlanRequest
from sidecarctl.operations.planning.simulated import RolloutInputs, rollout_inputs, simulated
from sidecarctl.operations.planning.workload_pods import rollout_of_workloads
from sidecarctl.operations.pod_budgets import budget_notes, protection_of
from sidecarctl.operations.report import Report
from sidecarctl.operations.warnings import checked
from sidecarctl.rollout.summary.sidecar_comparison import blocked_fields, wanted_pods
from sidecarctl.sidecarset.world import World, chosen_sidecarsets


def planned(
    sources: Sources[Input], old: Sources[Input], how: Reading, request: PlanRequest
) -> Report[PlanFacts] | Report[SweepFacts]:
    """The plan for the SidecarSets and pods of files and a cluster, or the sweep.

    With `old` SidecarSets the pods are made of workloads. InputError if something cannot be read, or there is no
    SidecarSet or no pod; ImpossibleError if Kruise refuses every change; UsageError for an unknown name.
    """
    how, options, gates = how.of_cluster(sources.live.release), request.options, request.gates
    made_pods = bool(old.named.paths)
    found = read_inputs(sources, how, keeps_templates=made_pods).whole(options.only)
    refuse_no_sidecarset(found.world.sidecarsets, sources, how)
    warnings = checked(found.world, gates, strict=request.strict, only=_to_check(found.world, sources, options))
    warnings = [item for item in warnings if not _is_gap_elsewhere(item, options.only)]
    whole: Iterable[Object] = ()
    if made_pods:
        before = read_inputs(old, how).whole()
        earlier = before.world
        rollout, whole = rollout_of_workloads(found, before, how, request.replicas, gates, request.seed)
    else:
        _refuse_no_pods(found, is_live=bool(sources.live.inputs), allow_empty=how.allow_empty)
        earlier, rollout = found.live, rollout_inputs(found, sources.live)
    rollout = rollout._replace(
        findings=[*warnings, *budget_notes(gates, found), *rollout.findings],
        protection=protection_of(gates, found.world.release, found),
    )
    rollout, options = without_refused_changes(rollout, earlier, options, gates)
    said = {(item.subject, item.path, item.message) for item in rollout.findings}
    warnings = [item for item in warnings if (item.subject, item.path, item.message) not in said]
    rollout = rollout._replace(findings=[*warnings, *rollout.findings])
    report: Report[Any]
    if request.sweep:
        report = sweep_report(rollout, options, gates, *request.sweep, request.fails)
    else:
        made = simulated(rollout, options)
        if wanted_pods(made) and not made_pods:
            whole = whole_pods(sources, how)
        blocked = blocked_fields(made, whole, how.namespace, gates, rollout.world.revisions)
        report = plan_report(rollout, made, blocked, options, gates, request.fails)
    return report._replace(read_at=sources.live.versions)


def without_refused_changes(
    inputs: RolloutInputs, old: World, options: PlanOptions, gates: frozenset[str]
) -> tuple[RolloutInputs, PlanOptions]:
    """The input without the SidecarSets whose creation or update from `old` Kruise refuses, and why, as errors.

    Where `old` is empty, the earlier versions are not known. ImpossibleError if nothing is left to plan.
    """
    world = inputs.world
    chosen = {item.name for item in chosen_sidecarsets(world, options.only)}
    every = refused_changes(old, world, gates) if old.sidecarsets else refused_versions(world, gates)
    refused = {name: found for name, found in every.items() if name in chosen}
    errors = list(placed_refusals(refused, world))
    if refused and refused.keys() >= chosen:
        raise ImpossibleError(*errors)
    left = [name for name in options.only if name not in refused]
    findings = [*inputs.findings, *errors]
    return (
        inputs._replace(world=without_refused(world, refused), findings=findings),
        replace(options, only=left),
    )


def _is_gap_elsewhere(finding: Finding, only: Collection[str]) -> bool:
    """Whether it is about a SidecarSet that is not planned, and that asks for what the release does not know."""
    subject = finding.subject
    is_gap = finding.reason is Reason.UNKNOWN_TO_RELEASE
    return is_gap and bool(only) and subject is not None and subject.name not in only


def _to_check(world: World, sources: Sources[Input], options: PlanOptions) -> set[str]:
    """The planned SidecarSets, except those of the cluster, which its webhook has checked."""
    files = {source.name for source in sources.every}
    return {
        sidecarset.name
        for sidecarset in world.sidecarsets
        if world.sources[sidecarset.name].file in files and (not options.only or sidecarset.name in options.only)
    }


def _refuse_no_pods(found: Inputs, *, is_live: bool, allow_empty: bool) -> None:
    if found.has_templates and not (found.pods or is_live or allow_empty):
        message = "the inputs contain workloads but no pods"
        hint = "add the output of kubectl get pods -A -o json, or use --from OLD with the current SidecarSets"
        raise input_error(Reason.NO_PODS, message, hint=hint)
