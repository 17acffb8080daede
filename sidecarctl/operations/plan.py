"""The plan of a rollout: the desired SidecarSets, the current pods, and the options of the command line."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from sidecarctl.facts.errors import ImpossibleError, usage_error
from sidecarctl.facts.findings import Finding, error, warning
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import value_at
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import ObjectReference
from sidecarctl.facts.values import Object, Value
from sidecarctl.inputs.gathering import InputDigest
from sidecarctl.inputs.world import World, chosen_sidecarsets
from sidecarctl.operations.checking.release_findings import gate_findings
from sidecarctl.operations.checking.sidecarset_warnings import namespace_warnings, world_canary_notes
from sidecarctl.operations.comparing.flipped_defaults import flipped_in_pods
from sidecarctl.operations.planning.canary_bases import canary_warnings
from sidecarctl.operations.planning.deciding import Deciding, deciding
from sidecarctl.operations.planning.plan_options import PlanOptions
from sidecarctl.operations.report import Report
from sidecarctl.plan_file.cluster_identity import ClusterIdentity
from sidecarctl.rollout.pods.simulated_pods import PodName, SimulatedPod
from sidecarctl.rollout.pods.targets import Target, target_of
from sidecarctl.rollout.simulation.simulated_rollout import ClusterBehaviour, Simulation, no_pod
from sidecarctl.rollout.summary.assumptions import hot_version_notes, scatter_notes
from sidecarctl.rollout.summary.blocked_pods import Blocked, blocked_fields, wanted_pods
from sidecarctl.rollout.summary.ending_sentences import ending_sentence
from sidecarctl.rollout.summary.rollout_plan import GroupOf, Plan, SetRolloutPlan, run
from sidecarctl.sidecarset.canaries import canaries_of
from sidecarctl.sidecarset.revisions.revision_history import latest_revision
from sidecarctl.sidecarset.sets import GROUP, SidecarSet

_STRATEGY = ("spec", "updateStrategy")
_FLAGS = {"partition": "--partition", "maxUnavailable": "--max-unavailable"}


class RolloutInputs(NamedTuple):
    """The input of a plan.

    - `pods`: trimmed pods, in input order; `synthetic`: made from workloads. `nodes`: the labels of Nodes by name.
    - `whole_pods`: reads the untrimmed manifests of all pods again, for the few that are blocked.
    - `digests`: of the files that were read; `cluster`: the cluster that was read, if any.
    """

    world: World
    pods: Sequence[Object]
    whole_pods: Callable[[], Iterable[Object]]
    nodes: Mapping[str, Object] = {}
    digests: Sequence[InputDigest] = ()
    findings: Sequence[Finding] = ()
    synthetic: bool = False
    cluster: ClusterIdentity | None = None


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


def plan_report(
    inputs: RolloutInputs,
    options: PlanOptions,
    namespace: str,
    gates: frozenset[str],
    targets: Sequence[Target] | None = None,
) -> Report[PlanFacts]:
    """The plan of a rollout with all findings about it; `targets`: those of a rollback."""
    made = simulated(inputs, options, targets)
    manifests = iter(inputs.whole_pods()) if wanted_pods(made) else iter(())
    facts = PlanFacts(
        plan=made,
        options=options,
        origins=_origins(made, inputs.world, options),
        blocked=blocked_fields(made, manifests, namespace, gates),
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
    if inputs.cluster is None:
        findings += canary_warnings(made, inputs.world)
    findings += world_canary_notes(inputs.world)
    findings += [item.outcome.error for item in made.sets if item.outcome.error]
    findings += _flipped(made, facts.blocked, inputs.world)
    objections = stalls(made.sets, inputs.world)
    release = inputs.world.release
    return Report("plan", facts, findings, is_objection=made.is_objection, objections=objections, release=release)


def _flipped(made: Plan, blocked: Blocked, world: World) -> Iterator[Finding]:
    """The pull policies that turn by default, because of which pods cannot be updated in place."""
    for item in made.sets:
        source = world.sources[item.target.name]
        pods = [(made.pods[index].manifest, fields) for index, fields in blocked[item.target.name].items()]
        yield from source.findings(flipped_in_pods(source.manifest, item.target.sidecar_set.manifest, pods))


def stalls(rollouts: Iterable[SetRolloutPlan], world: World) -> list[Finding]:
    """A finding, at the update strategy, for each rollout that stalls or is blocked."""
    path = ("spec", "updateStrategy")
    return [
        finding
        for rollout in rollouts
        if rollout.outcome.ending.is_objection and not rollout.outcome.error
        for finding in world.sources[rollout.target.name].findings(
            [error(Reason.ROLLOUT_STALLS, ending_sentence(rollout), path)]
        )
    ]


def simulated(inputs: RolloutInputs, options: PlanOptions, targets: Sequence[Target] | None = None) -> Plan:
    """The complete rollout of the chosen SidecarSets over pods.

    UsageError for a SidecarSet that does not exist. ImpossibleError, with the place in the SidecarSet, if
    a selector cannot be evaluated.
    """
    world = inputs.world
    chosen = [overridden(sidecarset, options.overrides) for sidecarset in chosen_sidecarsets(world, options.only)]
    if targets is None:
        targets = [_target(item, world, options) for item in chosen]
    cluster = ClusterBehaviour(
        options.duration,
        _fails(options.fail),
        options.assume_ready,
        options.rounds,
        mends=True,
        finishes_begun=not options.stuck,
    )
    try:
        simulation = Simulation(targets, inputs.pods, world.namespaces, cluster)
    except ImpossibleError as fault:
        raise ImpossibleError(*_placed(fault.findings, world, chosen)) from None
    return run(simulation, _groupings(options, inputs.nodes))


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
        if not any(_matches(name, pattern) for name in names):
            found.append(warning(Reason.NO_PODS, f"--fail {pattern}: no pod has a matching name"))
    return found


def overridden(sidecarset: SidecarSet, overrides: Mapping[str, Value]) -> SidecarSet:
    """The set with other members of updateStrategy."""
    if not overrides:
        return sidecarset
    strategy = {**(sidecarset.spec.get("updateStrategy") or {}), **overrides}
    return sidecarset._replace(spec={**sidecarset.spec, "updateStrategy": strategy})


def _target(sidecarset: SidecarSet, world: World, options: PlanOptions) -> Target:
    revision = latest_revision(sidecarset, world.revisions)
    target = target_of(
        sidecarset,
        revision,
        now=options.timestamp,
        resource_version=options.resource_version,
        canaries=canaries_of(sidecarset.name, world.sidecarsets),
    )
    return target._replace(raises_versions=True)


def _fails(patterns: Sequence[str]) -> Callable[[PodName], bool]:
    if not patterns:
        return no_pod
    return lru_cache(maxsize=None)(lambda name: any(_matches(name, pattern) for pattern in patterns))


def _matches(name: PodName, pattern: str) -> bool:
    return fnmatchcase(str(name) if "/" in pattern else name.name, pattern)


def _groupings(options: PlanOptions, nodes: Mapping[str, Object]) -> dict[str, GroupOf]:
    groupings: dict[str, GroupOf] = {label: _by_label(label) for label in options.by}
    if options.by_node and not nodes:
        raise usage_error("--by-node needs Nodes among the inputs", hint="kubectl get nodes -o json")
    return groupings | {f"node {label}": _by_node(label, nodes) for label in options.by_node}


def _by_label(label: str) -> GroupOf:
    return lambda pod: pod.labels.get(label, "")


def _by_node(label: str, nodes: Mapping[str, Object]) -> GroupOf:
    def group_of(pod: SimulatedPod) -> str:
        node = (pod.manifest.get("spec") or {}).get("nodeName") or ""
        return (nodes.get(node) or {}).get(label) or ""

    return group_of


def _placed(findings: Iterable[Finding], world: World, chosen: Sequence[SidecarSet]) -> list[Finding]:
    """Findings about the only SidecarSet, with their places."""
    if len(chosen) != 1:
        return list(findings)
    return world.sources[chosen[0].name].findings(findings)


def _about(name: str, finding: Finding) -> Finding:
    return finding._replace(subject=ObjectReference(GROUP, "SidecarSet", "", name))
