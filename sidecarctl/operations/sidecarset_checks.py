"""The cheap part of validation, which every command that computes from SidecarSets has done to each of them.

What would be refused is a warning here, because a preview of it may be asked for; with `strict` it is an error, and
nothing is written.
"""

from collections.abc import Iterable, Iterator

from sidecarctl.facts.errors import RefusedError
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.inputs.world import World


def checked(world: World, gates: frozenset[str] = frozenset(), *, strict: bool = False) -> list[Finding]:
    """Warnings about the SidecarSets, placed, without those that annotations suppress; RefusedError if `strict`.

    Notes are left to `validate`, and so is what takes several SidecarSets or pods.
    """
    found = [*world.remarks, *_own_findings(world, gates)]
    if strict and found:
        raise RefusedError(*(finding._replace(severity=Severity.ERROR) for finding in found))
    return found


def _own_findings(world: World, gates: frozenset[str]) -> Iterator[Finding]:
    if not world.sidecarsets:
        return
    from sidecarctl.validation.given import Given
    from sidecarctl.validation.own_findings import own_findings
    from sidecarctl.validation.suppression import ignored_by, without

    by_name = {one.name: one for one in world.sidecarsets}
    manifests = {name: located.manifest for name, located in world.sources.items()}
    given = Given(world.sidecarsets, manifests, revisions=world.revisions, whitelist=world.whitelist, gates=gates)
    for one in world.sidecarsets:
        own = without(own_findings(one, given, by_name), ignored_by(one.metadata))
        yield from world.sources[one.name].findings(_warnings(own))


def _warnings(findings: Iterable[Finding]) -> Iterator[Finding]:
    for finding in findings:
        if finding.severity is not Severity.NOTE:
            yield finding._replace(severity=Severity.WARNING)
