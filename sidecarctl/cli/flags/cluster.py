"""Options to read a live cluster instead of a dump."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from sidecarctl.cli.flags.groups import Flags
from sidecarctl.facts.errors import usage_error
from sidecarctl.kubectl.connection import TIMEOUT, Connection

if TYPE_CHECKING:  # most runs read files
    from sidecarctl.kubectl.live import LiveOptions

Live = Annotated[
    bool, typer.Option("--live", help="Read SidecarSets, pods, namespaces and revisions through kubectl.")
]
Context = Annotated[str, typer.Option("--context", metavar="NAME", help="With --live: the kubectl context.")]
Kubeconfig = Annotated[str, typer.Option("--kubeconfig", metavar="FILE", help="With --live: the kubeconfig file.")]
Kubectl = Annotated[str, typer.Option("--kubectl", metavar="PROGRAM", help="With --live: the kubectl program.")]
KubectlTimeout = Annotated[
    float, typer.Option("--kubectl-timeout", min=1, metavar="SECONDS", help="Time limit per kubectl command.")
]


class ClusterFlags(Flags):
    """The cluster to read, if any."""

    title = "Cluster"
    live: Live = False
    context: Context = ""
    kubeconfig: Kubeconfig = ""
    kubectl: Kubectl = "kubectl"
    kubectl_timeout: KubectlTimeout = TIMEOUT

    def options(self, namespace: str | None, kruise: str = "", *, identifies: bool = False) -> "LiveOptions | None":
        """The cluster to read, and the namespace to read pods from; None without --live.

        `identifies`: read the identity of the cluster too, and its Kruise release unless the user named one in
        `kruise`. UsageError for connection options without --live.
        """
        if not self.live:
            self._refuse_unused()
            return None
        from sidecarctl.kubectl.live import LiveOptions

        connection = Connection(self.context, self.kubeconfig, self.kubectl)
        return LiveOptions(connection, namespace or "", self.kubectl_timeout, identifies, not kruise)

    def _refuse_unused(self) -> None:
        for name, value in (("kubeconfig", self.kubeconfig), ("context", self.context)):
            if value and value != os.environ.get(f"SIDECARCTL_{name.upper()}"):  # where it may be for other commands
                raise usage_error(f"--{name} requires --live: it selects the cluster to read")
