"""The cheap part of validation, which every command runs on the SidecarSets that it uses.

Errors become warnings, because a preview may still be wanted. Under `--strict` each is an error, and nothing is
written. Checks that need several SidecarSets or pods, and notes, are left to `validate`.
"""

from collections.abc import Collection, Iterator

from sidecarctl.facts.errors import RefusedError
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.inputs.world import World
from sidecarctl.operations.checking.sidecarset_warnings import record_warnings


def checked(
    world: World, gates: frozenset[str], *, strict: bool = False, only: Collection[str] | None = None
) -> list[Finding]:
    """Warnings about the SidecarSets, with places, except suppressed ones; RefusedError if `strict`.

    `only` names the SidecarSets to check; None for all.
    """
    found = list(refusals_and_doubts(world, gates, only))
    if strict and found:
        raise RefusedError(*(finding._replace(severity=Severity.ERROR) for finding in found))
    return [*(finding._replace(severity=Severity.WARNING) for finding in found), *record_warnings(world)]


def refusals_and_doubts(
    world: World, gates: frozenset[str], only: Collection[str] | None = None
) -> Iterator[Finding]:
    """Errors and warnings about the SidecarSets of a world, and about documents that are almost SidecarSets."""
    yield from world.remarks
    if not world.sidecarsets:
        return
    from sidecarctl.validation.given import Given
    from sidecarctl.validation.own_findings import own_findings
    from sidecarctl.validation.suppression import ignored_by, without

    by_name = {sidecarset.name: sidecarset for sidecarset in world.sidecarsets}
    manifests = {name: located.manifest for name, located in world.sources.items()}
    given = Given(world.sidecarsets, manifests, revisions=world.revisions, whitelist=world.whitelist, gates=gates)
    for sidecarset in world.sidecarsets:
        if only is not None and sidecarset.name not in only:
            continue
        own = without(own_findings(sidecarset, given, by_name), ignored_by(sidecarset.metadata))
        graver = (finding for finding in own if finding.severity is not Severity.NOTE)
        yield from world.sources[sidecarset.name].findings(graver)
