"""`sidecarctl status`."""

from typing import TYPE_CHECKING, Annotated

import typer

from sidecarctl.cli.clusters.running import conclude_over_clusters
from sidecarctl.cli.flags.cluster import WatchFlags, opened_with_cluster
from sidecarctl.cli.flags.fleet import FleetFlags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.kruise import ChoiceFlags, RevisionFrom
from sidecarctl.cli.flags.outputs import DocumentFlags, failing
from sidecarctl.cli.flags.repository import settings
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.inputs.settings import Cluster
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.statuses import LACKING, UNEXPECTED
from sidecarctl.engine.rollout.summary.pod_states import PodState
from sidecarctl.features.status.status import StatusFacts, StatusRequest, status
from sidecarctl.features.status.watched import watched_status

if TYPE_CHECKING:
    from sidecarctl.engine.kubectl.mirror import Mirror


class StatusFlags(ChoiceFlags):
    """The SidecarSets, and their earlier manifests."""

    title = "What is computed"
    revision_from: RevisionFrom = None
    exit_code: Annotated[
        bool,
        typer.Option(
            "--exit-code",
            help="Exit 1 if a running pod lacks sidecars that it should have been created with "
            "(--fail-on NeverInjected,SidecarMissing).",
        ),
    ] = False
    image: Annotated[
        str,
        typer.Option(
            "--image",
            metavar="GLOB",
            help="Only pods with a container of such an image, such as '*/log-agent:2.*'; the counts cover all pods.",
        ),
    ] = ""
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on", metavar="STATE,...", help="Exit 1 for pods in these states, any or none; by default none."
        ),
    ] = None

    def fails(self) -> frozenset[PodState | Reason]:
        """The states for which the command exits with 1; UsageError for an unknown one."""
        named = failing("status", self.fail_on, UNEXPECTED) or frozenset()
        return named | (LACKING if self.exit_code else frozenset())


@typer_command
def command(
    inputs: DumpFlags, choice: StatusFlags, cluster: WatchFlags, fleet: FleetFlags, reporting: DocumentFlags
) -> None:
    """Show the counts that Kruise would write into the status of each SidecarSet, and the state of each pod.

    PATHS contain SidecarSets, pods with their status, Namespaces and ControllerRevisions
    (kubectl get pods,namespaces,controllerrevisions.apps,poddisruptionbudgets -A -o json).
    With --live they are read from a cluster through kubectl; SidecarSets in PATHS replace those
    of the cluster. Exit code 1: pods in a state that --fail-on names.
    Formats (-o): text, wide (all details of each pod), markdown, json, yaml, html. With clusters (--cluster, or
    `clusters` of .sidecarctl.yaml): SidecarSets by clusters, without wide.

    \b
    Examples:
      sidecarctl status sidecarsets/ pods.yaml -o text -o json=status.json
      sidecarctl status --live --context production
      sidecarctl status --live --watch
      sidecarctl status sidecarsets/ pods.yaml --image '*/log-agent:2.*'
      sidecarctl status --cluster eu=eu/ --cluster us=us/ -o html=fleet.html
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run(of: Cluster, mirror: "Mirror | None" = None) -> Report[StatusFacts]:
        live = cluster.options(inputs.namespace, inputs.kruise, choice.feature_gates, drains=True, mirror=mirror)
        own = inputs.of_cluster(of)
        how, fails = own.reading(jobs=fleet.jobs), choice.fails()
        named = own.named(choice.revision_from or (), optional=live is not None)
        with opened_with_cluster(live, named, lenient=True) as (sources,):
            gates = choice.over((*of.gates, *sources.live.gates)).gates()
            request = StatusRequest(fails, choice.image, settings().ignored_fields)
            return status(sources, how, choice.names, gates, request)

    conclude_over_clusters(
        cluster.watching(run, watched_status, "status", reporting), inputs, fleet, reporting, "status"
    )
