"""Warnings about SidecarSets that nothing rejects."""

from collections.abc import Iterable, Iterator

from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.inputs.world import World
from sidecarctl.sidecarset.canaries import canary_notes
from sidecarctl.sidecarset.matching import NAMESPACE_NAME_LABEL
from sidecarctl.sidecarset.recorded_hashes import stale_hashes
from sidecarctl.sidecarset.revisions.revision_choice import asked_revision
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.practice.fields import unknown_field_findings

_NAMED = 3
"""The number of namespaces that a warning names."""


def sidecarset_warnings(world: World) -> list[Finding]:
    """Documents that are almost SidecarSets, unknown fields, and `record_warnings`."""
    findings = [*world.remarks]
    for sidecarset in world.sidecarsets:
        source = world.sources[sidecarset.name]
        findings += source.findings(unknown_field_findings(source.manifest, sidecarset.release))
    return [*findings, *record_warnings(world)]


def record_warnings(world: World) -> list[Finding]:
    """Warnings about recorded values: stale hashes, empty revisions.

    First, features that the release of Kruise does not know, as errors unless allowed (`World.gaps`).
    """
    findings = list(world.gaps)
    for sidecarset in world.sidecarsets:
        source = world.sources[sidecarset.name]
        findings += source.findings([*stale_hashes(source.manifest, sidecarset), *_empty_revision(sidecarset, world)])
    return findings


def _empty_revision(sidecarset: SidecarSet, world: World) -> Iterator[Finding]:
    """A warning if the revision that a SidecarSet names has no data."""
    revision = asked_revision(sidecarset, world.revisions)
    if revision is not None and revision.data is None:
        message = f"the ControllerRevision {revision.name} has no data, so the current SidecarSet is injected"
        yield warning(Reason.EMPTY_REVISION, message, ("spec", "injectionStrategy", "revision"))


def world_canary_notes(world: World) -> Iterator[Finding]:
    """Notes about the canaries of a world, unless the user named the release; injection has them at each pod."""
    if world.names_release:
        return
    for sidecarset in world.sidecarsets:
        yield from world.sources[sidecarset.name].findings(canary_notes(sidecarset))


def namespace_warnings(sidecarset: SidecarSet, world: World, namespaces: Iterable[str]) -> Iterator[Finding]:
    """A warning if a SidecarSet selects by namespace labels, and the Namespaces of pods are not among the inputs."""
    selector = sidecarset.spec.get("namespaceSelector") or {}
    keys = {*(selector.get("matchLabels") or ())}
    keys |= {item.get("key") for item in selector.get("matchExpressions") or ()}
    if not keys - {NAMESPACE_NAME_LABEL}:
        return
    unknown = sorted(set(namespaces) - world.namespaces.keys())
    if unknown:
        more = f" and {len(unknown) - _NAMED} more" if len(unknown) > _NAMED else ""
        message = f"the labels of namespaces are not known: {', '.join(unknown[:_NAMED])}{more}"
        hint = "add the Namespaces to the inputs: kubectl get namespaces -o json"
        yield warning(Reason.NAMESPACE_UNKNOWN, message, ("spec", "namespaceSelector"), hint=hint)
