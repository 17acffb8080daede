"""`sidecarctl drift`."""

from typing import Annotated

import typer

from sidecarctl.cli.clusters.running import conclude_over_clusters
from sidecarctl.cli.flags.cluster import ClusterFlags, opened_with_cluster
from sidecarctl.cli.flags.fleet import FleetFlags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.kruise import ChoiceFlags, RevisionFrom
from sidecarctl.cli.flags.outputs import DocumentFlags, failing
from sidecarctl.cli.flags.repository import settings
from sidecarctl.engine.comparing.drift import drift
from sidecarctl.engine.comparing.drift_states import DRIFTED, DriftState
from sidecarctl.engine.comparing.drifts import DriftFacts
from sidecarctl.engine.inputs.settings import Cluster
from sidecarctl.engine.report import Report


class DriftFlags(ChoiceFlags):
    """The SidecarSets, their earlier manifests, and which drift counts."""

    title = "What is compared"
    revision_from: RevisionFrom = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            "--ignore",
            metavar="FIELD",
            help="A field of containers that another program writes, with all below it, such as image, "
            "livenessProbe or env[HTTP_*]; repeatable.",
        ),
    ] = None
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit 1 if any pod is not InSync (--fail-on any).")
    ] = False
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="STATE,...",
            help=f"Exit 1 for pods in these states ({', '.join(DRIFTED)}), any or none; by default none.",
        ),
    ] = None

    def fails(self) -> frozenset[DriftState]:
        """The states for which the command exits with 1; UsageError for an unknown one."""
        named = failing("drift", self.fail_on, DRIFTED) or frozenset()
        return named | frozenset(DRIFTED if self.exit_code else ())

    def ignored(self) -> list[str]:
        """The fields that may differ: those of the command line, and those of the repository."""
        return list(dict.fromkeys((*(self.ignore or ()), *settings().ignored_fields)))


@typer_command
def command(
    inputs: DumpFlags, choice: DriftFlags, cluster: ClusterFlags, fleet: FleetFlags, reporting: DocumentFlags
) -> None:
    """Show which pods do not run what their SidecarSets say, field by field, and why.

    PATHS contain SidecarSets, pods with their status, Namespaces and ControllerRevisions
    (kubectl get pods,namespaces,controllerrevisions.apps,poddisruptionbudgets -A -o json).
    With --live pods and revisions are read from a cluster through kubectl; SidecarSets in PATHS
    replace those of the cluster. States, the worst first: Missing, Changed, Orphan, Unknown, Behind, Outdated,
    Updating, and InSync. Exit code 1: pods in a state that --fail-on names.
    With clusters (--cluster, or `clusters` of .sidecarctl.yaml): for each of them, and for all.
    Formats (-o): text, markdown, json, yaml, html.

    \b
    Examples:
      sidecarctl drift sidecarsets/ pods.yaml --exit-code
      sidecarctl drift git:main:sets --live --revision-from git:..main:sets
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run(of: Cluster) -> Report[DriftFacts]:
        own, live = inputs.of_cluster(of), cluster.options(inputs.namespace, inputs.kruise, choice.feature_gates)
        how, fails, ignored = own.reading(jobs=fleet.jobs), choice.fails(), choice.ignored()
        named = own.named(choice.revision_from or (), optional=live is not None)
        with opened_with_cluster(live, named, lenient=True) as (sources,):
            gates = choice.over((*of.gates, *sources.live.gates)).gates()
            return drift(sources, how, choice.names, gates, ignored, fails)

    conclude_over_clusters(run, inputs, fleet, reporting, "drift")
