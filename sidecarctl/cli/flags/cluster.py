"""Reading a live cluster instead of a dump of it."""

from typing import Annotated

import typer

from sidecarctl.cli.flags.groups import Flags
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

    def options(self, namespace: str | None) -> LiveOptions | None:
        """The cluster to read, and the one namespace whose pods are wanted; None without --live."""
        if not self.live:
            return None
        return LiveOptions(Connection(self.context, self.kubeconfig), namespace or "", self.kubectl_timeout)
