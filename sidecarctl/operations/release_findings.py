"""What the inputs ask for that the release of Kruise does not know.

Source: docs/behaviour/releases.md, "Known fields".
"""

from collections.abc import Iterable

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.findings import Finding, Severity, as_warning
from sidecarctl.inputs.world import World
from sidecarctl.releases.release import MASTER


def gate_findings(world: World, gates: Iterable[str]) -> list[Finding]:
    """An error, or a warning where that is allowed, for each feature gate that the release does not have."""
    if world.release is MASTER:
        return []
    from sidecarctl.sidecarset.release_gaps import unknown_gates  # the table of releases, which few runs need

    found = unknown_gates(gates, world.release)
    return list(map(as_warning, found)) if world.allow_unknown else found


def refuse_unknown(world: World, gates: Iterable[str] = ()) -> None:
    """ImpossibleError for what the release does not know, unless that is allowed."""
    found = [*world.gaps, *gate_findings(world, gates)]
    if errors := [one for one in found if one.severity is Severity.ERROR]:
        raise ImpossibleError(*errors)
