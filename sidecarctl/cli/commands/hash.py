"""`sidecarctl hash`."""

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import InputFlags
from sidecarctl.cli.flags.reporting import DocumentFlags
from sidecarctl.facts.errors import InputError
from sidecarctl.inputs.emptiness import no_sidecarset
from sidecarctl.inputs.named_files import without_manifest
from sidecarctl.inputs.opening import opened
from sidecarctl.inputs.reading import read_world
from sidecarctl.operations.checking.sidecarset_warnings import sidecarset_warnings
from sidecarctl.operations.report import Report
from sidecarctl.sidecarset.sets import SidecarSet


@typer_command
def command(inputs: InputFlags, reporting: DocumentFlags) -> None:
    """Print both hashes of each SidecarSet, after defaults: name, hash, hash without image.

    Reports a recorded hash that differs: it is stale, or another Kruise version wrote it.

    Example:  sidecarctl hash sidecarsets/
    """

    def run() -> Report[tuple[SidecarSet, ...]]:
        named = inputs.named()
        with opened(named) as (sources,):
            how = inputs.reading()
            world = read_world(sources, how, alone=True)
            if not inputs.allow_empty and (empty := list(without_manifest(sources.paths, (), how.reader))):
                raise InputError(*empty, *world.remarks)
        if not (world.sidecarsets or inputs.allow_empty):
            raise no_sidecarset(named)
        warnings = sidecarset_warnings(world)
        differs = any(warning not in world.gaps for warning in warnings)
        return Report("hash", world.sidecarsets, warnings, is_objection=differs, release=world.release)

    conclude(run, reporting, "hash")
