"""`sidecarctl push`: read the plan, start the proxy, apply, report."""

import random
import shlex
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Annotated

import click
import typer

from sidecarctl.cli.documents import OutputFiles
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.cluster import ApiFlags, EventForm, PushFlags, printed_roles
from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import ReadingFlags
from sidecarctl.cli.flags.outputs import ReportFlags
from sidecarctl.cli.formats import document
from sidecarctl.cli.terminal import page_of_stdout, shows_live
from sidecarctl.engine.facts.errors import ImpossibleError, input_error, usage_error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.files.inputs import STDIN
from sidecarctl.engine.files.outputs import written
from sidecarctl.engine.files.process import WithoutCollector
from sidecarctl.engine.inputs.opening import Named, opened
from sidecarctl.engine.kubectl.api_requests import ACCESS_REVIEWS, Answer, NoAnswerError
from sidecarctl.engine.kubectl.client import ApiClient
from sidecarctl.engine.kubectl.cluster import asked_patiently
from sidecarctl.engine.kubectl.running_proxy import open_proxy
from sidecarctl.engine.plan_file.journal import JOURNAL_SUFFIX
from sidecarctl.engine.report import Report
from sidecarctl.features.plan.flags import waves_of
from sidecarctl.features.plan.plan import PlanFacts
from sidecarctl.features.plan.rendering import read_plan_file
from sidecarctl.features.push.checks import StalePodsError
from sidecarctl.features.push.cluster.scope import roles_for
from sidecarctl.features.push.cluster.survey import paths_of_push
from sidecarctl.features.push.cluster.watches import Mailbox
from sidecarctl.features.push.events import PushEnded, PushFacts, event_json
from sidecarctl.features.push.output import JsonLines, TextLines, ask
from sidecarctl.features.push.plan import LIMITS, PushPlan, PushSettings, read_push_plan
from sidecarctl.features.push.pushing import PushEnvironment, PushRequest, push
from sidecarctl.render.output import Page

_REVIEWS_AT_ONCE = 8


def push_plan(path: str, flags: PushFlags, api: ApiFlags) -> Report[PushFacts]:
    """Apply a plan; raises the errors of `pushing.push`."""
    settings = _settings(flags)
    journal = _journal(path, flags)
    if flags.confirm and not sys.stdin.isatty():
        raise usage_error("--confirm needs a terminal")
    plan = read_plan_of(path)
    request = PushRequest(
        plan=plan,
        journal=journal,
        settings=settings,
        context=api.context,
        forced=flags.force is not None,
        accept_partial_view=flags.accept_partial_view,
        dry_run=flags.dry_run or "",
        resume=flags.resume,
        respect_pdb=flags.respect_pdb,
        write_conditions=flags.write_conditions,
        replan=flags.replan,
        resume_command=resume_command(path, flags, api),
        kept=_not_given(),
    )
    mailbox: Mailbox = SimpleQueue()
    try:
        ended = _pushed(request, flags, api, mailbox)
    except StalePodsError as stale:
        if not (sys.stdin.isatty() and _accepts(stale.replanned, mailbox)):
            raise ImpossibleError(*stale.findings) from None
        new = _written(stale.replanned, path)
        own = {"journal": f"{new}.journal", "resume": False}
        return push_plan(str(new), PushFlags(**{**vars(flags), **own}), api)
    if flags.dry_run:
        _say_checked(ended.facts, flags)
    return ended


def _pushed(request: PushRequest, flags: PushFlags, api: ApiFlags, mailbox: Mailbox) -> Report[PushFacts]:
    with (
        open_proxy(api.connection(), paths_of_push(request.plan)) as socket,
        ApiClient(socket, timeout=api.request_timeout) as client,
    ):
        return push(request, client, _surroundings(flags, api, mailbox), mailbox)


def _say_checked(facts: PushFacts, flags: PushFlags) -> None:
    """The result of a dry run, which has no other events."""
    is_json = flags.output is EventForm.JSON
    sys.stdout.write(event_json(PushEnded(**facts._asdict()), now()) if is_json else f"{facts}\n")


def _accepts(new: Report[PlanFacts], mailbox: Mailbox) -> bool:
    """Show the new plan, and ask whether to push it."""
    sys.stdout.writelines(document(new, "text", page_of_stdout()))
    sys.stdout.flush()
    return ask("the pods have changed, and this is the plan for them as they are now", mailbox)


def _written(new: Report[PlanFacts], path: str) -> Path:
    """The new plan as a file next to the old one."""
    place = Path(path)
    place = place.with_name(f"{place.stem}.replanned.json")
    with written(OutputFiles()) as files:
        files.add(place, document(new, "json", Page()))
        files.commit()
    return place


def _roles(path: str, flags: PushFlags) -> Report[None]:
    plan = read_plan_of(path)
    roles = roles_for(plan, conditions=flags.write_conditions, budgets=flags.respect_pdb)
    return printed_roles("push", roles, plan.release)


def read_plan_of(path: str) -> PushPlan:
    """The plan in a file; raises the errors of `planned.read_push_plan`."""
    with opened(Named([path])) as (sources,), WithoutCollector():
        return read_plan_file(sources, ReadingFlags().reading().reader, read_push_plan)


def now() -> str:
    """The current time, as recorded in annotations."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _settings(flags: PushFlags) -> PushSettings:
    return PushSettings(
        waves=waves_of(flags.waves or ()),
        max_parallel=flags.max_parallel,
        max_unavailable=flags.limit(),
        first_pod_alone=flags.first_pod,
        settle=flags.settle,
        timeout=flags.timeout,
        max_failures=flags.max_failures,
        pause_after=flags.pause_after,
        confirms=flags.confirm,
        adopt=flags.adopt,
    )


def _not_given() -> tuple[str, ...]:
    """The limits that neither the command line nor the configuration names."""
    context = click.get_current_context(silent=True)
    if context is None:
        return ()
    names = {name: "first_pod" if name == "first_pod_alone" else name for name in LIMITS}
    default = click.core.ParameterSource.DEFAULT
    return tuple(name for name, option in names.items() if context.get_parameter_source(option) is default)


def _journal(path: str, flags: PushFlags) -> Path:
    if flags.journal:
        return Path(flags.journal)
    if path == STDIN:
        raise usage_error("a plan from stdin has no default journal", hint="name one with --journal FILE")
    return Path(f"{path}{JOURNAL_SUFFIX}")


def resume_command(path: str, flags: PushFlags, api: ApiFlags) -> str:
    """The command that continues, with the options for the same cluster and journal."""
    given = {"--context": api.context, "--kubeconfig": api.kubeconfig, "--journal": flags.journal}
    words = ["sidecarctl", "push", path, "--resume"]
    words += [f"{option}={value}" for option, value in given.items() if value]
    switches = {
        "--confirm": flags.confirm,
        "--respect-pdb": flags.respect_pdb,
        "--accept-partial-view": flags.accept_partial_view,
        "--force=controller": flags.force is not None,
    }
    words += [option for option, is_on in switches.items() if is_on]
    return shlex.join(words)


def _surroundings(flags: PushFlags, api: ApiFlags, mailbox: Mailbox) -> PushEnvironment:
    ask = partial(_reviewed, api)
    if flags.output is EventForm.JSON:
        return PushEnvironment(time.monotonic, now, random.random, JsonLines(mailbox, now), ask)
    if not shows_live(sys.stdout):
        return PushEnvironment(time.monotonic, now, random.random, TextLines(mailbox), ask)
    from sidecarctl.features.push.table import TICK, LiveTable  # rich takes a fifth of the start-up

    return PushEnvironment(time.monotonic, now, random.random, LiveTable(mailbox), ask, TICK)


def _reviewed(api: ApiFlags, reviews: Sequence[Object]) -> list[Answer]:
    """The answers to SelfSubjectAccessReviews, through a proxy of their own: the other one rejects POST."""
    with (
        open_proxy(api.connection(), [ACCESS_REVIEWS], methods=("POST",)) as socket,
        ApiClient(socket, timeout=api.request_timeout) as client,
        ThreadPoolExecutor(_REVIEWS_AT_ONCE) as pool,
    ):
        try:
            asked = (partial(client.post, ACCESS_REVIEWS, review) for review in reviews)
            return list(pool.map(asked_patiently, asked))
        except NoAnswerError as fault:
            raise input_error(Reason.CLUSTER_UNREACHABLE, str(fault)) from None


class PlanArgument(Flags):
    """The plan to apply."""

    plan: Annotated[str, typer.Argument(metavar="PLAN", help="A plan from plan --live -o json or -o yaml.")]


@typer_command
def command(plan: PlanArgument, push: PushFlags, api: ApiFlags, reporting: ReportFlags) -> None:
    """Apply a plan to a live cluster through kubectl, wave by wave.

    Before the first patch, push checks the cluster, the pods, and that Kruise does not perform the same rollout. Each
    patch is computed from the current pod. A pod is done when it runs the new image and has been ready for a while.
    A failed pod stops the push. A journal records everything, so that --resume can continue after any interruption.
    Exit code 0: all waves are done; 1: stopped, or pods failed; 3: refused, nothing was changed.

    \b
    Example:
      sidecarctl push plan.json --dry-run server
      sidecarctl push plan.json --waves 1-3 --max-unavailable 10
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[PushFacts] | Report[None]:
        if push.print_rbac:
            return _roles(plan.plan, push)
        return push_plan(plan.plan, push, api)

    conclude(run, reporting, "push")
