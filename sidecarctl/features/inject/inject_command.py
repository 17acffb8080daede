"""`sidecarctl inject`."""

from functools import partial

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import ManifestFlags
from sidecarctl.cli.flags.kruise import InjectFlags
from sidecarctl.cli.flags.outputs import ReportFlags, WritingFlags
from sidecarctl.cli.invoked import implied
from sidecarctl.engine.injection.injection_context import injection_context
from sidecarctl.engine.injection.pod_templates import Templates
from sidecarctl.engine.report import Report, RunFacts, Transform
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.transforming.inject import Inject
from sidecarctl.engine.validation.warnings import accepted, refuse_unknown
from sidecarctl.features.inject.run import TransformRequest
from sidecarctl.features.inject.sinks import run_transformation


@typer_command
def command(inputs: ManifestFlags, writing: WritingFlags, injection: InjectFlags, reporting: ReportFlags) -> None:
    """Inject sidecars into pods and workloads, exactly as Kruise would at pod creation.

    Prints the input with the sidecars injected to stdout, and a line per object to stderr. Everything else is
    preserved byte for byte, including documents that no SidecarSet matches.

    Example:  sidecarctl inject -s sidecarsets/ deploy.yaml --diff
    """

    def run() -> Report[RunFacts]:
        reading, options = inputs.reading(tells_all=reporting.verbose), injection.options()
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
            as_pods=injection.as_pods,
        )
        return run_transformation(inputs.named(injection.revision_from or ()), request, writing)

    conclude(run, reporting, "run", stdout_is_free=writing.leaves_stdout)
