"""`sidecarctl convert`."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import SidecarSetFlags
from sidecarctl.cli.flags.outputs import ReportFlags, WritingFlags
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.inputs.opening import Named
from sidecarctl.engine.report import Report, RunFacts
from sidecarctl.engine.sidecarset.sets import Version
from sidecarctl.features.inject.run import TransformRequest
from sidecarctl.features.inject.sidecarset_manifests import Convert
from sidecarctl.features.inject.sinks import run_transformation


class ApiVersion(StrEnum):
    """The versions of the API that have SidecarSets."""

    V1BETA1 = "v1beta1"
    V1ALPHA1 = "v1alpha1"


_VERSIONS: dict[ApiVersion, Version] = {ApiVersion.V1BETA1: "v1beta1", ApiVersion.V1ALPHA1: "v1alpha1"}


class ConversionFlags(SidecarSetFlags):
    """The conversion, and its target version."""

    title = "Inputs"
    to: Annotated[ApiVersion, typer.Option("--to", help="API version to convert to.", show_default=False)]

    def named(self, older: Sequence[str] = (), *, optional: bool = False) -> Named:
        """The named inputs; without PATHS the SidecarSets that the repository names."""
        found = super().named(older, optional=optional)
        return found if found.yields or not found.usual else found._replace(paths=found.usual, usual=())


@typer_command
def command(inputs: ConversionFlags, writing: WritingFlags, reporting: ReportFlags) -> None:
    """Convert SidecarSets to the other API version, and verify that their hashes do not change.

    Only fields that differ between the versions are edited: apiVersion, spec.namespace and the name of the version
    (spec.customVersion, or a label). Comments are kept. What a version cannot express is reported as NotInVersion.

    Example:  sidecarctl convert sidecarsets/ --to v1beta1 -i
    """

    def run() -> Report[RunFacts]:
        reading = inputs.reading(tells_all=reporting.verbose)
        convert = Convert(_VERSIONS[inputs.to], reading.release, allow_unknown=reading.allow_unknown)
        request = TransformRequest(
            reading=reading,
            verb="convert",
            done="converted",
            prepare=lambda _world: convert,
            look_at=lambda world: [*world.remarks],
            differs=Reason.OTHER_API_VERSION,
            needs_sidecarsets=True,
            allow_empty=inputs.allow_empty,
            stands_alone=True,
        )
        return run_transformation(inputs.named(), request, writing)

    conclude(run, reporting, "run", stdout_is_free=writing.leaves_stdout)
