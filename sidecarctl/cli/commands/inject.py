"""`sidecarctl inject`."""

from functools import partial

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.injection import InjectionFlags
from sidecarctl.cli.flags.inputs import ManifestFlags
from sidecarctl.cli.flags.reporting import ReportFlags
from sidecarctl.cli.flags.writing import WritingFlags
from sidecarctl.cli.transforming import TransformRequest, transform
from sidecarctl.inputs.world import World
from sidecarctl.operations.checking.release_findings import refuse_unknown
from sidecarctl.operations.checking.sidecarset_checks import checked
from sidecarctl.operations.inject import Inject, injection_context
from sidecarctl.operations.report import Report
from sidecarctl.operations.transforming.pod_templates import Templates
from sidecarctl.operations.transforming.run_facts import INJECT, RunFacts


@typer_command
def command(inputs: ManifestFlags, writing: WritingFlags, injection: InjectionFlags, reporting: ReportFlags) -> None:
    """Inject sidecars into pods and workloads, exactly as Kruise would at pod creation.

    Prints the input with the sidecars injected to stdout, and a line per object to stderr. Everything else is
    preserved byte for byte, including documents that no SidecarSet matches.

    Example:  sidecarctl inject -s sidecarsets/ deploy.yaml --diff
    """

    def run() -> Report[RunFacts]:
        reading, options = inputs.reading(), injection.options()

        def prepare(world: World) -> Inject:
            refuse_unknown(world, options.feature_gates)
            templates = Templates(world, reading.namespace, reading.workloads)
            context = injection_context(world, options)
            return Inject(templates, context, explains=reporting.verbose, strict=reporting.strict)

        request = TransformRequest(
            named=inputs.named(injection.revision_from or ()),
            reading=reading,
            writing=writing,
            verb=INJECT,
            prepare=prepare,
            look_at=partial(checked, gates=options.feature_gates, strict=reporting.strict, only=options.only or None),
            needs_sidecarsets=True,
            allow_empty=inputs.allow_empty,
            strict=reporting.strict,
        )
        return transform(request)

    conclude(run, reporting, "run", stdout_is_free=not writing.prints_manifests and not writing.diff)
