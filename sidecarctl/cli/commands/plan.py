"""`sidecarctl plan`."""

from sidecarctl.cli.collector import without_collector
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.cluster import ClusterFlags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.plan import PlanFlags, swept
from sidecarctl.cli.flags.reporting import DocumentFlags
from sidecarctl.facts.errors import input_error, usage_error
from sidecarctl.facts.reasons import Reason
from sidecarctl.files.inputs import Input
from sidecarctl.inputs.emptiness import no_sidecarset
from sidecarctl.inputs.opening import Named, Sources, opened
from sidecarctl.inputs.reading import Reading
from sidecarctl.inputs.reading_pods import Inputs, read_inputs, whole_pods
from sidecarctl.inputs.world import World
from sidecarctl.kubectl.live import LiveOptions, live_inputs
from sidecarctl.operations.checking.sidecarset_checks import checked
from sidecarctl.operations.plan import PlanFacts, RolloutInputs, plan_report
from sidecarctl.operations.planning.canary_bases import refuse_changed_bases
from sidecarctl.operations.planning.plan_options import PlanOptions
from sidecarctl.operations.planning.workload_pods import rollout_of_workloads
from sidecarctl.operations.report import Report
from sidecarctl.operations.sweep import SweepFacts, sweep_report


@typer_command
def command(inputs: DumpFlags, plan: PlanFlags, cluster: ClusterFlags, reporting: DocumentFlags) -> None:
    """Show the rollout of SidecarSets across pods, wave by wave to its end, before it happens.

    PATHS contain the new SidecarSets and the current pods: a dump of `kubectl get pods -A -o json`. For a pull
    request without a cluster, PATHS contain workloads, and --from names the current SidecarSets. With --live, pods,
    SidecarSets, namespaces and revisions are read from a cluster; SidecarSets in PATHS replace those of the cluster.
    Exit code 1: the rollout stalls, is blocked, or ends with an error.

    Formats (-o): text, markdown, json, yaml, html.

    \b
    Example:
      sidecarctl plan sidecarset.yaml pods.json -o text -o json=plan.json
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[PlanFacts] | Report[SweepFacts]:
        live = cluster.options(inputs.namespace, inputs.kruise, identifies=True)
        if live and plan.from_old:
            raise usage_error(
                "--from creates pods from workloads, and --live reads them from a cluster: use only one of them"
            )
        if plan.replicas and not plan.from_old:
            raise usage_error("--replicas requires --from OLD: it sets the number of pods of a workload")
        options, how = plan.plan_options(), inputs.reading()
        named = inputs.named(optional=live is not None)
        old = Named(plan.from_old or (), recursive=inputs.recursive)
        with without_collector():
            allow_empty, strict = inputs.allow_empty, reporting.strict
            return _planned(named, old, live, how, plan, options, allow_empty=allow_empty, strict=strict)

    conclude(run, reporting, "sweep" if plan.sweep else "plan")


def _planned(
    named: Named,
    old: Named,
    live: LiveOptions | None,
    how: Reading,
    flags: PlanFlags,
    options: PlanOptions,
    *,
    allow_empty: bool,
    strict: bool,
) -> Report[PlanFacts] | Report[SweepFacts]:
    gates = flags.gates()
    with (
        opened(named, old, lenient=True) as (sources, old_sources),
        live_inputs(live) as cluster,
    ):
        how = how.of_cluster(cluster.release)
        found = read_inputs(sources, how, cluster.inputs, keeps_templates=bool(old.paths)).whole(options.only)
        if not (allow_empty or found.world.sidecarsets):
            raise no_sidecarset(named)
        refuse_changed_bases(found.live, found.world)
        warnings = checked(found.world, gates, strict=strict, only=_to_check(found.world, sources, options))
        if old.paths:
            before = read_inputs(old_sources, how).whole()
            rollout = rollout_of_workloads(found, before, how, flags.replicas or (), gates, flags.seed)
        else:
            _refuse_no_pods(found, is_live=live is not None, allow_empty=allow_empty)
            rollout = RolloutInputs(
                found.world,
                found.pods,
                lambda: whole_pods(sources, how, cluster.inputs),
                found.nodes,
                found.digests,
                cluster.findings,
                cluster=cluster.identity,
            )
        rollout = rollout._replace(findings=[*warnings, *rollout.findings])
        if flags.sweep:
            return sweep_report(rollout, options, gates, *swept(flags.sweep))
        return plan_report(rollout, options, how.namespace, gates)


def _to_check(world: World, sources: Sources[Input], options: PlanOptions) -> set[str]:
    """The planned SidecarSets, except those of the cluster, which its webhook has checked."""
    files = {source.name for source in sources.every}
    return {
        sidecarset.name
        for sidecarset in world.sidecarsets
        if world.sources[sidecarset.name].file in files and (not options.only or sidecarset.name in options.only)
    }


def _refuse_no_pods(found: Inputs, *, is_live: bool, allow_empty: bool) -> None:
    if found.has_templates and not (found.pods or is_live or allow_empty):
        message = "the inputs contain workloads but no pods"
        hint = "add the output of kubectl get pods -A -o json, or use --from OLD with the current SidecarSets"
        raise input_error(Reason.NO_PODS, message, hint=hint)
