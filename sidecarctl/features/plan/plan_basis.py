"""What a plan is made of: files and a cluster, to the rollout over running pods, or over those of workloads.

It also finds rollouts that cannot begin: Kruise rejects every change of a SidecarSet that has a canary.
"""

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from sidecarctl.engine.comparing.set_changes import placed_refusals, refused_changes, refused_versions
from sidecarctl.engine.facts.errors import ImpossibleError, input_error
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.inputs.opening import Sources
from sidecarctl.engine.inputs.pods import PodInputs, is_pod_to_be, read_inputs, whole_pods
from sidecarctl.engine.inputs.reading import Reading, refuse_no_sidecarset
from sidecarctl.engine.rollout.plan_options import PlanOptions, PlanRequest
from sidecarctl.engine.rollout.pod_budgets import budget_notes, protection_of
from sidecarctl.engine.rollout.simulated import RolloutInputs, rollout_inputs
from sidecarctl.engine.rollout.summary.sidecar_comparison import WholePods
from sidecarctl.engine.rollout.workload_pods import rollout_of_workloads
from sidecarctl.engine.sidecarset.set_images import with_images
from sidecarctl.engine.sidecarset.unknown_namespaces import DUMP
from sidecarctl.engine.sidecarset.webhook_scope import with_gates
from sidecarctl.engine.sidecarset.world import World, chosen_sidecarsets
from sidecarctl.engine.validation.warnings import checked, unsaid


class PlanBasis(NamedTuple):
    """What a plan is made of: what was read, the rollout over its pods, and the pods whole.

    `earlier`: the SidecarSets before the change that the plan carries out.
    """

    found: PodInputs
    rollout: RolloutInputs
    earlier: World
    whole: WholePods


def plan_basis(sources: Sources[Input], old: Sources[Input], how: Reading, request: PlanRequest) -> PlanBasis:
    """The running pods, or those that workloads would have."""
    gates, is_from_old = request.gates, bool(old.named.paths)
    read = read_inputs(
        sources, how, keeps_templates=is_from_old or bool(request.images), keeps_containers=request.recreates
    ).whole(request.options.only)
    refuse_no_sidecarset(read.world.sidecarsets, sources, how)
    as_written = read.world._replace(webhook=with_gates(read.world.webhook, gates))
    found = replace(read, world=with_images(as_written, request.images))
    if is_from_old or (request.images and found.workloads and all(map(is_pod_to_be, found.pods))):
        before = read_inputs(old, how).whole() if is_from_old else replace(found, world=as_written)
        rollout, created = rollout_of_workloads(found, before, how, request.replicas, gates, request.seed)
        return PlanBasis(found, rollout, before.world, partial(iter, created))
    _refuse_no_pods(found, is_live=bool(sources.live.inputs), allow_empty=how.allow_empty)
    earlier = as_written if request.images else found.live
    return PlanBasis(found, rollout_inputs(found, sources.live), earlier, partial(whole_pods, sources, how))


def checked_rollout(
    basis: PlanBasis, sources: Sources[Input], request: PlanRequest
) -> tuple[RolloutInputs, PlanOptions]:
    """The rollout with the budgets over its pods, and with findings about them and about the SidecarSets.

    Without the SidecarSets whose change Kruise rejects, which the options leave out.
    """
    found, gates, only = basis.found, request.gates, request.options.only
    warnings = checked(
        found.world, gates, strict=request.strict, only=_to_check(found.world, sources, request.options)
    )
    guarded = basis.rollout._replace(
        findings=[*budget_notes(gates, found), *basis.rollout.findings],
        protection=protection_of(gates, found.world.release, found),
        disruption_budgets=found.disruption_budgets,
    )
    rollout, options = without_refused_changes(guarded, basis.earlier, request.options, gates)
    own = [item for item in warnings if not _is_gap_elsewhere(item, only)]
    return rollout._replace(findings=[*unsaid(own, rollout.findings), *rollout.findings]), options


def without_refused_changes(
    inputs: RolloutInputs, old: World, options: PlanOptions, gates: frozenset[str]
) -> tuple[RolloutInputs, PlanOptions]:
    """The input without the SidecarSets whose creation or update from `old` Kruise rejects, and why, as errors.

    Where `old` is empty, the earlier versions are not known. ImpossibleError if nothing is left to plan.
    """
    world = inputs.world
    chosen = {item.name for item in chosen_sidecarsets(world, options.only)}
    every = refused_changes(old, world, gates) if old.sidecarsets else refused_versions(world, gates)
    refused = {name: found for name, found in every.items() if name in chosen}
    errors = list(placed_refusals(refused, world))
    if refused and refused.keys() >= chosen:
        raise ImpossibleError(*errors)
    kept = tuple(item for item in world.sidecarsets if item.name not in refused)
    inputs = inputs._replace(world=world._replace(sidecarsets=kept), findings=[*inputs.findings, *errors])
    return inputs, replace(options, only=[name for name in options.only if name not in refused])


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


def _refuse_no_pods(found: PodInputs, *, is_live: bool, allow_empty: bool) -> None:
    if found.has_templates and not (found.pods or is_live or allow_empty):
        message = "the inputs contain workloads but no pods"
        hint = f"add the output of {DUMP}, or use --from OLD with the current SidecarSets"
        raise input_error(Reason.NO_PODS, message, hint=hint)
