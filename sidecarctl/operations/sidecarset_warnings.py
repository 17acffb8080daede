"""What is odd about an admitted set, though nothing refuses it."""

from collections.abc import Iterable, Iterator

from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.inputs.world import World
from sidecarctl.sidecarset.matching import NAMESPACE_NAME_LABEL
from sidecarctl.sidecarset.recorded_hashes import stale_hashes
from sidecarctl.sidecarset.revisions.revision_choice import asked_revision
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.practice.fields import unknown_field_findings

_NAMED = 3
"""Namespaces that a remark names."""


def sidecarset_warnings(world: World) -> list[Finding]:
    """Documents that nearly are SidecarSets, fields that the API does not have, and `record_warnings`."""
    findings = [*world.remarks]
    for one in world.sidecarsets:
        source = world.sources[one.name]
        findings += source.findings(unknown_field_findings(source.manifest, one.version))
    return [*findings, *record_warnings(world)]


def record_warnings(world: World) -> list[Finding]:
    """Warnings about what the manifests record: stale hashes, empty revisions.

    Before them what the release of Kruise does not know, as errors unless that is allowed (`World.gaps`).
    """
    findings = list(world.gaps)
    for one in world.sidecarsets:
        source = world.sources[one.name]
        findings += source.findings([*stale_hashes(source.manifest, one), *_empty_revision(one, world)])
    return findings


def _empty_revision(sidecarset: SidecarSet, world: World) -> Iterator[Finding]:
    """A warning where the revision that a SidecarSet asks for holds nothing."""
    revision = asked_revision(sidecarset, world.revisions)
    if revision is not None and revision.data is None:
        message = f"the ControllerRevision {revision.name} has no data, so the SidecarSet is injected as it is"
        yield warning(Reason.EMPTY_REVISION, message, ("spec", "injectionStrategy", "revision"))


def namespace_warnings(sidecarset: SidecarSet, world: World, namespaces: Iterable[str]) -> Iterator[Finding]:
    """A warning where a set asks for labels of namespaces, of which pods are, that no manifest was given of."""
    selector = sidecarset.spec.get("namespaceSelector") or {}
    keys = {*(selector.get("matchLabels") or ())}
    keys |= {item.get("key") for item in selector.get("matchExpressions") or ()}
    if not keys - {NAMESPACE_NAME_LABEL}:
        return
    unknown = sorted(set(namespaces) - world.namespaces.keys())
    if unknown:
        more = f" and {len(unknown) - _NAMED} more" if len(unknown) > _NAMED else ""
        message = f"the labels of namespaces are not known: {', '.join(unknown[:_NAMED])}{more}"
        hint = "give the Namespaces too: kubectl get namespaces -o json"
        yield warning(Reason.NAMESPACE_UNKNOWN, message, ("spec", "namespaceSelector"), hint=hint)
