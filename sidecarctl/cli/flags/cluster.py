"""Reading a live cluster instead of a dump of it."""

import os
from typing import Annotated

import typer

from sidecarctl.cli.flags.groups import Flags
from sidecarctl.facts.errors import usage_error
from sidecarctl.kubectl.cluster import TIMEOUT
from sidecarctl.kubectl.connection import Connection
from sidecarctl.kubectl.live import LiveOptions

Live = Annotated[
    bool, typer.Option("--live", help="Read SidecarSets, pods, namespaces and revisions through kubectl.")
]
Context = Annotated[str, typer.Option("--context", metavar="NAME", help="With --live: the kubectl context.")]
Kubeconfig = Annotated[str, typer.Option("--kubeconfig", metavar="FILE", help="With --live: the kubeconfig file.")]
KubectlTimeout = Annotated[
    float, typer.Option("--kubectl-timeout", min=1, metavar="SECONDS", help="Time limit per kubectl command.")
]


class ClusterFlags(Flags):
    """Which cluster is read, if any."""

    live: Live = False
    context: Context = ""
    kubeconfig: Kubeconfig = ""
    kubectl_timeout: KubectlTimeout = TIMEOUT

    def options(self, namespace: str | None, *, identifies: bool = False) -> LiveOptions | None:
        """The cluster to read, and the one namespace whose pods are wanted; None without --live.

        `identifies`: which cluster it is is read too. UsageError for a connection that nothing would use.
        """
        if not self.live:
            self._refuse_unused()
            return None
        connection = Connection(self.context, self.kubeconfig)
        return LiveOptions(connection, namespace or "", self.kubectl_timeout, identifies)

    def _refuse_unused(self) -> None:
        for name, value in (("kubeconfig", self.kubeconfig), ("context", self.context)):
            if value and value != os.environ.get(f"SIDECARCTL_{name.upper()}"):  # where it may be for other commands
                raise usage_error(f"--{name} says which cluster is read, which only --live does")
