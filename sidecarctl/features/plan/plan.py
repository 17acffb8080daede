"""What `plan` does: files, and a cluster, to a simulated rollout with all findings about it; a sweep is several."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.facts.findings import Finding, ObjectReference, as_warning, error, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import value_at
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.inputs.opening import ClusterIdentity, Sources
from sidecarctl.engine.inputs.pods import InputDigest, PodInputs
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.disruption_budgets import disruption_budgets
from sidecarctl.engine.rollout.facts import OBJECTIONS, Ending
from sidecarctl.engine.rollout.flipped_defaults import flipped_in_pods
from sidecarctl.engine.rollout.plan_options import Deciding, PlanOptions, PlanRequest, deciding
from sidecarctl.engine.rollout.pod_budgets import budget_warnings, budgets_among
from sidecarctl.engine.rollout.simulated import RolloutInputs, pod_matches, simulated
from sidecarctl.engine.rollout.spreading import Pace, paces, workload_warnings
from sidecarctl.engine.rollout.summary.rollout_plan import Plan, SetRolloutPlan, hot_version_notes, scatter_notes
from sidecarctl.engine.rollout.summary.sentences import ending_sentence
from sidecarctl.engine.rollout.summary.sidecar_comparison import Blocked, blocked_fields
from sidecarctl.engine.sidecarset.revisions.revision_history import latest_revision
from sidecarctl.engine.sidecarset.sets import GROUP, base_of
from sidecarctl.engine.sidecarset.unknown_namespaces import namespace_warnings
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.warnings import gate_findings
from sidecarctl.features.plan.plan_basis import PlanBasis, checked_rollout, plan_basis

if TYPE_CHECKING:
    from sidecarctl.engine.rollout.recreating import Recreations

_STRATEGY = ("spec", "updateStrategy")
_FLAGS = {"partition": "--partition", "maxUnavailable": "--max-unavailable"}


class PlanFacts(NamedTuple):
    """A plan, and what else its reports show.

    `origins`: for each SidecarSet, where its partition and maxUnavailable come from; `blocked`: the fields in which a
    pod (by index) differs from what injection would write now; `deciding`: other settings that affect the rollout.
    `recreations`: which workloads to restart, if asked; `paces`: what other orders do to the pods of a label.
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
    recreations: "Recreations | None" = None
    paces: Mapping[str, Sequence[Pace]] = {}


def _canary_warnings(plan: Plan, world: World) -> Iterator[Finding]:
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
        paces={item.target.name: paces(inputs, options, item) for item in made.sets} if options.by else {},
    )
    findings = [*gate_findings(inputs.world, gates), *inputs.findings, *_remarks_of(made, inputs.world, options)]
    if made.budgets:
        findings += budget_warnings(made.budgets, made.pods)
    if inputs.cluster is None:
        findings += _canary_warnings(made, inputs.world)
    faults = [item.outcome.error for item in made.sets if item.outcome.error]
    findings += faults if Ending.ERROR in fails else map(as_warning, faults)
    findings += _flipped(made, blocked, inputs.world)
    findings += workload_warnings(inputs, options, made)
    objections = stalls(made.sets, inputs.world, fails)
    is_objection, release = _fails_by(made.sets, fails), inputs.world.release
    return Report("plan", facts, findings, is_objection=is_objection, objections=objections, release=release)


def _flipped(made: Plan, blocked: Blocked, world: World) -> Iterator[Finding]:
    """Pull policies whose default flips, so that pods cannot be updated in place."""
    for item in made.sets:
        source = world.sources[item.target.name]
        pods = [(made.pods[index].manifest, fields) for index, fields in blocked[item.target.name].items()]
        yield from source.findings(flipped_in_pods(source.manifest, item.target.sidecar_set.manifest, pods))


def _fails_by(rollouts: Iterable[SetRolloutPlan], fails: Collection[Ending]) -> bool:
    """Whether a rollout ends in one of `fails`."""
    return any(rollout.outcome.ending in fails for rollout in rollouts)


def stalls(rollouts: Iterable[SetRolloutPlan], world: World, fails: Collection[Ending]) -> list[Finding]:
    """A finding, at the update strategy, for each rollout that ends in one of `fails`."""
    return [
        finding
        for rollout in rollouts
        if rollout.outcome.ending in fails and not rollout.outcome.error
        for finding in world.sources[rollout.target.name].findings(
            [error(Reason.ROLLOUT_STALLS, ending_sentence(rollout), _STRATEGY)]
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


def _remarks_of(plan_made: Plan, world: World, options: PlanOptions) -> list[Finding]:
    """Warnings about the inputs, with the places of the fields of SidecarSets."""
    found: list[Finding] = []
    for item in plan_made.sets:
        source = world.sources[item.target.name]
        about_set = [remark for remark in item.remarks if remark.subject is None]
        about_set += namespace_warnings(
            item.target.sidecar_set, world, {pod.namespace for pod in item.outcome.doubtful}
        )
        found += source.findings(remark for remark in about_set if remark.path[-1] not in options.overrides)
        subject = ObjectReference(GROUP, "SidecarSet", "", item.target.name)
        found += [remark._replace(subject=subject) for remark in about_set if remark.path[-1] in options.overrides]
        found += [remark for remark in item.remarks if remark.subject is not None]
        found += source.findings([*hot_version_notes(item), *scatter_notes(item)])
    names = [pod.name for pod in plan_made.pods]
    for pattern in options.fail:
        if not any(pod_matches(name, pattern) for name in names):
            found.append(warning(Reason.NO_PODS, f"--fail {pattern}: no pod has a matching name"))
    return found


class SweepRow(NamedTuple):
    """The rollout of one SidecarSet with one of the values; in a grid also with one of those of the columns."""

    value: int | str
    set_name: str
    plan: SetRolloutPlan
    column: int | str | None = None


class SweepFacts(NamedTuple):
    """The rows of all values, in order; `field` is the member of updateStrategy that varies.

    In a grid `column_field` varies too, first.
    """

    field: str
    rows: list[SweepRow]
    options: PlanOptions
    gates: frozenset[str]
    column_field: str = ""

    def named(self, row: SweepRow) -> str:
        """The fields with the values of a row: `partition 20%, maxUnavailable 5`."""
        column = "" if row.column is None else f", {self.column_field} {row.column}"
        return f"{self.field} {row.value}{column}"


def _sweep_report(
    inputs: RolloutInputs,
    request: PlanRequest,
    field: str,
    values: Sequence[int | str],
) -> Report[SweepFacts]:
    """Simulate the rollout with each value, in a grid with each pair of values; an objection as in a plan."""
    options, gates, fails = request.options, request.gates, request.fails
    column_field, columns = request.sweep_columns or ("", (None,))
    if options.by or options.by_node:
        raise usage_error("--sweep cannot be combined with --by and --by-node", hint="omit one of them")
    facts = SweepFacts(field, [], options, gates, column_field)
    remarks: dict[Finding, None] = {}
    objections: list[Finding] = []
    for value, column in product(values, columns):
        own = {field: value} if column is None else {field: value, column_field: column}
        tried = replace(options, overrides={**options.overrides, **own})
        made = simulated(inputs, tried)
        rows = [SweepRow(value, item.target.name, item, column) for item in made.sets]
        facts.rows.extend(rows)
        remarks |= dict.fromkeys(_remarks_of(made, inputs.world, tried))
        stalled = stalls(made.sets, inputs.world, fails)
        objections += [item._replace(message=f"{facts.named(rows[0])}: {item.message}") for item in stalled]
    findings = [*gate_findings(inputs.world, gates), *inputs.findings, *remarks]
    is_objection = _fails_by((row.plan for row in facts.rows), fails)
    release = inputs.world.release
    return Report("sweep", facts, findings, is_objection=is_objection, objections=objections, release=release)


def planned(
    sources: Sources[Input], old: Sources[Input], how: Reading, request: PlanRequest
) -> Report[PlanFacts] | Report[SweepFacts]:
    """The plan for the SidecarSets and pods of files and a cluster, or the sweep.

    With `old` SidecarSets the pods are made of workloads; where images are set and there are no pods, by the
    SidecarSets as written. InputError if something cannot be read, or there is no
    SidecarSet or no pod; ImpossibleError if Kruise rejects every change; UsageError for an unknown name.
    """
    how = how.of_cluster(sources.live.release)
    basis = plan_basis(sources, old, how, request)
    if request.recreates and basis.rollout.synthetic:
        raise usage_error("--recreate needs running pods: those made from workloads have invented names")
    rollout, options = checked_rollout(basis, sources, request)
    report: Report[Any]
    if request.sweep:
        report = _sweep_report(rollout, request._replace(options=options), *request.sweep)
    else:
        report = _one_plan(rollout, options, basis, how.namespace, request)
    return report._replace(read_at=sources.live.versions)


def _one_plan(
    rollout: RolloutInputs, options: PlanOptions, basis: PlanBasis, namespace: str, request: PlanRequest
) -> Report[PlanFacts]:
    made = simulated(rollout, options)
    blocked = blocked_fields(made, basis.whole, namespace, request.gates, rollout.world.revisions)
    report = plan_report(rollout, made, blocked, options, request.gates, request.fails)
    if not request.recreates:
        return report
    found = _recreations(made, rollout, basis.found, request.gates)
    return report._replace(facts=report.facts._replace(recreations=found))


def _recreations(made: Plan, rollout: RolloutInputs, found: PodInputs, gates: frozenset[str]) -> "Recreations":
    from sidecarctl.engine.comparing.outdated import new_pod_version, outdated_pods
    from sidecarctl.engine.comparing.tolerance import Tolerance
    from sidecarctl.engine.rollout.recreating import Recreated, recreations  # few plans ask for it
    from sidecarctl.engine.rollout.statuses import simulated_pods

    pods, world = simulated_pods(rollout.pods), rollout.world  # as they are now, not after the plan
    budgets = list(disruption_budgets(found.disruption_budgets, pods))
    if world.budgets:
        from sidecarctl.engine.rollout.budgets import unavailable_budgets

        budgets += unavailable_budgets(budgets_among(gates, world.release, found)(pods), pods)
    outdated = {}
    for item in made.sets:
        planned = item.target.sidecar_set
        latest = latest_revision(planned, world.revisions)
        version = new_pod_version(planned, latest, world, found.live.sidecarsets, gates)
        absent = {left.pod_index for left in item.left_out if left.reason is not Reason.NOTHING_RECORDED}
        own = (pod for pod in pods if pod.index not in absent)
        outdated[planned.name] = {pod.name for pod in outdated_pods(planned, own, version, Tolerance())}
    is_complete = rollout.cluster is not None
    waves = recreations(made, Recreated(world, gates, found.owners, budgets, is_complete, outdated))
    return waves._replace(knows_budgets=is_complete or bool(budgets))
