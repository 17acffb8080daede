"""A push from its checks to its end."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple, Protocol

from sidecarctl.engine.api.label_selectors import compile_selector
from sidecarctl.engine.facts.errors import ImpossibleError, impossible, input_error, usage_error
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.kubectl.client import Requests
from sidecarctl.engine.kubectl.cluster import LiveCluster
from sidecarctl.engine.kubectl.watching import Watchable
from sidecarctl.engine.plan_file.journal import Past
from sidecarctl.engine.plan_file.reading import PodKey
from sidecarctl.engine.report import Report
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.engine.validation.warnings import ignored_failures
from sidecarctl.features.plan.journal_file import read_journal
from sidecarctl.features.push.checks import (
    StalePodsError,
    cluster_findings,
    dry_run,
    first_steps,
    is_stale_alone,
    later_steps,
    of_controller,
    of_new_pods,
    of_pods,
    replanned,
)
from sidecarctl.features.push.cluster.scope import (
    AskForRights,
    PushScope,
    missing_rights,
    needed_rights,
    of_partial_plan,
    readable_scope,
)
from sidecarctl.features.push.cluster.sending import Sender, write_conditions
from sidecarctl.features.push.cluster.survey import Survey, brake_of, labels_of_namespaces, survey_of, webhook_of
from sidecarctl.features.push.cluster.watches import Mailbox, View, Watchers, first_look, interrupts_to, watchers
from sidecarctl.features.push.deciding.machine import Machine
from sidecarctl.features.push.deciding.pod_limit import PodLimit, differences
from sidecarctl.features.push.deciding.progress import StepProgress, progress_at_start
from sidecarctl.features.push.ending import facts_of, of_joined_pods, report_of
from sidecarctl.features.push.events import PushEnded, PushFacts, PushStarted
from sidecarctl.features.push.journal import Journal, locked
from sidecarctl.features.push.loop import Display, PushRun
from sidecarctl.features.push.plan import PushPlan, PushSettings, PushStep
from sidecarctl.features.push.pods import LivePod


@dataclass(frozen=True, slots=True)
class PushRequest:
    """The options of a push.

    `context` as the user named it. `forced`: Kruise may interfere. `accept_partial_view`: pods that
    cannot be read do not count. `dry_run`: empty, `client` or `server`.
    `resume` is whether to go on from the journal, `resume_command` how people do that. `respect_pdb`:
    PodDisruptionBudgets count; `write_conditions`: the condition SidecarSetUpgradable is written. `patience`:
    seconds that reading all pods may take. `kept`: the limits that a resumed push takes from its journal, if it has
    them.
    """

    plan: PushPlan
    journal: Path
    settings: PushSettings = field(default_factory=PushSettings)
    context: str = ""
    forced: bool = False
    accept_partial_view: bool = False
    dry_run: str = ""
    resume: bool = False
    respect_pdb: bool = False
    write_conditions: bool = False
    replan: bool = False
    resume_command: str = "sidecarctl push --resume"
    patience: float = 300.0
    kept: tuple[str, ...] = ()


class Client(Requests, Watchable, Protocol):
    """The requests of a push to the API server."""


class PushEnvironment(NamedTuple):
    """The surroundings of a push.

    Seconds, the time as annotations record it, chance, what shows it, and what asks for rights. `wall`: seconds that
    also pass while the machine sleeps.
    """

    clock: Callable[[], float]
    stamp: Callable[[], str]
    chance: Callable[[], float]
    display: Display
    ask: AskForRights
    tick: float | None = None
    wall: Callable[[], float] = time.time


class _Checked(NamedTuple):
    survey: Survey
    view: View
    progress: list[StepProgress]
    findings: list[Finding]
    versions: Mapping[str, str]
    watchers: Watchers
    remarks: Sequence[str]


def push(
    request: PushRequest, client: Client, around: PushEnvironment, mailbox: Mailbox | None = None
) -> Report[PushFacts]:
    """Check, then carry out. `mailbox` may get messages from signals.

    Raises ImpossibleError with all that is wrong where it is refused, with `replan` StalePodsError if a new plan
    would repair it; InputError if the cluster cannot be read.
    """
    plan, mailbox = request.plan, SimpleQueue() if mailbox is None else mailbox
    _refuse_unknown_waves(request)
    request, kept = _with_limits(request)
    accepts_part = request.accept_partial_view
    cluster = LiveCluster(client)
    survey = survey_of(cluster, plan)
    findings = [*cluster_findings(plan, survey, request.context), *ignored_failures(webhook_of(cluster))]
    _refuse(finding for finding in findings if finding.reason is Reason.OTHER_CLUSTER)
    brakes = {name: brake for name, view in survey.sets.items() if (brake := brake_of(view, plan.release))}
    live = [*brakes.values()]
    scope, of_view = readable_scope(client, plan, live, accepts_part=accepts_part, budgets=request.respect_pdb)
    findings += [*of_partial_plan(plan, accepts_part=accepts_part), *of_view]
    if request.dry_run != "client":
        budgets, conditions = request.respect_pdb, request.write_conditions
        rights = needed_rights(plan, scope, conditions=conditions, budgets=budgets)
        findings += missing_rights(rights, around.ask, forced=request.forced or not survey.version)
    findings += of_controller(plan, survey, forced=request.forced)
    _refuse(findings)
    labels = labels_of_namespaces(cluster, plan) if scope.is_partial else {}
    with ExitStack() as held:
        if request.dry_run != "client":
            held.enter_context(locked(survey.uid, plan.targets))
        past = _past(request)
        watched = held.enter_context(watchers(client, plan, survey, scope, mailbox, guards_sets=not request.forced))
        view = first_look(mailbox, watched.collections, _counting(plan, scope), request.patience, around.clock)
        versions = {**cluster.versions, **view.versions}
        pods, survey = view.pods, survey._replace(namespaces={**labels, **view.namespaces})
        progress = progress_at_start(plan, past, pods)
        findings += of_pods(progress, pods, request.settings, _leavers(plan, survey, live))
        findings += of_new_pods(plan, survey, pods.values())
        if request.replan and is_stale_alone(findings):
            raise StalePodsError(*findings, replanned=replanned(plan, survey, pods))
        _refuse(findings)
        sender = Sender(client, plan.targets)
        if request.dry_run != "client":
            findings += _tried(request, sender, progress, pods, around)
            if not request.dry_run:
                _refuse(findings)
        if request.dry_run:
            return _checked(request, progress, findings)._replace(read_at=versions)
        journal = held.enter_context(Journal(request.journal, plan, past))
        remarks = [
            *kept,
            *(line for brake in live for line in differences(plan.targets[brake.name].sidecar_set, brake)),
        ]
        checked = _Checked(survey, view, progress, findings, versions, watched, remarks)
        return _run(request, checked, sender, journal, around, mailbox)


def _refuse_unknown_waves(request: PushRequest) -> None:
    """UsageError for a wave that is not in the plan."""
    settings, waves = request.settings, request.plan.waves
    asked = set(settings.waves) | ({settings.pause_after} if settings.pause_after is not None else set())
    if missing := sorted(wave for wave in asked if not 1 <= wave <= waves):
        raise usage_error(f"the plan has no wave {missing[0]}", hint=f"it has waves up to {waves}")


def _with_limits(request: PushRequest) -> tuple[PushRequest, list[str]]:
    """The request with the limits of the run that it resumes, and what they are; those of a complete run are met."""
    if not request.resume:
        return request, []
    past = read_journal(request.journal, request.plan.digest)
    names = [name for name in request.kept if name != "waves" or past.ended != "Completed"]
    settings = request.settings.with_limits(past.limits, names)
    default = PushSettings().limits
    changed = {name: value for name, value in settings.limits.items() if name in names and value != default[name]}
    remarks = [f"kept from the journal: --{name.replace('_', '-')} {_text(changed[name])}" for name in changed]
    return replace(request, settings=settings), remarks


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _past(request: PushRequest) -> Past:
    past = read_journal(request.journal, request.plan.digest)
    if request.resume and past.is_empty:
        message = f"there is no journal {request.journal} to resume from"
        raise input_error(Reason.UNREADABLE_FILE, message, hint="--journal names it; without --resume a push begins")
    if not request.resume and not past.is_empty and past.ended not in ("Completed", "Paused"):
        message = f"the journal {request.journal} belongs to an unfinished push"
        raise impossible(Reason.OTHER_JOURNAL, message, hint=f"continue it with: {request.resume_command}")
    return past


def _counting(plan: PushPlan, scope: PushScope) -> Callable[[LivePod], bool]:
    """Whether a pod is part of the push, or may become so if the labels of its Namespace change."""
    planned = {step.pod for step in plan.steps}
    selects = [compile_selector(target.sidecar_set.spec.get("selector") or {}) for target in plan.targets.values()]
    budgeted = set(plan.namespaces) if scope.budgets else ()

    def counts(live: LivePod) -> bool:
        is_of_set = any(test(live.pod.labels) for test in selects)
        return is_of_set or live.key in planned or live.key[0] in budgeted

    return counts


def _leavers(plan: PushPlan, survey: Survey, live: Sequence[SidecarSet]) -> Callable[[PushStep, LivePod], str]:
    """Why the pod of a step no longer belongs to its SidecarSet, in the plan or in the cluster; empty if it does."""
    limits = {name: [PodLimit(target, survey.namespaces)] for name, target in plan.targets.items()}
    for brake in live:
        if limit := limits[brake.name][0].of_cluster(brake, survey.namespaces):
            limits[brake.name].append(limit)
    return lambda step, pod: next(filter(None, (limit.why_left(pod) for limit in limits[step.set_name])), "")


def _tried(
    request: PushRequest,
    sender: Sender,
    progress: list[StepProgress],
    pods: dict[PodKey, LivePod],
    around: PushEnvironment,
) -> list[Finding]:
    """The dry run on the server: all patches if requested; before a real push, one per namespace and form."""
    asked = [entry for entry in progress if request.settings.asks_for(entry.step.wave)]
    steps = list(first_steps(asked))
    if not request.dry_run:
        steps = list({(step.pod[0], step.set_name, step.patch.kind): step for step in reversed(steps)}.values())
    remarks = list(later_steps(asked)) if request.dry_run else []
    found = remarks + dry_run(sender, steps, pods, around.stamp(), request.settings.max_parallel)
    if not request.settings.max_failures:
        return found
    return [
        item._replace(severity=Severity.WARNING, hint="") if item.reason is Reason.PATCH_REFUSED else item
        for item in found
    ]


def _run(
    request: PushRequest,
    checked: _Checked,
    sender: Sender,
    journal: Journal,
    around: PushEnvironment,
    mailbox: Mailbox,
) -> Report[PushFacts]:
    plan, settings = request.plan, request.settings
    namespaces = checked.survey.namespaces
    limit = settings.max_unavailable
    budgets = {name: PodLimit(target, namespaces, limit) for name, target in plan.targets.items()}
    machine = Machine(plan, settings, budgets, checked.progress, around.chance)
    for name, view in checked.survey.sets.items():
        machine.see_sidecarset(name, brake_of(view, plan.release), namespaces)
    for key, manifest in checked.view.disruption_budgets.items():
        machine.see_disruption_budget(key, manifest)
    for key, live in checked.view.pods.items():
        machine.see(key, live, around.clock())
    old_pods = {*machine.old_pods()}
    display = around.display
    journal.note(
        {"record": "run", "time": around.stamp(), "waves": sorted(settings.waves), "limits": settings.limits}
    )
    journal.flush()
    display.show([_started(request, checked)], machine)
    run = PushRun(
        plan=plan,
        machine=machine,
        sender=sender,
        journal=journal,
        mailbox=mailbox,
        watchers=checked.watchers,
        sets=checked.survey.sets,
        namespaces=dict(namespaces),
        display=display,
        clock=around.clock,
        stamp=around.stamp,
        wall=around.wall,
        tick=around.tick,
    )
    with interrupts_to(mailbox):
        run.carry_out(settings.max_parallel, checked.view.others)
    written: list[Finding] = []
    if request.write_conditions:
        written = write_conditions(sender.client, plan, machine.progress, around.stamp(), settings.max_parallel)
    facts = facts_of(plan, machine, resume=request.resume_command, interrupted=run.interrupted)
    run.end(facts.result)
    display.show([PushEnded(*facts)], machine)
    joined = of_joined_pods(plan, machine.old_pods(), old_pods)
    report = report_of(plan, machine, facts, [*checked.findings, *written, *joined], run.interrupted)
    return report._replace(read_at=checked.versions)


def _started(request: PushRequest, checked: _Checked) -> PushStarted:
    asked = {entry.step.pod for entry in checked.progress if request.settings.asks_for(entry.step.wave)}
    waves = len(request.settings.waves) or request.plan.waves
    return PushStarted(
        request.plan.name, checked.survey.uid, request.context, waves, len(asked), checked.versions, checked.remarks
    )


def _checked(request: PushRequest, progress: list[StepProgress], findings: list[Finding]) -> Report[PushFacts]:
    asked = {entry.step.pod for entry in progress if request.settings.asks_for(entry.step.wave)}
    facts = PushFacts("Checked", not_reached=len(asked))
    return Report("push", facts, findings, release=request.plan.release)


def _refuse(findings: Iterable[Finding]) -> None:
    """Everything that is wrong, at once; nothing was touched."""
    every = list(findings)
    if any(finding.severity is Severity.ERROR for finding in every):
        raise ImpossibleError(*every)
