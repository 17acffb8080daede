"""`sidecarctl status`."""

from typing import Annotated

import typer

from sidecarctl.cli.collector import without_collector
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.cluster import ClusterFlags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.injection import ChoiceFlags, RevisionFrom
from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.reporting import DocumentFlags
from sidecarctl.inputs.emptiness import no_sidecarset
from sidecarctl.inputs.opening import opened
from sidecarctl.inputs.reading_pods import read_inputs, whole_pods
from sidecarctl.kubectl.live import live_inputs
from sidecarctl.operations.explaining.lacking_sidecars import objecting
from sidecarctl.operations.report import Report
from sidecarctl.operations.status import StatusFacts, status_report


class StatusFlags(ChoiceFlags):
    """The SidecarSets, and their earlier manifests."""

    title = "What is computed"
    revision_from: RevisionFrom = None
    exit_code: Annotated[
        bool,
        typer.Option(
            "--exit-code", help="Exit 1 if a running pod lacks sidecars that it should have been created with."
        ),
    ] = False


@typer_command
def command(inputs: DumpFlags, choice: StatusFlags, cluster: ClusterFlags, reporting: DocumentFlags) -> None:
    """Show the counts that Kruise would write into the status of each SidecarSet, and the state of each pod.

    PATHS contain SidecarSets, pods with their status (kubectl get pods -A -o yaml), Namespaces and
    ControllerRevisions. With --live they are read from a cluster through kubectl; SidecarSets in PATHS replace those
    of the cluster. Formats (-o): text, wide (all details of each pod), markdown, json, yaml, html.

    \b
    Examples:
      sidecarctl status sidecarsets/ pods.yaml -o text -o json=status.json
      sidecarctl status --live --context production
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[StatusFacts]:
        live, how = cluster.options(inputs.namespace, inputs.kruise), inputs.reading()
        named = inputs.named(choice.revision_from or (), optional=live is not None)
        with (
            opened(named, lenient=True) as (sources,),
            live_inputs(live) as found,
            without_collector(),
        ):
            how = how.of_cluster(found.release)
            read = read_inputs(sources, how, found.inputs, keeps_templates=False).whole()
            if not (read.world.sidecarsets or inputs.allow_empty):
                raise no_sidecarset(named)
            report = status_report(
                read, lambda: whole_pods(sources, how, found.inputs), choice.names, how.namespace, choice.gates()
            )
        report = report._replace(findings=[*found.findings, *report.findings])
        return objecting(report, read.world) if choice.exit_code else report

    conclude(run, reporting, "status")
