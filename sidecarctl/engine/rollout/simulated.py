"""The rollout of the chosen SidecarSets over pods, simulated as the options say."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple

from sidecarctl.engine.facts.errors import ImpossibleError, usage_error
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.files.inputs import was_simulated
from sidecarctl.engine.inputs.opening import ClusterIdentity, Live
from sidecarctl.engine.inputs.pods import InputDigest, PodInputs
from sidecarctl.engine.rollout.absent_sidecars import why_absent
from sidecarctl.engine.rollout.disruption_budgets import disruption_budgets
from sidecarctl.engine.rollout.plan_options import PlanOptions
from sidecarctl.engine.rollout.pod_budgets import Protection
from sidecarctl.engine.rollout.recreation import Recreation
from sidecarctl.engine.rollout.simulated_pods import PodName, SimulatedPod
from sidecarctl.engine.rollout.simulated_rollout import ROUND_SECONDS, ClusterBehavior, Simulation, no_pod
from sidecarctl.engine.rollout.summary.rollout_plan import GroupOf, Plan, run
from sidecarctl.engine.rollout.targets import Target, target_of
from sidecarctl.engine.sidecarset.revisions.revision_history import latest_revision
from sidecarctl.engine.sidecarset.sets import SidecarSet, canaries_of
from sidecarctl.engine.sidecarset.world import Located, World, chosen_sidecarsets


class RolloutInputs(NamedTuple):
    """The input of a plan.

    - `pods`: trimmed pods, in input order; `synthetic`: made from workloads. `nodes`: the labels of Nodes by name.
    - `digests`: of the files that were read; `cluster`: the cluster that was read, if any.
    """

    world: World
    pods: Sequence[Object]
    nodes: Mapping[str, Object] = {}
    digests: Sequence[InputDigest] = ()
    findings: Sequence[Finding] = ()
    synthetic: bool = False
    cluster: ClusterIdentity | None = None
    protection: Protection | None = None
    """The PodUnavailableBudgets, if they hold back updates."""
    disruption_budgets: Sequence[Located] = ()


def rollout_inputs(found: PodInputs, live: Live) -> RolloutInputs:
    """The input for what was read of files and of a cluster."""
    return RolloutInputs(found.world, found.pods, found.nodes, found.digests, live.findings, cluster=live.identity)


def simulated(inputs: RolloutInputs, options: PlanOptions, targets: Sequence[Target] | None = None) -> Plan:
    """The complete rollout of the chosen SidecarSets over pods; `targets`: those of a rollback.

    UsageError for a SidecarSet that does not exist. ImpossibleError, with the place in the SidecarSet, if
    a selector cannot be evaluated.
    """
    world = inputs.world
    chosen = [overridden(sidecarset, options.overrides) for sidecarset in chosen_sidecarsets(world, options.only)]
    if targets is None:
        named = {item.name: item for item in chosen}
        every = tuple(named.get(item.name, item) for item in world.sidecarsets)
        recreation = Recreation(world._replace(sidecarsets=every))
        targets = [_target(item, world, options, recreation) for item in chosen]
    cluster = ClusterBehavior(
        options.duration,
        _fails(options.fail),
        options.assume_ready,
        options.rounds,
        mends=True,
        finishes_begun=not options.stuck,
        round_seconds=options.step_seconds or ROUND_SECONDS,
    )
    try:
        simulation = Simulation(targets, inputs.pods, world.namespaces, cluster, inputs.protection)
    except ImpossibleError as fault:
        raise ImpossibleError(*_placed(fault.findings, world, chosen)) from None
    budgets = tuple(disruption_budgets(inputs.disruption_budgets, simulation.pods))
    return run(simulation, _groupings(options, inputs.nodes), was_simulated, budgets)


def overridden(sidecarset: SidecarSet, overrides: Mapping[str, Value]) -> SidecarSet:
    """The set with other members of updateStrategy."""
    if not overrides:
        return sidecarset
    strategy = {**(sidecarset.spec.get("updateStrategy") or {}), **overrides}
    return sidecarset._replace(spec={**sidecarset.spec, "updateStrategy": strategy})


def _target(sidecarset: SidecarSet, world: World, options: PlanOptions, recreation: Recreation) -> Target:
    revision = latest_revision(sidecarset, world.revisions)
    target = target_of(
        sidecarset,
        revision,
        now=options.timestamp,
        resource_version=options.resource_version,
        canaries=canaries_of(sidecarset.name, world.sidecarsets),
    )
    name = sidecarset.name
    return target._replace(
        raises_versions=True,
        why_absent=why_absent(sidecarset, world, recreation.of(name)),
        recreation=recreation.of(name),
    )


def _fails(patterns: Sequence[str]) -> Callable[[PodName], bool]:
    if not patterns:
        return no_pod
    return lru_cache(maxsize=None)(lambda name: any(pod_matches(name, pattern) for pattern in patterns))


def pod_matches(name: PodName, pattern: str) -> bool:
    """Whether `[NAMESPACE/]NAME`, or a pattern with `*`, names a pod."""
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
