"""`sidecarctl images`."""

from typing import Annotated

import typer

from sidecarctl.cli.clusters.running import conclude_over_clusters
from sidecarctl.cli.flags.cluster import ClusterFlags, opened_with_cluster
from sidecarctl.cli.flags.fleet import FleetFlags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.outputs import DocumentFlags
from sidecarctl.engine.comparing.images import ImagesFacts, images
from sidecarctl.engine.inputs.settings import Cluster
from sidecarctl.engine.report import Report
from sidecarctl.features.counts.flags import CountingFlags


class ImagesFlags(CountingFlags):
    """The images too."""

    title = "What is counted"
    image: Annotated[
        str,
        typer.Option(
            "--image",
            metavar="GLOB",
            help="Only images with this reference or digest, such as '*/log-agent:2.*'; a note names other "
            "containers that have one.",
        ),
    ] = ""


@typer_command
def command(
    inputs: DumpFlags, choice: ImagesFlags, cluster: ClusterFlags, fleet: FleetFlags, reporting: DocumentFlags
) -> None:
    """Show which images the sidecars of pods have, which ones are wanted, and what it takes to get there.

    PATHS contain SidecarSets, pods with their status, Namespaces and ControllerRevisions
    (kubectl get pods,namespaces,controllerrevisions.apps,poddisruptionbudgets -A -o json).
    With --live they are read from a cluster. Without pods, PATHS contain workloads, and --from
    names the SidecarSets that injected their pods. A pod gets the wanted image in place, or only by recreation, as
    in status and plan.
    With clusters (--cluster, or `clusters` of .sidecarctl.yaml): for each of them, and for all, without csv.
    Formats (-o): text, markdown, csv, json, yaml.

    \b
    Examples:
      sidecarctl images sidecarsets/ pods.yaml -o text -o csv=images.csv
      sidecarctl images --live --image '*/envoy:1.2*'
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run(of: Cluster) -> Report[ImagesFacts]:
        own, live = inputs.of_cluster(of), cluster.options(inputs.namespace, inputs.kruise, choice.feature_gates)
        how, named = own.reading(jobs=fleet.jobs), choice.counted(own, is_live=live is not None)
        with opened_with_cluster(live, *named, lenient=True) as (sources, old):
            return images(sources, old, how, choice.over((*of.gates, *sources.live.gates)).request(), choice.image)

    conclude_over_clusters(run, inputs, fleet, reporting, "images")
