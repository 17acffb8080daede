"""`sidecarctl uninject`."""

from collections.abc import Sequence
from typing import Annotated

import typer

from sidecarctl.cli.flags.fleet import ClusterChoiceFlags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import ManifestFlags
from sidecarctl.cli.flags.kruise import InjectionFlags
from sidecarctl.cli.flags.outputs import ReportFlags, WritingFlags
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.injection.injection_context import injection_context
from sidecarctl.engine.injection.pod_templates import Templates
from sidecarctl.engine.injection.removal_scope import RemovalRequest
from sidecarctl.engine.inputs.settings import Cluster
from sidecarctl.engine.report import Report, RunFacts
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.transforming.uninject import Uninject
from sidecarctl.engine.validation.warnings import sidecarset_warnings
from sidecarctl.features.inject.run import Sink, TransformRequest
from sidecarctl.features.inject.sinks import conclude_transformation, run_transformation


class RemovalFlags(InjectionFlags):
    """What to remove, and whether to keep doubtful parts."""

    title = "What is removed"
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Also remove parts that the pod may have had before injection.", allow_from_autoenv=False
        ),
    ] = False

    def request(self) -> RemovalRequest:
        """The options of the removal."""
        return RemovalRequest(frozenset(self.names) if self.names else None, self.force)


@typer_command
def command(
    inputs: ManifestFlags,
    writing: WritingFlags,
    removal: RemovalFlags,
    fleet: ClusterChoiceFlags,
    reporting: ReportFlags,
) -> None:
    """Remove what injection added to pods and workloads, including injection by Kruise's own webhook.

    Use -s to name the SidecarSets that were injected. Without them, containers are recognized by IS_INJECTED, volumes
    are removed if nothing mounts them anymore, and pull secrets and patched annotations are kept. Parts whose origin
    is unknown are kept and reported as NotReversible. App containers are never touched.

    Example:  sidecarctl uninject -s sidecarsets/ pod.yaml --diff
    """

    def run(of: Cluster, into: Sequence[Sink] = ()) -> Report[RunFacts]:
        own = inputs.of_cluster(of)
        reading = own.reading(tells_all=reporting.verbose)._replace(
            allow_unknown=True
        )  # what was never injected need not be removed
        options = removal.over(of.gates).options()._replace(only=())

        def prepare(world: World) -> Uninject:
            templates = Templates(world, reading.namespace, reading.workloads)
            return Uninject(templates, injection_context(world, options), removal.request())

        request = TransformRequest(
            reading=reading,
            verb="uninject",
            done="uninjected",
            prepare=prepare,
            look_at=sidecarset_warnings,
            differs=Reason.STILL_INJECTED,
            needs_sidecarsets=False,
            allow_empty=inputs.allow_empty,
        )
        return run_transformation(own.named(removal.revision_from or ()), request, writing, into, of.name)

    conclude_transformation(run, inputs, fleet, writing, reporting)
