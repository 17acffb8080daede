"""`sidecarctl push`."""

from typing import Annotated

import typer

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.cluster import ApiFlags, PushFlags
from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.outputs import ReportFlags
from sidecarctl.operations.report import PushFacts, Report

Plan = Annotated[str, typer.Argument(metavar="PLAN", help="A plan from plan --live -o json or -o yaml.")]


class PlanArgument(Flags):
    """The plan to apply."""

    plan: Plan


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
        from sidecarctl.cli.pushing import print_roles, push_plan  # nothing else needs what speaks to a cluster

        if push.print_rbac:
            return print_roles(plan.plan, push)
        return push_plan(plan.plan, push, api)

    conclude(run, reporting, "push")
