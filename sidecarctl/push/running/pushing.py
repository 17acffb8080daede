"""A push from its checks to its end."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Protocol

from sidecarctl.facts.errors import ImpossibleError, impossible, input_error, usage_error
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.kubectl.proxy.client import Requests
from sidecarctl.kubectl.proxy.watching import Watchable
from sidecarctl.operations.push_facts import PushFacts
from sidecarctl.operations.transforming.object_changes import ObjectResult
from sidecarctl.push.checks import refusals
from sidecarctl.push.checks.replanning import StalePodsError, is_stale_alone, replanned
from sidecarctl.push.checks.survey import Survey, survey_of
from sidecarctl.push.deciding.machine import Machine
from sidecarctl.push.events.events import PushEnded, PushStarted
from sidecarctl.push.journal.journal import Journal, Past, read_journal
from sidecarctl.push.journal.locks import locked
from sidecarctl.push.patches.conditions import write_conditions
from sidecarctl.push.patches.dry_run import dry_run, first_steps, later_steps
from sidecarctl.push.patches.sending import Sender
from sidecarctl.push.plan.planned import PodKey, PushPlan
from sidecarctl.push.plan.settings import PushSettings
from sidecarctl.push.pods.budget import Budget
from sidecarctl.push.pods.disruption_budgets import DisruptionBudget
from sidecarctl.push.pods.live_pods import LivePod
from sidecarctl.push.running.beginning import progress_at_start
from sidecarctl.push.running.ending import exit_code_of, facts_of, objection_of, objects_of
from sidecarctl.push.running.first_look import first_look
from sidecarctl.push.running.interrupts import interrupts_to
from sidecarctl.push.running.loop import Display, Run
from sidecarctl.push.running.messages import Mailbox, Message
from sidecarctl.push.running.watchers import watchers
from sidecarctl.push.steps.step_progress import Stage, StepProgress
from sidecarctl.rollout.pods.membership import is_member
from sidecarctl.sidecarset.matching import Matcher


@dataclass(frozen=True, slots=True)
class PushRequest:
    """What is asked for.

    `context` as the user named it. `forced`: Kruise may interfere. `dry_run`: empty, `client` or `server`.
    `resume` is whether to go on from the journal, `resume_command` how people do that. `respect_pdb`:
    PodDisruptionBudgets count; `write_conditions`: the condition SidecarSetUpgradable is written. `patience`:
    seconds that reading all pods may take.
    """

    plan: PushPlan
    journal: Path
    settings: PushSettings = field(default_factory=PushSettings)
    context: str = ""
    forced: bool = False
    dry_run: str = ""
    resume: bool = False
    respect_pdb: bool = False
    write_conditions: bool = False
    replan: bool = False
    resume_command: str = "sidecarctl push --resume"
    patience: float = 300.0


class Client(Requests, Watchable, Protocol):
    """What a push asks of the API server."""


class Surroundings(NamedTuple):
    """What a push gets from outside: seconds, the time as annotations record it, chance, and what shows it."""

    clock: Callable[[], float]
    stamp: Callable[[], str]
    chance: Callable[[], float]
    display: Display
    tick: float | None = None


class Pushed(NamedTuple):
    """How it ended."""

    facts: PushFacts
    findings: list[Finding]
    objects: list[ObjectResult]
    exit_code: int


class _Checked(NamedTuple):
    past: Past
    survey: Survey
    pods: dict[PodKey, LivePod]
    progress: list[StepProgress]
    early: list[Message]
    findings: list[Finding]


def push(request: PushRequest, client: Client, around: Surroundings, mailbox: Mailbox | None = None) -> Pushed:
    """Check, then carry out. `mailbox` may get messages from signals.

    Raises ImpossibleError with all that is wrong where it is refused, with `replan` StalePodsError where a new plan
    would repair it; InputError where the cluster cannot be read.
    """
    plan, mailbox = request.plan, SimpleQueue() if mailbox is None else mailbox
    refuse_unknown_waves(request)
    survey = survey_of(client, plan, budgets=request.respect_pdb)
    findings = list(refusals.of_cluster(plan, survey, request.context))
    _refuse(findings)
    with ExitStack() as held:
        if request.dry_run != "client":
            held.enter_context(locked(survey.uid, plan.targets))
        past = _past(request)
        findings += refusals.of_controller(plan, survey, forced=request.forced)
        watched = held.enter_context(watchers(client, plan, survey, mailbox, guards_sets=not request.forced))
        pods, early = first_look(mailbox, watched, _counting(plan, survey), request.patience, around.clock)
        progress = progress_at_start(plan, past, pods)
        findings += refusals.of_pods(progress, pods, request.settings)
        findings += refusals.of_new_pods(plan, survey, pods.values())
        if request.replan and is_stale_alone(findings):
            raise StalePodsError(*findings, replanned=replanned(plan, survey, pods))
        _refuse(findings)
        sender = Sender(client, plan.targets)
        if request.dry_run != "client":
            findings += _tried(request, sender, progress, pods, around)
            if not request.dry_run:
                _refuse(findings)
        if request.dry_run:
            return _checked(request, progress, findings)
        journal = held.enter_context(Journal(request.journal, plan, past))
        return _run(
            request, _Checked(past, survey, pods, progress, early, findings), sender, journal, around, mailbox
        )


def refuse_unknown_waves(request: PushRequest) -> None:
    """UsageError for a wave that the plan does not have."""
    settings, waves = request.settings, request.plan.waves
    asked = set(settings.waves) | ({settings.pause_after} if settings.pause_after is not None else set())
    if missing := sorted(wave for wave in asked if not 1 <= wave <= waves):
        raise usage_error(f"the plan has no wave {missing[0]}", hint=f"it has waves up to {waves}")


def _past(request: PushRequest) -> Past:
    past = read_journal(request.journal, request.plan.digest)
    if request.resume and past.is_empty:
        message = f"there is no journal {request.journal} to resume from"
        raise input_error(Reason.UNREADABLE_FILE, message, hint="--journal names it; without --resume a push begins")
    if not request.resume and not past.is_empty and past.ended not in ("Completed", "Paused"):
        message = f"the journal {request.journal} is that of a push that did not come to its end"
        raise impossible(Reason.OTHER_JOURNAL, message, hint=f"go on from it with: {request.resume_command}")
    return past


def _counting(plan: PushPlan, survey: Survey) -> Callable[[LivePod], bool]:
    """Whether a pod has anything to do with the push."""
    planned = {step.pod for step in plan.steps}
    matchers = [(target, Matcher(target.sidecar_set, survey.namespaces)) for target in plan.targets.values()]
    budgets = [DisruptionBudget(manifest) for manifest in survey.disruption_budgets]

    def counts(live: LivePod) -> bool:
        is_of_set = any(is_member(target, matcher, live.pod) for target, matcher in matchers)
        return live.key in planned or is_of_set or any(budget.selects(live) for budget in budgets)

    return counts


def _tried(
    request: PushRequest,
    sender: Sender,
    progress: list[StepProgress],
    pods: dict[PodKey, LivePod],
    around: Surroundings,
) -> list[Finding]:
    """The dry run on the server: of all that is asked for, or of the first wave before a real push."""
    asked = [entry for entry in progress if request.settings.asks_for(entry.step.wave)]
    if not request.dry_run:
        first = min((entry.step.wave for entry in asked if entry.stage is Stage.OPEN), default=0)
        asked = [entry for entry in asked if entry.step.wave == first]
    remarks = list(later_steps(asked)) if request.dry_run else []
    return remarks + dry_run(sender, first_steps(asked), pods, around.stamp(), request.settings.max_parallel)


def _run(
    request: PushRequest,
    checked: _Checked,
    sender: Sender,
    journal: Journal,
    around: Surroundings,
    mailbox: Mailbox,
) -> Pushed:
    plan, settings = request.plan, request.settings
    namespaces = checked.survey.namespaces
    limit = settings.max_unavailable
    budgets = {name: Budget(target, namespaces, limit) for name, target in plan.targets.items()}
    disruption = [DisruptionBudget(manifest) for manifest in checked.survey.disruption_budgets]
    machine = Machine(plan, settings, budgets, checked.progress, around.chance, disruption)
    for key, live in checked.pods.items():
        machine.see(key, live, around.clock())
    display = around.display
    journal.note({"record": "run", "time": around.stamp(), "waves": sorted(settings.waves)})
    journal.flush()
    display.show([_started(request, checked)], machine)
    run = Run(
        plan=plan,
        machine=machine,
        sender=sender,
        journal=journal,
        mailbox=mailbox,
        sets=checked.survey.sets,
        display=display,
        clock=around.clock,
        stamp=around.stamp,
        guards_sets=not request.forced,
        tick=around.tick,
    )
    with interrupts_to(mailbox):
        run.carry_out(settings.max_parallel, checked.early)
    written: list[Finding] = []
    if request.write_conditions:
        written = write_conditions(sender.client, plan, machine.progress, around.stamp(), settings.max_parallel)
    facts = facts_of(machine, resume=request.resume_command, interrupted=run.interrupted)
    run.end(facts.result)
    display.show([_ended(facts)], machine)
    findings = [*checked.findings, *written, *objection_of(machine, facts)]
    return Pushed(facts, findings, list(objects_of(machine)), exit_code_of(facts, run.interrupted))


def _started(request: PushRequest, checked: _Checked) -> PushStarted:
    asked = {entry.step.pod for entry in checked.progress if request.settings.asks_for(entry.step.wave)}
    waves = len(request.settings.waves) or request.plan.waves
    return PushStarted(request.plan.name, checked.survey.uid, request.context, waves, len(asked))


def _ended(facts: PushFacts) -> PushEnded:
    return PushEnded(**facts._asdict())


def _checked(request: PushRequest, progress: list[StepProgress], findings: list[Finding]) -> Pushed:
    asked = {entry.step.pod for entry in progress if request.settings.asks_for(entry.step.wave)}
    facts = PushFacts("Checked", not_reached=len(asked))
    return Pushed(facts, findings, [], 0)


def _refuse(findings: Iterable[Finding]) -> None:
    """Everything that is wrong at once; nothing has been touched."""
    every = list(findings)
    if any(finding.severity is Severity.ERROR for finding in every):
        raise ImpossibleError(*every)
