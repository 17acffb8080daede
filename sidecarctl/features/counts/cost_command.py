"""`sidecarctl cost`."""

from sidecarctl.cli.clusters.running import conclude_over_clusters
from sidecarctl.cli.flags.cluster import ClusterFlags, opened_with_cluster
from sidecarctl.cli.flags.fleet import FleetFlags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.outputs import DocumentFlags
from sidecarctl.engine.comparing.costs import CostFacts, costs
from sidecarctl.engine.inputs.settings import Cluster
from sidecarctl.engine.report import Report
from sidecarctl.features.counts.flags import CountingFlags


@typer_command
def command(
    inputs: DumpFlags, choice: CountingFlags, cluster: ClusterFlags, fleet: FleetFlags, reporting: DocumentFlags
) -> None:
    """Show what the sidecars of pods request, by SidecarSet and namespace, and their share of all requests.

    PATHS contain SidecarSets, pods with their status and Namespaces
    (kubectl get pods,namespaces,controllerrevisions.apps,poddisruptionbudgets -A -o json). With --live they
    are read from a cluster. Without pods, PATHS contain workloads. The cost of sidecars is what the scheduler counts
    for a pod, minus what it would count without them: an initContainer of the app may need more than they do.
    With clusters (--cluster, or `clusters` of .sidecarctl.yaml): for each of them, and for all, without csv.
    Formats (-o): text, markdown, csv, json, yaml.

    \b
    Examples:
      sidecarctl cost sidecarsets/ pods.yaml -o text -o csv=cost.csv
      sidecarctl cost sidecarsets/ apps/
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run(of: Cluster) -> Report[CostFacts]:
        own, live = inputs.of_cluster(of), cluster.options(inputs.namespace, inputs.kruise, choice.feature_gates)
        how, named = own.reading(jobs=fleet.jobs), choice.counted(own, is_live=live is not None)
        with opened_with_cluster(live, *named, lenient=True) as (sources, old):
            return costs(sources, old, how, choice.over((*of.gates, *sources.live.gates)).request())

    conclude_over_clusters(run, inputs, fleet, reporting, "cost")
