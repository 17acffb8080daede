"""Everything that is checked before the first patch; on an error the push ends without touching anything."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.findings import Finding, ObjectReference, Severity, error, note, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.inputs.opening import ClusterIdentity
from sidecarctl.engine.plan_file.reading import PodKey
from sidecarctl.engine.releases.profiles import UnknownReleaseError, release_named
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.plan_options import PlanOptions
from sidecarctl.engine.rollout.predicates import is_updated
from sidecarctl.engine.rollout.simulated_rollout import ClusterBehavior, Simulation
from sidecarctl.engine.rollout.summary.rollout_plan import run
from sidecarctl.engine.rollout.targets import is_member
from sidecarctl.engine.sidecarset.sets import GROUP, Matcher
from sidecarctl.features.plan.plan import PlanFacts
from sidecarctl.features.push.cluster.sending import Sender
from sidecarctl.features.push.cluster.survey import Survey, objection
from sidecarctl.features.push.deciding.progress import Stage, StepProgress
from sidecarctl.features.push.patches import Later, OtherwiseFound, Patched, SendResult
from sidecarctl.features.push.plan import PushPlan, PushSettings, PushStep
from sidecarctl.features.push.pods import LivePod, State, standing_of


def cluster_findings(plan: PushPlan, survey: Survey, context: str) -> Iterator[Finding]:
    """Whether this is the cluster of the plan. No option overrides this."""
    if plan.cluster.uid and not survey.uid:
        message = f"it cannot be checked whether this is the cluster of the plan: {survey.why_no_uid}"
        yield error(Reason.CLUSTER_UNKNOWN, message, hint="ask for the right to get the namespace kube-system")
    elif plan.cluster.uid and plan.cluster.uid != survey.uid:
        message = f"the plan is for the cluster {plan.cluster.uid}, this is {survey.uid}"
        yield error(Reason.OTHER_CLUSTER, message, hint="choose the cluster of the plan with --context")
    elif not plan.cluster.uid and not context:
        message = "the plan does not record its cluster, so the context must be named"
        yield error(Reason.CLUSTER_UNKNOWN, message, hint="--context NAME; plan --live records the cluster")
    elif not plan.cluster.uid:
        yield note(Reason.CLUSTER_UNKNOWN, f"the plan does not record its cluster; the context is {context}")


def of_controller(plan: PushPlan, survey: Survey, *, forced: bool) -> Iterator[Finding]:
    """Whether Kruise would carry out or revert the same rollout; only warnings if `forced`."""
    severity = Severity.WARNING if forced else Severity.ERROR
    hint = "" if forced else "--force=controller pushes anyway"
    if survey.unreadable:
        message = f"it cannot be checked whether Kruise would interfere: {survey.unreadable}"
        yield Finding(severity, Reason.FORBIDDEN, message, hint=hint)
    for name, view in survey.sets.items():
        subject = ObjectReference(GROUP, "SidecarSet", "", name)
        if view.manifest is None:
            why = "it is not in the cluster" if survey.version else "the cluster has no SidecarSets at all"
            yield note(Reason.NO_SUCH_SIDECARSET, f"{why}: nothing but this push updates the pods")._replace(
                subject=subject
            )
        elif why := objection(view, plan.release):
            yield Finding(severity, Reason.CONTROLLER_ACTIVE, why, subject=subject, hint=hint)
    if plan.is_hot and survey.version and (why := _why_hot_is_unsafe(survey)):
        yield Finding(severity, Reason.HOT_RESET_ELSEWHERE, why, hint=hint)


def _why_hot_is_unsafe(survey: Survey) -> str:
    """Kruise up to 1.8 resets hot pairs even while paused, at the same time as the push."""
    if not survey.kruise:
        return "the version of Kruise is unknown, and releases up to 1.8 reset hot pairs even while paused"
    try:
        release = release_named(survey.kruise)
    except UnknownReleaseError:
        return f"Kruise {survey.kruise} is unknown here, and releases up to 1.8 reset hot pairs even while paused"
    return "" if release.reset_ends_round else f"Kruise {survey.kruise} resets hot pairs even while paused"


def of_pods(
    progress: Sequence[StepProgress],
    pods: Mapping[PodKey, LivePod],
    settings: PushSettings,
    why_left: Callable[[PushStep, LivePod], str] = lambda *_: "",
) -> Iterator[Finding]:
    """Pods that differ from the plan, and how; `why_left`: that a SidecarSet no longer matches a pod."""
    seen: set[PodKey] = set()
    for entry in progress:
        if entry.step.pod in seen or not settings.asks_for(entry.step.wave) or entry.stage is not Stage.OPEN:
            continue
        seen.add(entry.step.pod)  # a pod's later steps cannot be checked before the first one
        live = pods.get(entry.step.pod)
        standing = standing_of(entry.step, live)
        subject = entry.step.patch.reference
        if standing.is_skipped:
            yield note(Reason.POD_LEFT_ALONE, standing.why)._replace(subject=subject)
        elif live and (why := why_left(entry.step, live)):
            yield note(Reason.POD_LEFT_ALONE, why)._replace(subject=subject)
        elif standing.state is State.OTHER:
            hint = "--replan makes a new plan from the current pods"
            yield error(Reason.STALE_PLAN, standing.why, hint=hint)._replace(subject=subject)
        elif standing.state is State.AS_PLANNED and not settings.adopt:
            message = "it already matches the plan, and this push has not patched it: somebody else is pushing"
            hint = "--adopt counts such pods as done; --resume continues from a journal"
            yield error(Reason.FOREIGN_PUSH, message, hint=hint)._replace(subject=subject)


def of_new_pods(plan: PushPlan, survey: Survey, pods: Iterable[LivePod]) -> Iterator[Finding]:
    """Pods of the sets that the plan does not name: probably created since."""
    matchers = {name: Matcher(target.sidecar_set, survey.namespaces) for name, target in plan.targets.items()}
    for live in pods:
        if live.key in plan.named:
            continue
        for name, target in plan.targets.items():
            if not is_member(target, matchers[name], live.pod):
                continue
            is_new = plan.newest and (live.manifest["metadata"].get("creationTimestamp") or "") > plan.newest
            if is_new or not is_updated(target, live.pod):
                state = "up to date" if is_updated(target, live.pod) else "not up to date"
                message = f"the plan does not name it; SidecarSet {name} is {state} in it"
                yield note(Reason.POD_NOT_PLANNED, message)._replace(subject=live.pod.reference)


class StalePodsError(ImpossibleError):
    """Pods differ from the plan, and nothing else is wrong; `replanned` is the new plan."""

    def __init__(self, *findings: Finding, replanned: Report[PlanFacts]) -> None:
        super().__init__(*findings)
        self.replanned = replanned


def is_stale_alone(findings: Iterable[Finding]) -> bool:
    """Whether a new plan would repair everything that is wrong."""
    wrong = {finding.reason for finding in findings if finding.severity is Severity.ERROR}
    return bool(wrong) and wrong <= {Reason.STALE_PLAN, Reason.FOREIGN_PUSH}


def replanned(plan: PushPlan, survey: Survey, pods: Mapping[PodKey, LivePod]) -> Report[PlanFacts]:
    """The rollout of the same sets over the current pods, in the order of their names."""
    manifests = [pods[key].manifest for key in sorted(pods)]
    behavior = ClusterBehavior(mends=True, finishes_begun=True)
    made = run(Simulation(plan.targets.values(), manifests, survey.namespaces, behavior))
    facts = PlanFacts(
        plan=made,
        options=PlanOptions(),
        origins={},
        blocked={},
        digests=(),
        gates=frozenset(),
        synthetic=False,
        cluster=ClusterIdentity(survey.uid, survey.kruise),
    )
    return Report("plan", facts, release=plan.release)


QUERY = {"dryRun": "All"}


def first_steps(progress: Iterable[StepProgress]) -> Iterator[PushStep]:
    """The next step of each pod; later ones cannot be checked before that."""
    seen: set[PodKey] = set()
    for entry in progress:
        if entry.stage is Stage.OPEN and entry.step.pod not in seen:
            yield entry.step
        if not entry.stage.is_final:
            seen.add(entry.step.pod)


def later_steps(progress: Iterable[StepProgress]) -> Iterator[Finding]:
    """A note about patches that cannot be tried, if there are any."""
    entries = [entry for entry in progress if entry.stage is Stage.OPEN]
    later = len(entries) - len(list(first_steps(entries)))
    if later:
        patches = "1 later patch" if later == 1 else f"{later} later patches"
        yield note(Reason.DRY_RUN_IMPOSSIBLE, f"{patches} of pods cannot be tried before the first ones are made")


def dry_run(
    sender: Sender, steps: Iterable[PushStep], pods: Mapping[PodKey, LivePod], stamp: str, workers: int
) -> list[Finding]:
    """The server's objections to the patches of steps; each webhook that forbids dry runs is named once."""
    dry = sender._replace(query=QUERY)
    chosen = [step for step in steps if step.pod in pods]
    with ThreadPoolExecutor(workers) as pool:
        outcomes = list(pool.map(lambda step: dry.send(step, pods[step.pod], stamp), chosen))
    found: dict[str, Finding] = {}
    for step, outcome in zip(chosen, outcomes, strict=True):
        finding = _finding(step, outcome)
        if finding is not None:
            is_general = finding.reason is Reason.DRY_RUN_IMPOSSIBLE
            found.setdefault(finding.message if is_general else str(step.number), finding)
    return list(found.values())


def _finding(step: PushStep, outcome: SendResult) -> Finding | None:
    subject = step.patch.reference
    if isinstance(outcome, Patched):
        if not outcome.changed:
            return None
        return error(Reason.CHANGED_BY_ADMISSION, outcome.changed)._replace(subject=subject)
    if isinstance(outcome, Later):
        return warning(Reason.PATCH_REFUSED, f"not at the moment: {outcome.why}")._replace(subject=subject)
    if isinstance(outcome, OtherwiseFound):
        if outcome.standing.state is not State.OTHER:  # gone, or adopted
            return None
        return error(Reason.STALE_PLAN, outcome.standing.why)._replace(subject=subject)
    if outcome.reason is Reason.DRY_RUN_IMPOSSIBLE:
        return warning(outcome.reason, outcome.why)
    hint = "--max-failures passes over pods whose patch is refused" * (outcome.reason is Reason.PATCH_REFUSED)
    return error(outcome.reason, outcome.why, hint=hint)._replace(subject=subject)
