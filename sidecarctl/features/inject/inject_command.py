"""`sidecarctl inject`."""

from collections.abc import Sequence
from functools import partial

from sidecarctl.cli.flags.fleet import ClusterChoiceFlags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import ManifestFlags
from sidecarctl.cli.flags.kruise import InjectFlags
from sidecarctl.cli.flags.outputs import ReportFlags, WritingFlags
from sidecarctl.cli.flags.repository import settings
from sidecarctl.cli.invoked import implied
from sidecarctl.engine.injection.injection_context import injection_context
from sidecarctl.engine.injection.pod_templates import Templates
from sidecarctl.engine.inputs.settings import Cluster
from sidecarctl.engine.report import Report, RunFacts, Transform
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.transforming.inject import Inject
from sidecarctl.engine.validation.warnings import accepted, refuse_unknown
from sidecarctl.features.inject.run import Sink, TransformRequest
from sidecarctl.features.inject.sinks import conclude_transformation, run_transformation


@typer_command
def command(
    inputs: ManifestFlags,
    writing: WritingFlags,
    injection: InjectFlags,
    fleet: ClusterChoiceFlags,
    reporting: ReportFlags,
) -> None:
    """Inject sidecars into pods and workloads, exactly as Kruise would at pod creation.

    Prints the input with the sidecars injected to stdout, and a line per object to stderr. Everything else is
    preserved byte for byte, including documents that no SidecarSet matches. Without PATHS, and with clusters in
    .sidecarctl.yaml: the files of each cluster by its own SidecarSets.

    Example:  sidecarctl inject -s sidecarsets/ deploy.yaml --diff
    """

    def run(of: Cluster, into: Sequence[Sink] = ()) -> Report[RunFacts]:
        own = inputs.of_cluster(of)
        reading, options = own.reading(tells_all=reporting.verbose), injection.over(of.gates).options()
        injection.refuse_contradictions(prints=writing.prints_manifests, form=writing.form)

        def prepare(world: World) -> Transform:
            refuse_unknown(world, options.feature_gates)
            templates = Templates(world, reading.namespace, reading.workloads)
            context = injection_context(world, options)
            return Inject(
                templates,
                context,
                explains=reporting.verbose,
                strict=reporting.strict,
                refuses_twins=True,
                notices=True,
            )

        request = TransformRequest(
            reading=reading,
            verb="inject",
            done="injected",
            prepare=prepare,
            look_at=partial(
                accepted, gates=options.feature_gates, strict=reporting.strict, only=options.only or None
            ),
            needs_sidecarsets=True,
            allow_empty=inputs.allow_empty,
            accepts_unknown=inputs.allow_empty and "allow_empty" not in implied,
            strict=reporting.strict,
            ignored=settings().ignored_fields,
            as_pods=injection.as_pods,
        )
        return run_transformation(own.named(injection.revision_from or ()), request, writing, into, of.name)

    conclude_transformation(run, inputs, fleet, writing, reporting)
