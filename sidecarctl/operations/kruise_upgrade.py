"""The effects of an upgrade of Kruise on SidecarSets and their pods."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sidecarctl.api.workloads import Workload
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object
from sidecarctl.injection.options import InjectionOptions
from sidecarctl.injection.remove.removal_scope import RemovalRequest
from sidecarctl.inputs.reading_pods import Inputs, is_pod_to_be
from sidecarctl.inputs.world import World, chosen_sidecarsets
from sidecarctl.operations.checking.release_findings import gate_findings
from sidecarctl.operations.comparing.affected_pods import RunningPods, running_pods
from sidecarctl.operations.comparing.recreated_pods import Injectors, RecreatedPods, of_running_pods, of_workloads
from sidecarctl.operations.comparing.release_effects import Effect, Topic, Versions, effects_of, verdict_of
from sidecarctl.operations.comparing.rollout_effects import Course, rollout_effects
from sidecarctl.operations.comparing.stored_sidecarsets import applied_again
from sidecarctl.operations.comparing.upgrade_findings import effect_findings, recreated_findings
from sidecarctl.operations.comparing.verdicts import Verdict
from sidecarctl.operations.comparing.webhook_refusals import new_refusals
from sidecarctl.operations.inject import Inject, injection_context
from sidecarctl.operations.plan import RolloutInputs, simulated
from sidecarctl.operations.planning.plan_options import PlanOptions
from sidecarctl.operations.report import Report
from sidecarctl.operations.status import statuses_of
from sidecarctl.operations.transforming.pod_templates import Templates
from sidecarctl.operations.uninject import Uninject
from sidecarctl.releases.release import Release
from sidecarctl.sidecarset.sets import SidecarSet


class SetUpgrade(NamedTuple):
    """The effects of the upgrade on a SidecarSet; `running` are its pods under the later release, if any."""

    name: str
    verdict: Verdict
    before: SidecarSet
    after: SidecarSet
    effects: tuple[Effect, ...]
    running: RunningPods | None = None


class UpgradeFacts(NamedTuple):
    """Every SidecarSet by name, and the pods that would be injected differently if recreated."""

    before: Release
    after: Release
    sets: Sequence[SetUpgrade]
    recreated: Sequence[RecreatedPods]
    gates: frozenset[str]

    @property
    def differs(self) -> bool:
        """Whether anything differs under the later release."""
        return bool(self.recreated) or any(item.effects for item in self.sets)


class UpgradeRequest(NamedTuple):
    """The inputs as each release reads them; `whole_pods` returns the untrimmed manifests of all pods."""

    before: Inputs
    after: Inputs
    whole_pods: Callable[[], Iterable[Object]]
    namespace: str = "default"
    kinds: tuple[Workload, ...] = ()
    gates: frozenset[str] = frozenset()
    only: Sequence[str] = ()


def upgrade_report(request: UpgradeRequest) -> Report[UpgradeFacts]:
    """The differences between two releases over the same SidecarSets and pods.

    An objection if something breaks: an effect that is an error, or pods that only the later release rejects.
    """
    before, after = request.before.world, applied_again(request.before.world, request.after.world)
    request = request._replace(after=replace(request.after, world=after))
    names = [sidecarset.name for sidecarset in chosen_sidecarsets(after, request.only)]
    findings: list[Finding] = [*after.gaps, *gate_findings(after, request.gates)]
    courses = [_courses(item, names, findings) for item in (request.before, request.after)]
    sets = [
        _set(version, courses) for version in _versions(before, after, request.gates) if version.after.name in names
    ]
    facts = UpgradeFacts(before.release, after.release, sets, _recreated(request), request.gates)
    objections = [finding for item in sets for finding in effect_findings(item.name, item.effects, after)]
    objections += recreated_findings(facts.recreated)
    objects = any(objection.severity is Severity.ERROR for objection in objections)
    return Report(
        "kruise-upgrade", facts, findings, is_objection=objects, objections=objections, release=after.release
    )


def _versions(before: World, after: World, gates: frozenset[str]) -> Iterator[Versions]:
    """The SidecarSets as both releases admit them."""
    old = {sidecarset.name: sidecarset for sidecarset in before.sidecarsets}
    refusals = new_refusals(before, after, gates)
    for sidecarset in after.sidecarsets:
        manifest = after.sources[sidecarset.name].manifest
        yield Versions(manifest, old[sidecarset.name], sidecarset, after.revisions, refusals.get(sidecarset.name, ()))


def _set(versions: Versions, courses: Sequence[Mapping[str, Course]]) -> SetUpgrade:
    before, after = versions.before, versions.after
    effects = effects_of(versions)
    old, new = (course.get(after.name) for course in courses)
    if old and new:
        effects = [effect for effect in effects if effect.topic is not Topic.PACE]  # pods tell it in numbers
        effects += rollout_effects(old, new)
    running = running_pods(new.status) if new else None
    return SetUpgrade(after.name, verdict_of(versions), before, after, tuple(effects), running)


def _courses(inputs: Inputs, names: Sequence[str], findings: list[Finding]) -> dict[str, Course]:
    """The rollouts over the running pods; findings for those that cannot be computed."""
    pods = _running(inputs)
    if not pods:
        return {}
    statuses = statuses_of(inputs.world, pods, names)
    findings += [
        finding for finding in statuses.findings if finding.severity is Severity.ERROR and finding not in findings
    ]
    known = {item.sidecarset.name: item for item in statuses.sets}
    if not known:
        return {}
    made = simulated(RolloutInputs(inputs.world, pods, lambda: ()), PlanOptions(only=list(known)))
    return {item.target.name: Course(known[item.target.name], item, made.pods) for item in made.sets}


def _running(inputs: Inputs) -> list[Object]:
    return [pod for pod in inputs.pods if not is_pod_to_be(pod)]


def _recreated(request: UpgradeRequest) -> list[RecreatedPods]:
    """The pods that would be injected differently: pods of workloads, and running pods."""
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
