"""Options for a cluster: to read it instead of a dump (`--live`), and to push a plan to it."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from sidecarctl.cli.flags.amounts import count_or_share
from sidecarctl.cli.flags.groups import Flags
from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.files.outputs import to_stdout
from sidecarctl.engine.files.process import WithoutCollector
from sidecarctl.engine.inputs.opening import Named, Sources, opened
from sidecarctl.engine.kubectl.running_proxy import TIMEOUT, Connection
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.report import Report

if TYPE_CHECKING:
    from sidecarctl.cli.flags.outputs import DocumentFlags
    from sidecarctl.cli.following import Follow
    from sidecarctl.engine.kubectl.live import LiveOptions
    from sidecarctl.engine.kubectl.mirror import Mirror


PrintRbac = Annotated[
    bool,
    typer.Option(
        "--print-rbac",
        help="Print the minimal RBAC roles for this command, and do nothing.",
        allow_from_autoenv=False,
    ),
]


RequestTimeout: TypeAlias = Annotated[
    float, typer.Option("--request-timeout", min=1, metavar="SECONDS", help="Time limit of a request to the server.")
]


class ClusterFlags(Flags):
    """The cluster to read, if any."""

    title = "Cluster"
    live: Annotated[
        bool,
        typer.Option(
            "--live", help="Read SidecarSets, pods, namespaces, revisions and Kruise's setup through kubectl."
        ),
    ] = False
    context: Annotated[str, typer.Option("--context", metavar="NAME", help="With --live: the kubectl context.")] = ""
    kubeconfig: Annotated[
        str, typer.Option("--kubeconfig", metavar="FILE", help="With --live: its kubeconfig file.")
    ] = ""
    kubectl: Annotated[
        str, typer.Option("--kubectl", metavar="PROGRAM", help="With --live: the kubectl program.")
    ] = "kubectl"
    request_timeout: RequestTimeout = TIMEOUT

    def options(
        self,
        namespace: str | None,
        kruise: str = "",
        gates: Sequence[str] | None = None,
        *,
        identifies: bool = False,
        asks_kubernetes: bool = False,
        recreates: bool = False,
        drains: bool = False,
        mirror: "Mirror | None" = None,
    ) -> "LiveOptions | None":
        """The cluster to read, and the namespace to read pods from; None without --live.

        `identifies`: read the identity of the cluster too, and its Kruise release unless the user named one in
        `kruise`; `gates` are the feature gates that the user named. `asks_kubernetes`: read the release of
        Kubernetes. `recreates`: read what a recreation is planned over; `drains`: the budgets of evictions.
        `mirror`: the cluster, where it is watched. UsageError for connection options without --live.
        """
        if not self.live:
            self._refuse_unused()
            return None
        from sidecarctl.engine.kubectl.live import LiveOptions

        return LiveOptions(
            self.connection(),
            namespace or "",
            self.request_timeout,
            identifies,
            kruise,
            tuple(gates or ()),
            asks_kubernetes,
            recreates,
            drains,
            mirror,
        )

    def connection(self) -> Connection:
        """The cluster, and the user."""
        return Connection(self.context, self.kubeconfig, self.kubectl)

    def _refuse_unused(self) -> None:
        for name, value in (("kubeconfig", self.kubeconfig), ("context", self.context)):
            if value and value != os.environ.get(f"SIDECARCTL_{name.upper()}"):  # where other commands may have it
                raise usage_error(f"--{name} needs --live: it selects the cluster to read")


class WatchFlags(ClusterFlags):
    """The cluster to read, if any, once or with --watch."""

    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            "-w",
            help="With --live: follow the cluster until Ctrl-C; if stdout is not a terminal, print a line for each "
            "change.",
        ),
    ] = False

    def watching(
        self, operate: Callable[..., Report[Any]], follow: "Follow", kind: str, flags: "DocumentFlags"
    ) -> Callable[..., Report[Any]]:
        """The operation, or with --watch one that repeats it, with the Mirror of the cluster behind its arguments."""

        def again_and_again(*arguments: Any) -> Report[Any]:
            if not self.live:
                raise usage_error("--watch needs --live: it shows how a cluster changes")
            from sidecarctl.cli.watching import watched

            return watched(partial(operate, *arguments), follow, kind, self, flags)

        return again_and_again if self.watch else operate


def printed_roles(kind: str, roles: Iterable[Object], release: Release = DEFAULT) -> Report[None]:
    """Print the RBAC roles of a command, for --print-rbac."""
    from sidecarctl.engine.kubectl.roles import roles_text

    to_stdout(roles_text(roles))
    return Report(kind, None, wrote=["-"], release=release)


@contextmanager
def opened_with_cluster(
    options: "LiveOptions | None", *trees: Named, lenient: bool = False
) -> Iterator[Sequence[Sources[Input]]]:
    """The files of each tree (`opening.opened`), those of the first with what is read from the cluster, if any."""
    with (
        opened(*trees, lenient=lenient) as (files, *others),
        with_cluster(options, files) as first,
        WithoutCollector(),
    ):
        yield [first, *others]


@contextmanager
def with_cluster(options: "LiveOptions | None", sources: Sources[Input]) -> Iterator[Sources[Input]]:
    """The files with what is read from the cluster, if any."""
    if options is None:
        yield sources
        return
    from sidecarctl.engine.kubectl.live import live_inputs

    with live_inputs(options) as live:
        yield sources._replace(live=live)


class DryRun(StrEnum):
    """Who checks a dry run."""

    CLIENT = "client"
    SERVER = "server"


class Forced(StrEnum):
    """The checks that can be overridden."""

    CONTROLLER = "controller"


class EventForm(StrEnum):
    """How to print events."""

    TEXT = "text"
    JSON = "json"


class ApiFlags(Flags):
    """The cluster, accessed through kubectl."""

    context: Annotated[str, typer.Option("--context", metavar="NAME", help="The kubectl context.")] = ""
    kubeconfig: Annotated[str, typer.Option("--kubeconfig", metavar="FILE", help="The kubeconfig file.")] = ""
    kubectl: Annotated[str, typer.Option("--kubectl", metavar="PROGRAM", help="The kubectl program.")] = "kubectl"
    request_timeout: RequestTimeout = 30.0

    def connection(self) -> Connection:
        """The cluster, and the user."""
        return Connection(self.context, self.kubeconfig, self.kubectl)


class PushFlags(Flags):
    """The pace, the extent, and when to stop."""

    dry_run: Annotated[
        DryRun | None,
        typer.Option(
            "--dry-run", help="Only check: locally (client), or also the first patch of every pod on the server."
        ),
    ] = None
    waves: Annotated[
        list[str] | None, typer.Option("--waves", metavar="N|N-M", help="Apply only these waves; repeatable.")
    ] = None
    pause_after: Annotated[
        int | None, typer.Option("--pause-after", min=1, metavar="WAVE", help="Stop after this wave.")
    ] = None
    confirm: Annotated[bool, typer.Option("--confirm", help="Ask before each wave; only on a terminal.")] = False
    first_pod: Annotated[
        bool,
        typer.Option("--first-pod/--no-first-pod", help="Wait for the first pod before patching others."),
    ] = True
    max_parallel: Annotated[
        int, typer.Option("--max-parallel", min=1, max=64, metavar="N", help="Concurrent requests to the server.")
    ] = 8
    max_unavailable: Annotated[
        str | None,
        typer.Option("--max-unavailable", metavar="N|N%", help="Lower maxUnavailable of the plan to this value."),
    ] = None
    settle: Annotated[
        float,
        typer.Option("--settle", min=0, metavar="SECONDS", help="How long a pod must stay ready to count as done."),
    ] = 10.0
    timeout: Annotated[
        float, typer.Option("--timeout", min=1, metavar="SECONDS", help="Time limit of each wave.")
    ] = 600.0
    max_failures: Annotated[
        int,
        typer.Option("--max-failures", min=0, metavar="N", help="Continue while at most this many pods have failed."),
    ] = 0
    journal: Annotated[
        str, typer.Option("--journal", metavar="FILE", help="The journal. [default: PLAN.journal next to the plan]")
    ] = ""
    resume: Annotated[bool, typer.Option("--resume", help="Continue from the journal.")] = False
    adopt: Annotated[
        bool,
        typer.Option(
            "--adopt", help="Accept pods that somebody else has already updated as planned.", allow_from_autoenv=False
        ),
    ] = False
    replan: Annotated[
        bool,
        typer.Option(
            "--replan",
            help="If pods have changed, show a new plan and ask; only on a terminal.",
            allow_from_autoenv=False,
        ),
    ] = False
    force: Annotated[
        Forced | None,
        typer.Option(
            "--force", help="Push although Kruise may perform or revert the same rollout.", allow_from_autoenv=False
        ),
    ] = None
    accept_partial_view: Annotated[
        bool,
        typer.Option(
            "--accept-partial-view",
            help="Push without seeing every pod of the SidecarSets: more pods may be unavailable than maxUnavailable "
            "allows, and more updated than partition allows.",
            allow_from_autoenv=False,
        ),
    ] = False
    respect_pdb: Annotated[
        bool, typer.Option("--respect-pdb", help="Respect PodDisruptionBudgets too, which do not apply to patches.")
    ] = False
    write_conditions: Annotated[
        bool,
        typer.Option(
            "--write-conditions", help="Write the condition SidecarSetUpgradable, through the pods' status."
        ),
    ] = False
    print_rbac: PrintRbac = False
    output: Annotated[EventForm, typer.Option("--output", "-o", help="Format of the events.")] = EventForm.TEXT

    def limit(self) -> int | str | None:
        """The value of --max-unavailable; UsageError if it is not a number of pods."""
        if self.max_unavailable is None:
            return None
        return count_or_share("--max-unavailable", self.max_unavailable)
