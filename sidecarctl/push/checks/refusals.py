"""Everything that is checked before the first patch: errors refuse the push, which then has touched nothing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sidecarctl.facts.findings import Finding, Severity, error, note, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import ObjectReference
from sidecarctl.push.checks.set_in_cluster import objection
from sidecarctl.push.checks.survey import Survey
from sidecarctl.push.plan.planned import PodKey, PushPlan, Step
from sidecarctl.push.plan.settings import PushSettings
from sidecarctl.push.pods.expectations import State, standing_of
from sidecarctl.push.pods.live_pods import LivePod
from sidecarctl.push.steps.step_progress import Stage, StepProgress
from sidecarctl.releases.versions import UnknownReleaseError, release_named
from sidecarctl.rollout.pods.membership import is_member
from sidecarctl.rollout.pods.predicates import is_updated
from sidecarctl.sidecarset.matching import Matcher
from sidecarctl.sidecarset.sets import GROUP


def of_cluster(plan: PushPlan, survey: Survey, context: str) -> Iterator[Finding]:
    """Whether it is the cluster of the plan. Nothing overrides it."""
    if plan.cluster.uid and not survey.uid:
        message = f"it cannot be checked whether this is the cluster of the plan: {survey.why_no_uid}"
        yield error(Reason.OTHER_CLUSTER, message, hint="ask for the right to get the namespace kube-system")
    elif plan.cluster.uid and plan.cluster.uid != survey.uid:
        message = f"the plan is for the cluster {plan.cluster.uid}, this is {survey.uid}"
        yield error(Reason.OTHER_CLUSTER, message, hint="choose the cluster of the plan with --context")
    elif not plan.cluster.uid and not context:
        message = "the plan does not record its cluster, so the context must be named"
        yield error(Reason.CLUSTER_UNKNOWN, message, hint="--context NAME; plan --live records the cluster")
    elif not plan.cluster.uid:
        yield note(Reason.CLUSTER_UNKNOWN, f"the plan does not record its cluster; the context is {context}")


def of_controller(plan: PushPlan, survey: Survey, *, forced: bool) -> Iterator[Finding]:
    """Whether Kruise would carry out or revert the same rollout; warnings where that is `forced`."""
    severity = Severity.WARNING if forced else Severity.ERROR
    hint = "" if forced else "--force=controller pushes all the same"
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
    if plan.is_hot and survey.version and not forced and (why := _why_hot_is_unsafe(survey)):
        yield error(Reason.HOT_RESET_ELSEWHERE, why, hint=hint)
    elif plan.is_hot and survey.version and (why := _why_hot_is_unsafe(survey)):
        yield warning(Reason.HOT_RESET_ELSEWHERE, why)


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
    progress: Sequence[StepProgress], pods: Mapping[PodKey, LivePod], settings: PushSettings
) -> Iterator[Finding]:
    """Pods that are not as the plan expects them, each with what differs."""
    seen: set[PodKey] = set()
    for entry in progress:
        if entry.step.pod in seen or not settings.asks_for(entry.step.wave) or entry.stage is not Stage.OPEN:
            continue
        seen.add(entry.step.pod)  # of a pod's later steps nothing can be said before the first one
        standing = standing_of(entry.step, pods.get(entry.step.pod))
        subject = _subject(entry.step)
        if standing.is_skipped:
            yield note(Reason.POD_LEFT_ALONE, standing.why)._replace(subject=subject)
        elif standing.state is State.OTHER:
            hint = "--replan makes a new plan from the current pods"
            yield error(Reason.STALE_PLAN, standing.why, hint=hint)._replace(subject=subject)
        elif standing.state is State.AS_PLANNED and not settings.adopt:
            message = "it is as planned already, and this push has not patched it: somebody else is pushing"
            hint = "--adopt takes such pods as done; --resume goes on from a journal"
            yield error(Reason.FOREIGN_PUSH, message, hint=hint)._replace(subject=subject)


def of_new_pods(plan: PushPlan, survey: Survey, pods: Iterable[LivePod]) -> Iterator[Finding]:
    """Pods of the sets that the plan does not name: created since, as far as that can be known."""
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


def _subject(step: Step) -> ObjectReference:
    return ObjectReference("v1", "Pod", *step.pod)
