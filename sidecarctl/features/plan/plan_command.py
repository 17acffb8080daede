"""`sidecarctl plan`."""

from typing import TYPE_CHECKING

from sidecarctl.cli.clusters.running import conclude_over_clusters
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.cluster import opened_with_cluster, printed_roles
from sidecarctl.cli.flags.earlier import earlier
from sidecarctl.cli.flags.fleet import FleetFlags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.outputs import DocumentFlags
from sidecarctl.engine.inputs.settings import Cluster
from sidecarctl.engine.report import Report
from sidecarctl.features.plan.flags import PlanClusterFlags, PlanFlags
from sidecarctl.features.plan.plan import PlanFacts, SweepFacts, planned
from sidecarctl.features.plan.watched import watched_plan

if TYPE_CHECKING:
    from sidecarctl.engine.kubectl.mirror import Mirror


@typer_command
def command(
    inputs: DumpFlags, plan: PlanFlags, cluster: PlanClusterFlags, fleet: FleetFlags, reporting: DocumentFlags
) -> None:
    """Show the rollout of SidecarSets across pods, wave by wave to its end, before it happens.

    PATHS contain the new SidecarSets and the current pods: a dump of
    `kubectl get pods,namespaces,controllerrevisions.apps,poddisruptionbudgets -A -o json`. For a pull
    request without a cluster, PATHS contain workloads, and --from names the current SidecarSets. With --live, pods,
    SidecarSets, namespaces and revisions are read from a cluster; SidecarSets in PATHS replace those of the cluster.
    With clusters (--cluster, or `clusters` of .sidecarctl.yaml): for each of them, and for all.
    Exit code 1: the rollout stalls, is blocked or ends with an error, or in what --fail-on names.

    Formats (-o): text, markdown, json, yaml, html.

    \b
    Example:
      sidecarctl plan sidecarset.yaml pods.json -o text -o json=plan.json
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run(of: Cluster, mirror: "Mirror | None" = None) -> Report[PlanFacts] | Report[SweepFacts]:
        own = inputs.of_cluster(of)
        live = cluster.options(
            inputs.namespace,
            inputs.kruise,
            plan.feature_gates,
            identifies=True,
            recreates=plan.recreate,
            drains=True,
            mirror=mirror,
        )
        plan.refuse_contradictions(is_live=live is not None)
        how, named = own.reading(jobs=fleet.jobs), own.named(optional=live is not None)
        old = earlier(own, plan.from_old or ())
        plan.request()  # invalid values are reported before anything is read
        with opened_with_cluster(live, named, old, lenient=True) as (sources, old_sources):
            request = plan.over((*of.gates, *sources.live.gates)).request(strict=reporting.strict)
            return planned(sources, old_sources, how, request)

    def roles() -> Report[None]:
        return printed_roles("plan", cluster.roles(inputs.namespace, recreates=plan.recreate))

    kind = "sweep" if plan.sweep else "plan"
    if cluster.print_rbac:
        conclude(roles, reporting, kind)
    watching, for_one = cluster.watching(run, watched_plan, kind, reporting), "--sweep" if plan.sweep else ""
    conclude_over_clusters(watching, inputs, fleet, reporting, kind, for_one=for_one)
