"""What an upgrade of Kruise from one release to another does to SidecarSets and their pods."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.api.workloads import Workload
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.values import Object
from sidecarctl.injection.options import InjectionOptions
from sidecarctl.injection.remove.removal_scope import RemovalRequest
from sidecarctl.inputs.reading_pods import Inputs, is_pod_to_be
from sidecarctl.inputs.world import World, chosen_sidecarsets
from sidecarctl.operations.comparing.affected_pods import RunningPods, running_pods
from sidecarctl.operations.comparing.recreated_pods import Injectors, RecreatedPods, of_running_pods, of_workloads
from sidecarctl.operations.comparing.release_effects import Effect, Topic, Versions, effects_of, verdict_of
from sidecarctl.operations.comparing.rollout_effects import Course, rollout_effects
from sidecarctl.operations.comparing.verdicts import Verdict
from sidecarctl.operations.inject import Inject, injection_context
from sidecarctl.operations.plan import RolloutInputs, simulated
from sidecarctl.operations.planning.plan_options import PlanOptions
from sidecarctl.operations.release_findings import gate_findings
from sidecarctl.operations.report import Report
from sidecarctl.operations.status import statuses_of
from sidecarctl.operations.transforming.pod_templates import Templates
from sidecarctl.operations.uninject import Uninject
from sidecarctl.releases.release import Release
from sidecarctl.sidecarset.sets import SidecarSet


class SetUpgrade(NamedTuple):
    """What the upgrade means for a SidecarSet; `running` are its pods under the later release, None without pods."""

    name: str
    verdict: Verdict
    before: SidecarSet
    after: SidecarSet
    effects: tuple[Effect, ...]
    running: RunningPods | None = None


class UpgradeFacts(NamedTuple):
    """Every SidecarSet by name, and the pods that would be injected differently when they are created again."""

    before: Release
    after: Release
    sets: Sequence[SetUpgrade]
    recreated: Sequence[RecreatedPods]
    gates: frozenset[str]

    @property
    def differs(self) -> bool:
        """Whether anything is otherwise under the later release."""
        return bool(self.recreated) or any(one.effects for one in self.sets)


class UpgradeRequest(NamedTuple):
    """The inputs as either release reads them; `whole_pods` gives the manifests of all pods, untrimmed."""

    before: Inputs
    after: Inputs
    whole_pods: Callable[[], Iterable[Object]]
    namespace: str = "default"
    kinds: tuple[Workload, ...] = ()
    gates: frozenset[str] = frozenset()
    only: Sequence[str] = ()


def upgrade_report(request: UpgradeRequest) -> Report[UpgradeFacts]:
    """The difference of two releases over the same SidecarSets and pods.

    It objects where the later release refuses a SidecarSet, or its pods must be recreated.
    """
    before, after = request.before.world, request.after.world
    names = [one.name for one in chosen_sidecarsets(after, request.only)]
    findings: list[Finding] = [*after.gaps, *gate_findings(after, request.gates)]
    courses = [_courses(one, names, findings) for one in (request.before, request.after)]
    old = {one.name: one for one in before.sidecarsets}
    sets = [_set(old[one.name], one, after, courses) for one in after.sidecarsets if one.name in names]
    facts = UpgradeFacts(before.release, after.release, sets, _recreated(request), request.gates)
    objects = any(one.verdict.is_objection for one in sets)
    return Report("kruise-upgrade", facts, findings, is_objection=objects, release=after.release)


def _set(before: SidecarSet, after: SidecarSet, world: World, courses: Sequence[Mapping[str, Course]]) -> SetUpgrade:
    versions = Versions(world.sources[after.name].manifest, before, after, world.revisions)
    effects = effects_of(versions)
    old, new = (one.get(after.name) for one in courses)
    if old and new:
        effects = [one for one in effects if one.topic is not Topic.PACE]  # pods tell it in numbers
        effects += rollout_effects(old, new)
    running = running_pods(new.status) if new else None
    return SetUpgrade(after.name, verdict_of(versions), before, after, tuple(effects), running)


def _courses(inputs: Inputs, names: Sequence[str], findings: list[Finding]) -> dict[str, Course]:
    """The rollouts over the pods that run, as far as they can be computed; what cannot be is among the findings."""
    pods = _running(inputs)
    if not pods:
        return {}
    statuses = statuses_of(inputs.world, pods, names)
    findings += [one for one in statuses.findings if one.severity is Severity.ERROR and one not in findings]
    known = {one.sidecarset.name: one for one in statuses.sets}
    if not known:
        return {}
    made = simulated(RolloutInputs(inputs.world, pods, lambda: ()), PlanOptions(only=list(known)))
    return {one.target.name: Course(known[one.target.name], one, made.pods) for one in made.sets}


def _running(inputs: Inputs) -> list[Object]:
    return [pod for pod in inputs.pods if not is_pod_to_be(pod)]


def _recreated(request: UpgradeRequest) -> list[RecreatedPods]:
    """The pods that would be injected differently: of workloads, and running ones."""
    old, new = request.before.world, request.after.world
    options = InjectionOptions(feature_gates=request.gates)
    templates = Templates(old, request.namespace, request.kinds)
    injectors = Injectors(
        Inject(templates, injection_context(old, options)),
        Inject(templates._replace(world=new), injection_context(new, options)),
        Uninject(templates, injection_context(old, options), RemovalRequest()),
    )
    found = list(of_workloads(request.after.workloads, injectors, request.kinds))
    if _running(request.after):
        found += of_running_pods((pod for pod in request.whole_pods() if not is_pod_to_be(pod)), injectors)
    return found
