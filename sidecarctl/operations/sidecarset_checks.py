"""The cheap part of validation, which every command that computes from SidecarSets has done to each of them.

What would be refused is a warning here, because a preview of it may be asked for. Under `--strict` every such warning
is an error, and nothing is written. What takes several SidecarSets or pods is left to `validate`, and so are notes.
"""

from collections.abc import Collection, Iterator

from sidecarctl.facts.errors import RefusedError
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.inputs.world import World
from sidecarctl.operations.sidecarset_warnings import record_warnings


def checked(
    world: World, gates: frozenset[str], *, strict: bool = False, only: Collection[str] | None = None
) -> list[Finding]:
    """Warnings about the SidecarSets, placed, without those that annotations suppress; RefusedError if `strict`.

    `only` names those that are looked at; None for all.
    """
    found = list(refusals_and_doubts(world, gates, only))
    if strict and found:
        raise RefusedError(*(finding._replace(severity=Severity.ERROR) for finding in found))
    return [*(finding._replace(severity=Severity.WARNING) for finding in found), *record_warnings(world)]


def refusals_and_doubts(
    world: World, gates: frozenset[str], only: Collection[str] | None = None
) -> Iterator[Finding]:
    """Errors, which Kruise refuses, and warnings about the SidecarSets of a world, and about what nearly is one."""
    yield from world.remarks
    if not world.sidecarsets:
        return
    from sidecarctl.validation.given import Given
    from sidecarctl.validation.own_findings import own_findings
    from sidecarctl.validation.suppression import ignored_by, without

    by_name = {one.name: one for one in world.sidecarsets}
    manifests = {name: located.manifest for name, located in world.sources.items()}
    given = Given(world.sidecarsets, manifests, revisions=world.revisions, whitelist=world.whitelist, gates=gates)
    for one in world.sidecarsets:
        if only is not None and one.name not in only:
            continue
        own = without(own_findings(one, given, by_name), ignored_by(one.metadata))
        graver = (finding for finding in own if finding.severity is not Severity.NOTE)
        yield from world.sources[one.name].findings(graver)
