"""The plan of a rollout: sets as they shall be, pods as they are, and what the command line says about both."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache

from sidecarctl.facts.errors import ImpossibleError, InputError, usage_error
from sidecarctl.facts.findings import Finding, error, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import ObjectReference
from sidecarctl.facts.values import Object, Value
from sidecarctl.inputs.gathering import UnreadablePod
from sidecarctl.inputs.world import World
from sidecarctl.operations.sidecarset_warnings import namespace_remarks
from sidecarctl.rollout.plan_notes import hot_version_notes, scatter_notes
from sidecarctl.rollout.plans import GroupOf, Plan, run
from sidecarctl.rollout.pods import PodName, SimulatedPod
from sidecarctl.rollout.simulation import Options, Simulation
from sidecarctl.rollout.targets import Target, target_of
from sidecarctl.sidecarset.matching import Matcher
from sidecarctl.sidecarset.revision_history import register
from sidecarctl.sidecarset.sets import SidecarSet


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """How the rollout is simulated.

    `duration` counts steps; `fail` are patterns of NAMESPACE/NAME or NAME; `overrides` are members of updateStrategy
    that take the place of those which the sets have; `by` are pod labels, `by_node` node labels.
    """

    only: Sequence[str] = ()
    duration: int = 1
    fail: Sequence[str] = ()
    assume_ready: bool = False
    rounds: int | None = None
    timestamp: str | None = None
    resource_version: str = ""
    overrides: Mapping[str, Value] = field(default_factory=dict)
    by: Sequence[str] = ()
    by_node: Sequence[str] = ()


def plan(world: World, pods: Sequence[Object], options: PlanOptions, nodes: Mapping[str, Object]) -> Plan:
    """The rollout of the chosen sets over pods (`essentials_of`) to its end.

    UsageError for a set that there is not. ImpossibleError, with the place in the set, where a selector cannot be
    evaluated.
    """
    chosen = [_overridden(one, options.overrides) for one in chosen_sets(world, options.only)]
    targets = [_target(one, world, options) for one in chosen]
    cluster = Options(options.duration, _fails(options.fail), options.assume_ready, options.rounds, mends=True)
    try:
        simulation = Simulation(targets, pods, world.namespaces, cluster)
    except ImpossibleError as fault:
        raise ImpossibleError(*_placed(fault.findings, world, chosen)) from None
    return run(simulation, _groupings(options, nodes))


def chosen_sets(world: World, only: Sequence[str]) -> list[SidecarSet]:
    """The sets that a rollout is about; UsageError for a name that no set has."""
    known = [sidecarset.name for sidecarset in world.sidecarsets]
    for name in only:
        if name not in known:
            raise usage_error(f"--only {name}: there is no such SidecarSet", hint=f"there are {', '.join(known)}")
    return [one for one in world.sidecarsets if not only or one.name in only]


def remarks_of(plan_made: Plan, world: World, options: PlanOptions) -> list[Finding]:
    """What is odd about the inputs, with the places of the sets' fields."""
    found: list[Finding] = []
    for one in plan_made.sets:
        source = world.sources[one.target.name]
        about_set = [remark for remark in one.remarks if remark.subject is None]
        namespaces = (pod.name.namespace for pod in plan_made.pods)
        about_set += namespace_remarks(one.target.sidecar_set, world, namespaces)
        found += source.findings(remark for remark in about_set if remark.path[-1] not in options.overrides)
        found += [_about(one.target.name, remark) for remark in about_set if remark.path[-1] in options.overrides]
        found += [remark for remark in one.remarks if remark.subject is not None]
        found += source.findings([*hot_version_notes(one), *scatter_notes(one)])
    names = [pod.name for pod in plan_made.pods]
    for pattern in options.fail:
        if not any(_matches(name, pattern) for name in names):
            found.append(warning(Reason.NO_PODS, f"--fail {pattern}: no pod has such a name"))
    return found


def refuse_unreadable(world: World, unreadable: Iterable[UnreadablePod], only: Sequence[str]) -> None:
    """InputError for pods that a set selects and that cannot be decoded; others do not matter."""
    matchers = [Matcher(one, world.namespaces) for one in chosen_sets(world, only)]
    faults = [
        finding for pod in unreadable for finding in pod.findings if any(_may_select(one, pod) for one in matchers)
    ]
    if faults:
        raise InputError(*faults)


def without_repeated(pods: Iterable[Object]) -> list[Object]:
    """The pods, each once; InputError for two of one name that are not the same."""
    found: dict[PodName, Object] = {}
    faults: list[Finding] = []
    for pod in pods:
        metadata = pod["metadata"]
        name = PodName(metadata["namespace"], metadata["name"])
        if found.setdefault(name, pod) != pod:
            finding = error(Reason.DUPLICATE_POD, "it stands there twice, and not the same", hint="give one of them")
            faults.append(finding._replace(subject=ObjectReference("v1", "Pod", *name)))
    if faults:
        raise InputError(*faults)
    return list(found.values())


def _may_select(matcher: Matcher, pod: UnreadablePod) -> bool:
    metadata = pod.manifest.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
    if not isinstance(labels, dict) or not all(isinstance(value, str) for value in labels.values()):
        return True
    return matcher.mismatch(namespace if isinstance(namespace, str) else "", labels) is None


def _overridden(sidecarset: SidecarSet, overrides: Mapping[str, Value]) -> SidecarSet:
    if not overrides:
        return sidecarset
    strategy = {**(sidecarset.spec.get("updateStrategy") or {}), **overrides}
    return sidecarset._replace(spec={**sidecarset.spec, "updateStrategy": strategy})


def _target(sidecarset: SidecarSet, world: World, options: PlanOptions) -> Target:
    revision = register(sidecarset, world.revisions).latest
    target = target_of(sidecarset, revision, now=options.timestamp, resource_version=options.resource_version)
    return target._replace(raises_versions=True)


def _fails(patterns: Sequence[str]) -> Callable[[PodName], bool]:
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
    """Findings about the one set that there is, with their places."""
    if len(chosen) != 1:
        return list(findings)
    return world.sources[chosen[0].name].findings(findings)


def _about(name: str, finding: Finding) -> Finding:
    return finding._replace(subject=ObjectReference("apps.kruise.io", "SidecarSet", "", name))
