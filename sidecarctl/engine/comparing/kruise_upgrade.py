"""An upgrade of Kruise over the same SidecarSets and pods: what it rejects, what it changes, which pods it blocks.

Source: docs/behavior/releases.md, docs/behavior/validation.md.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from sidecarctl.engine.api.workload_rows import WorkloadKind
from sidecarctl.engine.comparing.judged_changes import moved_pods
from sidecarctl.engine.comparing.lost_and_gained import LostAndGained, Moved, Moves
from sidecarctl.engine.comparing.pod_effects import RolloutNumbers, numbers_of
from sidecarctl.engine.comparing.recreated_pods import Injectors, RecreatedPods, of_running_pods, of_workloads
from sidecarctl.engine.comparing.release_effects import Effect, Topic, Versions, effects_of, verdict_of
from sidecarctl.engine.comparing.release_rollouts import ReleaseCourse, rollout_effects
from sidecarctl.engine.comparing.set_changes import Refusals, refusals_in
from sidecarctl.engine.comparing.verdicts import Verdict, severest_first
from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.injection_context import injection_context
from sidecarctl.engine.injection.pod_templates import Templates
from sidecarctl.engine.injection.removal_scope import RemovalRequest
from sidecarctl.engine.inputs.opening import Named, Sources
from sidecarctl.engine.inputs.pods import PodInputs, is_pod_to_be, read_inputs, whole_pods
from sidecarctl.engine.inputs.reading import Reading, no_sidecarset
from sidecarctl.engine.inputs.references import with_references
from sidecarctl.engine.releases.profiles import precedes
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.report import Checked, Report, release_notes
from sidecarctl.engine.rollout.plan_options import PlanOptions
from sidecarctl.engine.rollout.pod_budgets import budget_notes, protection_of
from sidecarctl.engine.rollout.simulated import RolloutInputs, simulated
from sidecarctl.engine.rollout.simulated_pods import PodName
from sidecarctl.engine.rollout.statuses import simulated_pods, statuses_of
from sidecarctl.engine.rollout.workload_pods import pods_of_workloads
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.engine.sidecarset.unknown_namespaces import unknown_namespaces
from sidecarctl.engine.sidecarset.world import World, chosen_sidecarsets
from sidecarctl.engine.transforming.inject import Inject
from sidecarctl.engine.transforming.uninject import Uninject
from sidecarctl.engine.validation.warnings import gate_findings

_CONTAINER_LISTS = ("containers", "initContainers")
_FILLED_IN = "imagePullPolicy"


def _applied_again(before: World, after: World) -> World:
    """The later world, with what the earlier release has stored for fields that the manifests omit.

    Only the default of imagePullPolicy depends on the release and on nothing else.
    """
    if after.release.parses_odd_hosts == before.release.parses_odd_hosts:
        return after
    old = before.by_name
    applied = (_applied(after.sources[new.name].manifest, old[new.name], new) for new in after.sidecarsets)
    return after._replace(sidecarsets=tuple(applied))


def _applied(manifest: Object, before: SidecarSet, after: SidecarSet) -> SidecarSet:
    spec = manifest.get("spec") or {}
    written = {name: [each or {} for each in spec[name]] for name in _CONTAINER_LISTS if spec.get(name)}
    kept = {name: _with_stored(written[name], before.spec.get(name) or ()) for name in written}
    if all(kept[name] == written[name] for name in kept):
        return after
    return admit(manifest | {"spec": spec | kept}, after.release)


def _with_stored(containers: Sequence[Object], stored: Sequence[Object]) -> list[Object]:
    """The containers, each with the stored imagePullPolicy unless it has its own."""
    return [
        container if container.get(_FILLED_IN) else container | {_FILLED_IN: known[_FILLED_IN]}
        for container, known in zip(containers, stored, strict=True)
    ]


def _new_refusals(before: World, after: World, gates: frozenset[str]) -> Refusals:
    """What the later release rejects, unless the earlier one rejects something at the same place."""
    known = refusals_in(before, gates)
    return {
        name: [error for error in found if not any(_overlap(error, other) for other in known.get(name, ()))]
        for name, found in refusals_in(after, gates).items()
    }


def _overlap(error: Finding, other: Finding) -> bool:
    """Whether one of the two paths equals the other, or begins with it."""
    return all(step == other_step for step, other_step in zip(error.path, other.path, strict=False))


_SHOWN = 3
"""The number of fields that a finding names."""


def _effect_findings(name: str, effects: Iterable[Effect], world: World) -> list[Finding]:
    """The effects on a SidecarSet, each at its field in the manifest.

    Fields that stop working are among the findings about the later release (`World.gaps`).
    """
    found = (
        Finding(effect.severity, Reason.KRUISE_UPGRADE, effect.message, effect.path, rule=effect.rule)
        for effect in effects
        if effect.topic is not Topic.FIELD_CEASES
    )
    return world.sources[name].findings(found)


def _recreated_findings(recreated: Iterable[RecreatedPods]) -> Iterator[Finding]:
    """The pods that are injected differently: an error for pods that only the later release rejects."""
    for pods in recreated:
        severity = Severity.ERROR if pods.breaks else Severity.WARNING
        yield Finding(severity, Reason.KRUISE_UPGRADE, _sentence(pods), subject=pods.reference)


def _sentence(pods: RecreatedPods) -> str:
    others = (pods.number or 1) - 1 if pods.reference.kind == "Pod" else 0
    more = f" (and {others} more)" if others else ""
    fields = ", ".join(field.text for field in pods.fields[:_SHOWN]) + (" ..." if len(pods.fields) > _SHOWN else "")
    if pods.before != pods.after:
        before, after = pods.applied
        return f"injected differently when created again{more}: {after} instead of {before}"
    return f"injected differently when created again{more}: {fields}"


class SetUpgrade(NamedTuple):
    """The effects of the upgrade on a SidecarSet; `running` are its pods under the later release, if any.

    `moves`: the pods that only one release injects. `doubtful`: other pods that may be its pods (`RolloutOutcome`).
    """

    name: str
    verdict: Verdict
    before: SidecarSet
    after: SidecarSet
    effects: tuple[Effect, ...]
    running: RolloutNumbers | None = None
    moves: Moves = Moves()
    doubtful: Sequence[PodName] = ()


class UpgradeFacts(NamedTuple):
    """Every SidecarSet by name, and the pods that would be injected differently if recreated."""

    before: Release
    after: Release
    sets: Sequence[SetUpgrade]
    recreated: Sequence[RecreatedPods]
    gates: frozenset[str]

    @property
    def is_downgrade(self) -> bool:
        """Whether the release afterward is the older one."""
        return precedes(self.after, self.before)

    @property
    def differs(self) -> bool:
        """Whether anything differs under the later release."""
        return bool(self.recreated) or any(item.effects for item in self.sets)


class UpgradeRequest(NamedTuple):
    """The inputs as each release reads them; `whole_pods` are the untrimmed manifests of all pods."""

    before: PodInputs
    after: PodInputs
    whole_pods: Iterable[Object]
    namespace: str = "default"
    kinds: tuple[WorkloadKind, ...] = ()
    gates: frozenset[str] = frozenset()
    only: Sequence[str] = ()


def upgrade_report(request: UpgradeRequest) -> Report[UpgradeFacts]:
    """The differences between two releases over the same SidecarSets and pods.

    An objection if something breaks: an effect that is an error, or pods that only the later release rejects.
    """
    before, after = request.before.world, _applied_again(request.before.world, request.after.world)
    request = request._replace(after=replace(request.after, world=after))
    chosen = chosen_sidecarsets(after, request.only)
    names = [sidecarset.name for sidecarset in chosen]
    findings: list[Finding] = [*after.remarks, *release_notes(before.release), *after.gaps]
    findings += [*gate_findings(after, request.gates), *budget_notes(request.gates, request.after)]
    running = [pod for pod in request.after.pods if not is_pod_to_be(pod)]
    namespaces = {pod["metadata"]["namespace"] for pod in running}
    namespaces |= {found.reference.namespace or request.namespace for found in request.after.workloads}
    findings += unknown_namespaces(chosen, after, namespaces)
    pods = running or _pods_of_workloads(request, findings)
    courses = [
        _courses(
            RolloutInputs(
                world,
                pods,
                protection=protection_of(request.gates, world.release, request.after),
                synthetic=not running,
            ),
            names,
            findings,
        )
        for world in (before, after)
    ]
    moved = LostAndGained(before, after, request.gates)
    moved.add_workloads(request.after.workloads, request.after.workloads, request.namespace, request.kinds)
    moved.add_running(running)
    versions = [item for item in _versions(before, after, request.gates) if item.after.name in names]
    sets = [_set(item, courses, moved.moves(item.after.name)) for item in versions]
    facts = UpgradeFacts(
        before.release, after.release, sets, _recreated(request, is_running=bool(running)), request.gates
    )
    objections = [finding for item in sets for finding in _effect_findings(item.name, item.effects, after)]
    objections += _recreated_findings(facts.recreated)
    objects = any(objection.severity is Severity.ERROR for objection in objections)
    return Report(
        "kruise-upgrade",
        facts,
        findings,
        is_objection=objects or any(item.verdict is Verdict.UNKNOWN for item in sets),
        objections=objections,
        checked=[Checked(after.sources[name].reference, after.sources[name].place()) for name in names],
        release=after.release,
    )


def _versions(before: World, after: World, gates: frozenset[str]) -> Iterator[Versions]:
    """The SidecarSets as both releases admit them."""
    old, refusals = before.by_name, _new_refusals(before, after, gates)
    for sidecarset in after.sidecarsets:
        manifest = after.sources[sidecarset.name].manifest
        yield Versions(manifest, old[sidecarset.name], sidecarset, after.revisions, refusals.get(sidecarset.name, ()))


def _set(versions: Versions, courses: Sequence[Mapping[str, ReleaseCourse]], moves: Moves) -> SetUpgrade:
    before, after = versions.before, versions.after
    effects = effects_of(versions)
    old, new = (course.get(after.name) for course in courses)
    if old and new and new.status.pods:
        effects = [effect for effect in effects if effect.topic is not Topic.PACE]  # with pods, there are numbers
        effects += rollout_effects(old, new)
    effects += _moved(moves)
    running = numbers_of(new.plan, synthetic=new.synthetic) if new else None
    verdicts = {verdict_of(versions), *({Verdict.SIDECAR_LOST} if moves.lost else ())}
    verdicts |= {Verdict.SIDECAR_GAINED} if moves.gained else set()
    doubtful = new.plan.outcome.doubtful if new else ()
    verdicts |= {Verdict.UNKNOWN} if doubtful and verdicts - {Verdict.NO_EFFECT} else set()
    verdict = Verdict.REJECTED if Verdict.REJECTED in verdicts else severest_first(verdicts)[0]
    return SetUpgrade(after.name, verdict, before, after, tuple(effects), running, moves, doubtful)


def _moved(moves: Moves) -> Iterator[Effect]:
    """The pods that only one of the releases injects, by cause."""
    for pods, word, severity in ((moves.lost, "without", Severity.ERROR), (moves.gained, "with", Severity.WARNING)):
        by_cause: dict[str, list[Moved]] = {}
        for item in pods:
            by_cause.setdefault(item.cause.text, []).append(item)
        for cause, group in by_cause.items():
            yield Effect(Topic.PODS, f"{moved_pods(group)}, once recreated, {word} its sidecars: {cause}", severity)


def _pods_of_workloads(request: UpgradeRequest, findings: list[Finding]) -> Sequence[Object]:
    """The pods that workloads have under the earlier release."""
    before, after = request.before.world, request.after.world
    try:
        pods, remarks = pods_of_workloads(
            before, after, request.after.workloads, request.namespace, request.kinds, request.gates
        )
    except SidecarctlError:  # `_recreated` tells
        return ()
    findings += remarks
    return pods


def _courses(inputs: RolloutInputs, names: Sequence[str], findings: list[Finding]) -> dict[str, ReleaseCourse]:
    """The rollouts over pods; findings for those that cannot be computed."""
    if not inputs.pods:
        return {}
    sets, found = statuses_of(inputs.world, simulated_pods(inputs.pods), names, inputs.protection)
    findings += [finding for finding in found if finding.severity is Severity.ERROR and finding not in findings]
    known = {item.sidecarset.name: item for item in sets}
    if not known:
        return {}
    made = simulated(inputs, PlanOptions(only=list(known)))
    return {
        item.target.name: ReleaseCourse(known[item.target.name], item, made.pods, synthetic=inputs.synthetic)
        for item in made.sets
    }


def _recreated(request: UpgradeRequest, *, is_running: bool) -> list[RecreatedPods]:
    """The pods that would be injected differently: pods of workloads, and running pods."""
    old, new = request.before.world, request.after.world
    options = InjectionOptions(feature_gates=request.gates)
    templates = Templates(old, request.namespace, request.kinds)
    injectors = Injectors(
        Inject(templates, injection_context(old, options)),
        Inject(templates._replace(world=new), injection_context(new, options)),
        Uninject(templates, injection_context(old, options), RemovalRequest()),
    )
    workloads, _ = with_references(request.after.workloads, request.namespace)
    found = list(of_workloads(workloads, injectors, request.kinds))
    if is_running:
        found += of_running_pods((pod for pod in request.whole_pods if not is_pod_to_be(pod)), injectors)
    return found


Releases: TypeAlias = tuple[Release, Release]
"""The release before, and the one after."""


def upgrade_of_manifests(
    sources: Sources[Input],
    releases: Releases,
    named: Named,
    how: Reading,
    gates: frozenset[str],
    only: Sequence[str],
) -> Report[UpgradeFacts]:
    """The effects of an upgrade of Kruise on manifests; InputError if something cannot be read, or no SidecarSet."""
    before = read_inputs(sources, how._replace(release=releases[0])).whole(only)
    computed = how._replace(release=releases[1], trust_annotated_hash=False)  # what the next write records
    after = read_inputs(sources, computed).whole(only)
    if not after.world.sidecarsets:
        raise no_sidecarset(named)
    request = UpgradeRequest(before, after, whole_pods(sources, how), how.namespace, how.workloads, gates, only)
    return upgrade_report(request)
